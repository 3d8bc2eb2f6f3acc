"""Spanish words around secrets."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

SPANISH = Vocabulary(
    passwords=r"""
    contrasenas?|contrasenia|contrasena|passwords?|(?:clave|llave|codigo) (?:del? |de la |de acceso (?:al? |
    del )?)?(?:nuestro |mi )?(?:wi-?fi|wlan|router|red|internet)|credenciales|respuesta a (?:la|
    mi) pregunta (?:de seguridad|secreta)
    """,
    keys=r"claves?|palabra (?:secreta|clave|de paso|magica)|llave (?:secreta|privada|de cifrado)",
    network_keys=r"clave|llave|codigo",
    networks=r"wi-?fi|wlan|red|router|hotspot",
    passphrases=r"""
    frases? (?:de contrasena|de paso|secreta|clave|de acceso)|(?:contrasena|clave) (?:maestra|principal)
    """,
    pins=r"""
    (?:codigo |numero )?pin|pins|codigo pin|numero secreto|codigo secreto|clave secreta|clave (?:del? |de la |de mi |
    de tu |de su )?(?:cajero|tarjeta|movil|telefono|banco)|(?:codigo|patron|numero) (?:del? |de la |de mi |
    de su )(?:tarjeta|movil|telefono|cajero|sim|tableta|iphone|bloqueo|desbloqueo)|codigo de (?:des)?bloqueo
    """,
    recoveries=r"""
    (?:codigos?|claves?|frases?|palabras|llaves?) (?:de )?(?:recuperacion|respaldo|seguridad de respaldo|emergencia|
    restauracion|rescate|reserva|backup|copia|semilla)|(?:codigo )?puk|frase semilla|palabras semilla|semilla|
    frase mnemotecnica|(?:12|doce|24|veinticuatro) palabras
    """,
    lock_codes=r"""
    (?:codigo|clave|combinacion|numero secreto|contrasena) (?:de |del |de la |de los |para (?:el |la )|de mi |
    de nuestra? )(?:la |el )?(?:\w+ )?(?:alarma|puerta|portal|porton|garaje|entrada|acceso|caja fuerte|candado|
    cerradura|taquilla|edificio|trastero|cajetin|caja de llaves|maleta|verja|barrera|piso|casa|antirrobo|urbanizacion|
    piscina|cancela|finca|llaves|cofre|ascensor)
    """,
    card_codes=r"""
    cvv2?|cvc|codigo de (?:seguridad|verificacion)|(?:3|tres) (?:numeros|digitos|cifras) (?:de detras|del reverso|
    de atras)
    """,
    codes=r"codigos?|combinacion|clave|digitos|cifras|secuencia",
    locks=r"""
    bicis|bicicletas|trasteros|alarmas?|puertas?|portal|porton|garaje|caja (?:fuerte|de llaves|de las llaves)|
    candados?|cerradura|taquilla|entrada|edificio|trastero|cajetin|maleta|verja|barrera|telefonillo|interfono|
    portero automatico|teclado|sotano|cancela|sirena|antirrobo|cobertizo|urbanizacion|ascensor|llaves|cofre|(?:caj|
    cofre)\w* de (?:las )?llaves|botiquin|armario de (?:los )?(?:medicamentos|medicinas)|contenedor|remolque|
    residencia|vestuario|almacen|taller|granero|persiana|bolardo|cuarto (?:de \w+|trastero)|escalera
    """,
    noted_locks=r"alarma",
    key_boxes=r"(?:caja|cajita) de (?:las )?llaves|cajetin",
    dial_locks=r"candado|antirrobo|maleta|taquilla",
    number_locks=r"cerradura|teclado",
    noted_safes=r"caja fuerte",
    hotel_safes=r"caja fuerte (?:del hotel|de la habitacion)",
    noted_dials=r"candado|antirrobo|maleta",
    noted_gates=r"verja|porton|cancela",
    noted_networks=r"(?:red )?wi-?fi",
    devices=r"""
    movil|telefonos?|celular|iphone|ipad|tableta|tablet|tarjetas?|sim|cajeros?|visa|mastercard|banco|cuenta|
    buzon de voz|portatil|reloj|control parental
    """,
    accounts=r"""
    wi-?fi|router|nas|cuentas?|admin|root|servidor|portal|ordenador|computadora|pc|mac|fichero|archivo|pdf|zip|hoja|
    disco(?: duro)?|usb|documento|correo|usuario|conecto|entro|inicio sesion|accedo|sesion|sede|login|plataforma|
    intranet|boveda
    """,
    services=r"banca (?:online|electronica|en linea)|banco|aplicacion|hacienda",
    logins=r"inicio de sesion|credenciales|acceso",
    of=r"de|del|en|para",
    unlocks=r"desbloquear|abrir|quitar|apagar|desactivar",
    owned=r"el|la|mi|nuestro|nuestra",
    links=r"es|era|son|sera|eran|seria|sigue siendo|queda|pasa a ser|esta puest[oa]|se llama|dice",
    fillers=r"""
    palabra|frase|ahora|siempre|todavia|aun|simplemente|solo|el|la|los|las|numero|n\.?º|codigo|siguientes?|ya|
    de nuevo|actualmente|desde \w+|la de siempre|en realidad|esta|este|almohadilla|asterisco
    """,
    changes=r"""
    cambi\w+|puest[oa]s?|puse|pus[oe]|pongo|configur\w+|restableci\w*|actualic\w+|actualiz\w+|fij\w+|ajust\w+|
    modifi\w+|pasado
    """,
    to=r"a|en|por|al|como",
    like=r"(?:como|de|es)(?: (?:el|la|mi|nuestra|nuestro|nueva|nuevo|su|tu|una|un))*",
    mine=r"(?:es|era|son|eran)(?: (?:el|la|mi|mis|nuestra|nuestro|su|sus|los))(?: nueva| nuevo| antigua)*",
    entries=r"""
    (?:teclea[rs]?|tecleo|tecleas|marca[rs]?|marco|marcas|pulsa[rs]?|pulso|introduc\w+|introduzco|mete[rs]?|meto|
    pon(?:er|go|es|e)?|escrib\w+|usa[rs]?|uso|digit\w+|prueba|ingres\w+)(?: (?:el|la|los|siempre|simplemente|primero|
    codigo))*|hay que (?:teclear|marcar|pulsar|introducir|poner|meter|escribir)(?: (?:el|la))?
    """,
    late_entries=r"""
    y (?:almohadilla|asterisco|pulsa\w*|la almohadilla|luego|dale|aceptar|enter|la tecla)|seguido de|en el (?:teclado|
    panel|telefonillo|cajetin|portero)|para (?:abrir|entrar|desactivar|desconectar|quitar|desbloquear|apagar)|abre|
    desbloquea|desactiva
    """,
    opens=r"""
    sac[oa]r?|retir\w+|(?:se )?abr\w+|(?:se )?desbloque\w+|(?:se )?desactiv\w+|(?:se )?activ\w+|(?:se )?apag\w+|
    (?:se )?desconect\w+|(?:se )?quita\w*|conecto|entro|accedo|inicio sesion|me conecto|entra\w*|descifr\w+|
    cifrad[oa]|protegid[oa]|bloquead[oa]|puest[oa]|quita\w*|arma\w*|logueo|identifico
    """,
    by=r"con|mediante|en|tecleando|marcando|pulsando|usando",
    compounds=r"postal|olvidad[oa]s?|perdid[oa]s?|predeterminad[oa]s?|de sol|de fa|publica|del exito|esta en que",
    owners=r"""
    (?:gestor|estrategia|longitud|fuerza|reglas?|politica|parte|mitad|principio|final|cambio|ejemplo|numero|generador|
    pista|tipo|dueno|seguridad|cuaderno|administrador|recordatorio|caducidad) (?:de|del|de la|de las|de los|de mi|
    de mis) (?:\w+ )?
    """,
    other_codes=r"qr|el mismo",
    other_codes_after=r"""
    postal\w*|promocional\w*|de error|de descuento|qr|de barras|de reserva|morse|de producto|fuente|civil|penal|
    de conducta|de vestimenta|de activacion|de seguimiento|de pedido|de cliente|de confirmacion|de verificacion|
    de area|de pais|de color|de vuelo|de articulo|de factura|de telefono|[a-z]-?\d{1,3}\b|de regalo|de la ruta|etico|
    swift|bic|iata|de asiento|de habitacion|de sol
    """,
    breaks=r"""
    pero|porque|pues|y (?:mi|mis|nuestra|nuestro|el|la|los|yo|ella|nosotros)|debe|deben|deberia|tiene|tienen|hay|no|
    nunca|jamas|habitacion|pedido|factura|vuelo|version|extension|cumpleanos|precio|cuesta|muestra|marca|cuando|si|
    desde|hasta|despues|antes|caduca|contiene|sala|error|vence|piso
    """,
    predicates=r"""
    impres[oa]s?|grabad[oa]s?|habitual|normal|actual|inicial|anterior|siguiente|provisional|importante|suficiente|
    diferente|identica?|robust[oa]|personal|igual|inutil|fragil|vulnerable|numeric[oa]|automatic[oa]|publico|historia|
    simple|debil|larg[oa]|cort[oa]|fuerte|segur[oa]|mala?|buen[oa]|nuev[oa]|viej[oa]|secret[oa]|mism[oa]|distint[oa]|
    correct[oa]|incorrect[oa]|otr[oa]|unic[oa]|facil|dificil|mejor|peor|mi[oa]|suy[oa]|aqui|ahi|asi|todo|nada|algo|un|
    una|el|la|lo|de|del|para|muy|mas|no|si|ya|siempre|demasiado|complej[oa]|publica|privada|lunes|martes|hoy|ayer|
    manana|paciencia|constancia|clave|poca|mucha|esta|esa|para|temporal|opcional
    """,
    endings=r"\w+(?:ad[oa]s?|id[oa]s?|ables?|ibles?|os[oa]s?|iv[oa]s?|mente|ori[oa]s?)",
    spellings=r"todo|en (?:minusculas?|mayusculas?|una)|con|sin|y|por si|toda",
    function_words=r"""
    el|la|los|las|un|una|de|del|es|son|era|a|al|en|para|con|y|o|pero|no|mi|mis|su|nuestra|que|por|como|yo|si|muy|mas|
    siempre|nunca|todavia|bien|algun|alguien|demasiado|tan|guardada|apuntada
    """,
    units=r"""
    cifras?|digitos?|caracteres|letras?|simbolos?|palabras|veces|minutos?|segundos?|horas?|h|dias?|semanas?|meses|
    anos?|euros?|centimos|pesos|dolares|por ciento|personas|lineas|paginas|metros|kilometros|km|gramos|kilos?|piezas|
    intentos|cuentas|archivos|clientes|habitantes|pasos|calorias|miembros|socios|visitantes|jugadores|espectadores|
    puntos|empleados|vueltas|m2
    """,
    public=r"""
    en (?:la|el|un|una|esa|ese|aquella) (?:\w+ )?(?:pelicula|novela|libro|juego|sketch|serie|episodio|comic|obra|
    ejemplo|manual|tutorial|cuento|documentacion|sueno|capitulo|escape room|articulo)|por ejemplo|p\. ?ej|ejemplo|
    por defecto|de fabrica|mas (?:usad[oa]s?|comun|comunes|popular|populares|frecuentes?|utilizad[oa]s?)|
    nunca (?:uses|usar|pongas)|no uses|mucha gente|la gente|nadie|muchos|segun
    """,
    turns=r"(?:a |hacia )?(?:la )?(?:izquierda|derecha)",
    key_presses=r"""
    (?:y|luego|y luego|despues) (?:pulsar? |dale a )?(?:el |la )?(?:(?:tecla|boton)(?: \w+)?|almohadilla|asterisco|
    estrella|campana)
    """,
    numbers=r"""
    (?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)(?: y (?:uno|un|dos|tres|cuatro|cinco|seis|siete|
    ocho|nueve))?|veinte|veinti(?:uno|un|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)|diez|once|doce|trece|catorce|
    quince|dieci(?:seis|siete|ocho|nueve)
    """,
    origins=r"""
    (?:ano|fecha|dia) (?:de (?:mi |su |la |nuestra )?(?:nacimiento|boda)|de (?:mi |su )?matrimonio|en que nacio)|
    cumpleanos|aniversario
    """,
    users=r"usuari[oa]|nombre de usuario",
    passes=r"contra|passw",
    digits="cero uno|un|una dos tres cuatro cinco seis siete ocho nueve",
    documents=r"pasaporte|numero de pasaporte",
    national_ids=r"""
    dni|nie|nif|carnet|carne de identidad|n\.i\.e|d\.n\.i|documento (?:nacional )?de identidad|documento|identidad|
    pasaporte|seguridad social|n\.?º? de afiliacion|afiliacion|identificacion fiscal|tarjeta sanitaria|residencia|
    nuss|naf
    """,
)
