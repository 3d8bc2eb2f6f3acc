"""Spanish time words."""

from __future__ import annotations

from memories.times.holidays import (
    AFTER_CHRISTMAS,
    ALL_SAINTS,
    ASSUMPTION,
    CHRISTMAS,
    CHRISTMAS_DAY,
    CHRISTMAS_EVE,
    EASTER,
    EASTER_SUNDAY,
    EPIPHANY,
    GOOD_FRIDAY,
    HOLY_WEEK,
    MAUNDY_THURSDAY,
    NEW_YEARS_DAY,
    NEW_YEARS_EVE,
)
from memories.times.vocabulary import Cues, Vocabulary, Which, numbered

_LAST_NEXT: dict[str, Which] = {"pasado": "last", "pasada": "last", "que viene": "next"}
CUES = Cues(
    until=r"hasta(?: el| la| los)?(?: dia)?|valid[oa] hasta(?: el)?",
    deadline=r"(?:antes|vence|caduca|plazo|a mas tardar|expira|fecha limite|termina|entregar|hay que pagar)(?: es)?"
    r"(?: ?:)?(?: del?| el| la| en)*",
    start=r"(?:a partir|desde|empieza|comienza|despues)(?: del?| el| en| la)*",
    past=r"^(?:ayer |el \w+ )?(?:vi|comi|cene|corri|hable|conoci|termine|envie|entregue|compre|llame|visite|fuimos|"
    r"vimos|comimos|cenamos|terminamos|enviamos|entregamos|visitamos)|"
    r"fue|fui|fueron|era|eran|estaba|estuvo|estuve|tuvo|tuve|hizo|hice|habia|he|ha|han|hemos|nacio|murio|se mudo|"
    r"compro|vendio|llego|llegaron|volvio|volvieron|vinieron|empezo|termino|visito|conocio|llamo|dijo|gano|viajo|"
    r"(?:pagad|comprad|enviad|recibid|cobrad)[oa]s?|ayer|anoche|"
    r"anteayer|pasad[oa](?! manana)",
    coming=r"sera|seran|va a|van a|debe|deben|hay que|tienen? que",
    recurring=r"cada|todos los|todas las|cumpleanos|nacio|nacid[oa]|aniversario|diario|diariamente|semanal|mensual|"
    r"anual|siempre|a menudo|normalmente|cumple \d+|cumplira|"
    r"los (?:lunes|martes|miercoles|jueves|viernes|sabados|domingos)|festivo|santo de",
    change=r"(?:sube|baja|aumenta|disminuye|pasa)n? (?:a|en|un) \d+(?! ?h)|"
    r"(?:se|me|nos) mud(?:an?|o|amos)|(?:empieza|empiezo|empiezan|comienza|comienzo|comienzan) (?:una?|su|mi|"
    r"como|con|a(?! las? \d))|dej(?:a|o|an) de|se (?:convierten?|hacen?|unen?|jubilan?|incorporan?|pasan?)|"
    r"cambi(?:a|o|an) (?:a|de)|entran? en vigor",
    lasting=r"vive|viven|trabaja (?:en|como)|le gusta|me gusta|odia|se llama|alergic[oa]|prefiere|habla",
    verb=r"es|esta|son|estan|soy|tiene|tienen|cuesta|dura|puede",
    occasion=r"dentista|dermatolog[oa]|volamos|"
    r"medico|doctora?|veterinari[oa]|hospital|clinica|operacion|resonancia|radiografia|analisis|"
    r"vacuna|revision|fisio\w*|optico|peluquer\w{1,3}|fontanero|electricista|tecnico|entrega|mudanza|visita|"
    r"entrevista|examen|cita|notari[oa]|abogad[oa]|gestora?|entierro|funeral|boda|fiesta|concierto|teatro|"
    r"cine|vuelo|llega|llegan|llegamos|aterriza|vuelve[ns]?|volvemos|vuelvo|regresa|regresan|viene|vienen|"
    r"(?:cena|comida|reunion) con|firma|firmamos|recoger|recogemos",
    routine=r"limpieza|basura|cerrad[oa]|abiert[oa]|horario|clases?|curso|entrenamiento|ensayo|coro|libre|teletrabajo|cierra|barat[oa]",
)
SPANISH = Vocabulary(
    months=numbered(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre", 1
    ),
    weekdays=numbered("lunes martes miercoles jueves viernes sabado domingo", 0),
    cues=CUES,
    since="desde(?: el| la)?",
    since_is_past=False,
    from_month="(?:a partir|desde)(?: de)?(?:l| el) mes de|(?:a partir|desde)(?: de)? principios de|a partir de",
    in_month="en|para|durante",
    in_year="en|durante",
    on_weekday="(?:hasta |para |antes d|desde |a partir d|vence |caduca )?el|este",
    of="del?",
    of_unit="(?:de la |del |de |d)?",
    end_of="(?:el )?(?:final|finales|fin)",
    days={
        "hoy": 0, "esta noche": 0, "ayer": 1, "anoche": 1, "anteayer": 2, "antes de ayer": 2, "manana": -1,
        "pasado manana": -2,
    },
    which={
        "esta": "this", "este": "this", "proximo": "next", "proxima": "next", "este proximo": "next", **_LAST_NEXT,
    },
    which_after={**_LAST_NEXT, "proximo": "next", "proxima": "next"},
    holidays={
        "navidad": CHRISTMAS, "navidades": CHRISTMAS, "nochebuena": CHRISTMAS_EVE, "dia de navidad": CHRISTMAS_DAY,
        "nochevieja": NEW_YEARS_EVE, "fin de ano": NEW_YEARS_EVE, "ano nuevo": NEW_YEARS_DAY, "reyes": EPIPHANY,
        "semana santa": HOLY_WEEK, "pascua": EASTER, "domingo de pascua": EASTER_SUNDAY, "viernes santo": GOOD_FRIDAY,
        "jueves santo": MAUNDY_THURSDAY, "la asuncion": ASSUMPTION, "todos los santos": ALL_SAINTS,
        "entre navidad y ano nuevo": AFTER_CHRISTMAS, "entre navidad y nochevieja": AFTER_CHRISTMAS,
    },
    seasons={"primavera": 3, "verano": 6, "otono": 9, "invierno": 12},
    at_holiday="en|por|para|hasta|desde|durante(?: la| las)?",
    in_season="en|para el|este|en el",
    units={
        "dia": "day", "dias": "day", "semana": "week", "semanas": "week", "fin de semana": "weekend", "mes": "month",
        "meses": "month", "ano": "year", "anos": "year",
    },
    numbers={
        "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
        "diez": 10, "once": 11, "doce": 12,
    },
    ago="hace",
    ahead="dentro de|en",
    coming="proxim[oa]s",
    gone="ultim[oa]s",
    several="dias|semanas|meses",
    week_later=("WEEKDAY de la semana siguiente", "WEEKDAY dentro de una semana"),
    to_come="(?:del? )?(?:ano )?(?:proximo|que viene)",
    ago_first=True,
)  # fmt: skip
