"""Portuguese words around secrets, as in Portugal and in Brazil."""

from __future__ import annotations

from memories.validation.secrets.languages.vocabulary import Vocabulary

PORTUGUESE = Vocabulary(
    passwords=r"""
    senhas?|palavras?[- ]passe|(?:chave|codigo) (?:do |da |de acesso (?:ao |do )?)?(?:nosso |nossa |meu |minha )?(?:
    wi-?fi|wlan|router|roteador|rede|internet)|credenciais
    """,
    keys=r"palavra (?:secreta|magica|de acesso)|chave (?:secreta|privada|de criptografia|de seguranca)",
    network_keys=r"chave|codigo",
    networks=r"wi-?fi|wlan|rede|router|roteador|modem|hotspot",
    passphrases=r"frase (?:secreta|de acesso|de senha|senha)|frase-passe|(?:senha|palavra-passe) (?:mestra|principal)",
    pins=r"""
    (?:codigo |numero )?pin|pins|(?:codigo|numero) secreto|codigo (?:do |da |do meu |da minha |do seu |da sua )(?:
    multibanco|cartao|telemovel|celular|telefone|sim|tablet|iphone|bloqueio|desbloqueio)|codigo de (?:des)?bloqueio
    """,
    recoveries=r"""
    (?:codigos?|chaves?|frases?|palavras) (?:de )?(?:recuperacao|backup|emergencia|reserva|restauracao|resgate)|
    (?:codigo )?puk|frase semente|palavras semente|frase mnemonica|(?:12|doze|24|vinte e quatro) palavras
    """,
    lock_codes=r"""
    (?:codigo|combinacao|numero secreto|senha|segredo|pin) (?:de |do |da |dos |das |para (?:o |a )|do meu |da minha |
    do nosso |da nossa )(?:\w+ )?(?:alarme|porta|portao|portaria|garagem|entrada|acesso|cofre|cadeado|fechadura|
    cacifo|armario|predio|condominio|caixa(?: de chaves| forte)?|mala|barreira|cave|porao|arrecadacao|elevador|casa|
    apartamento|bicicleta|piscina|cancela|interfone|intercomunicador|campainha)
    """,
    card_codes=r"""
    cvv2?|cvc|codigo de (?:seguranca|verificacao)|(?:3|tres) (?:numeros|digitos|algarismos) (?:de tras|do verso)
    """,
    codes=r"codigos?|combinacao|segredo|digitos|algarismos|sequencia",
    locks=r"""
    alarmes?|portas?|portao|portaria|garagem|cofre|cadeados?|fechadura|cacifo|armario|entrada|predio|condominio|
    caixa (?:de chaves|das chaves|forte)|mala|barreira|interfone|intercomunicador|teclado|cave|porao|arrecadacao|
    elevador|sirene|bicicletas?|cancela
    """,
    noted_locks=r"alarme",
    key_boxes=r"caixa (?:de|das) chaves",
    dial_locks=r"cadeado|mala|cacifo",
    number_locks=r"fechadura|teclado",
    noted_safes=r"cofre",
    hotel_safes=r"cofre (?:do hotel|do quarto)",
    noted_dials=r"cadeado|mala",
    noted_gates=r"portao|cancela",
    noted_networks=r"(?:rede )?wi-?fi",
    devices=r"""
    telemovel|celular|telefones?|iphone|ipad|tablet|cartao|cartoes|sim|multibanco|caixa (?:automatico|eletronico)|
    visa|mastercard|banco|conta|correio de voz|portatil|relogio|controlo parental
    """,
    accounts=r"""
    wi-?fi|router|roteador|nas|contas?|admin|root|servidor|portal|computador|pc|mac|ficheiro|arquivo|pdf|zip|folha|
    disco|usb|documento|e-?mail|correio|utilizador|usuario|entro|acedo|login|plataforma|intranet
    """,
    services=r"homebanking|banco|financas|aplicacao",
    logins=r"login|credenciais|acesso",
    of=r"de|do|da|dos|das|em|no|na|para",
    unlocks=r"desbloquear|abrir|desligar|desativar",
    owned=r"o|a|meu|minha|nosso|nossa|o meu|a minha|o nosso|a nossa",
    links=r"é|era|sao|eram|sera|seria|fica|ficou|passa a ser|passou a ser|continua a ser|continua sendo|chama-se|diz",
    fillers=r"""
    palavra|frase|agora|sempre|ainda|simplesmente|so|o|a|os|as|numero|n\.?º|codigo|seguintes?|ja|de novo|atualmente|
    desde \w+|este|esta
    """,
    changes=r"mud\w+|alter\w+|troc\w+|defin\w+|coloc\w+|configur\w+|redefin\w+|atualiz\w+|pus|pos|passou",
    to=r"para|a|em|por|como",
    like=r"(?:como|de|é|para)(?: (?:o|a|meu|minha|nosso|nossa|novo|nova|seu|sua|um|uma))*",
    mine=r"""
    (?:é|era|sao|eram)(?: (?:o|a|os|as))?(?: (?:meus?|minhas?|nossos?|nossas?|seus?|suas?))?(?: nov[oa]| antig[oa])*
    """,
    entries=r"""
    (?:digit[aeo]\w*|marca[rs]?|marque|prem[ei]r?|carreg[ao]r?|introduz\w*|insir[ao]|insere|inserir|escrev\w+|
    us[aeo]r?|tecl[aeo]r?|mete[rs]?|meto|poe|ponho)(?: (?:o|a|os|sempre|simplesmente|primeiro|codigo))*|(?:é preciso|
    basta|tem de se|tem que) (?:digitar|marcar|premir|introduzir|inserir|escrever|usar|teclar)(?: (?:o|a))?
    """,
    late_entries=r"""
    e (?:cardinal|asterisco|prem\w+|carreg\w+|enter|depois|confirma\w*)|seguido de|no (?:teclado|painel|interfone|
    intercomunicador)|para (?:abrir|entrar|desativar|desligar|desbloquear|destrancar)|abre|desbloqueia|desativa
    """,
    opens=r"""
    levant\w+|sac[ao]r?|(?:se )?abr\w+|desbloque\w+|desativ\w+|ativ\w+|deslig\w+|destranc\w+|entro|acedo|entra\w*|
    decifr\w+|cifrad[oa]|protegid[oa]|bloquead[oa]|trancad[oa]|inicio sessao
    """,
    by=r"com|mediante|digitando|marcando|usando|teclando|premindo",
    compounds=r"postal|esquecid[oa]s?|perdid[oa]s?|predefinid[oa]s?|publica|de sol|de atendimento|da fila",
    owners=r"""
    (?:gestor|gerenciador|comprimento|tamanho|forca|regras?|politica|parte|metade|inicio|fim|mudanca|troca|exemplo|
    gerador|dica|tipo|dono|seguranca|caderno|estrategia|lista|validade) (?:de|do|da|dos|das|do meu|da minha) (?:\w+ )?|
    (?:tir|apanh)\w+ (?:a |uma |a minha )?
    """,
    other_codes=r"qr|mesmo",
    other_codes_after=r"""
    postal|promocional|de erro|de desconto|qr|de barras|de reserva|de produto|do produto|fonte|civil|penal|de conduta|
    de ativacao|de rastreio|de rastreamento|d[ae] encomenda|do pedido|d[eo] cliente|de confirmacao|de verificacao|de
    area|d[eo] pais|d[ae] cor|d[eo] voo|d[eo] artigo|d[ae] fatura|de telefone|de oferta|swift|bic|iata|d[eo] lugar|
    do quarto|morse|de conduta|de honra|[a-z]-?\d{1,3}\b
    """,
    breaks=r"""
    mas|porque|pois|e (?:o meu|a minha|o|a|eu|ele|ela|nos)|deve|devem|deveria|tem|ha|nao|nunca|quarto|encomenda|
    pedido|fatura|voo|versao|extensao|aniversario|preco|custa|mostra|quando|desde|ate|depois|antes|caduca|expira|
    contem|sala|erro|vence|andar
    """,
    predicates=r"""
    impress[oa]s?|gravad[oa]s?|habitual|normal|atual|inicial|anterior|seguinte|provisori[oa]|importante|suficiente|
    diferente|identic[oa]|robust[oa]|pessoal|igual|inutil|fragil|vulneravel|numeric[oa]|automatic[oa]|public[oa]|
    privad[oa]|simples|frac[oa]|long[oa]|compridas?|curt[oa]|forte|segur[oa]|ma|boa|bom|nov[oa]|velh[oa]|secret[oa]|
    mesm[oa]|distint[oa]|cert[oa]|corret[oa]|incorret[oa]|errad[oa]|outr[oa]|unic[oa]|facil|dificil|melhor|pior|minha|
    meu|dele|dela|aqui|ali|assim|tudo|nada|algo|um|uma|o|a|de|do|da|para|muito|mais|nao|sim|ja|sempre|demasiado|
    complex[oa]|segunda|terca|hoje|ontem|amanha|paciencia|pouca|muita|esta|essa|temporari[oa]|opcional|obrigatori[oa]|
    necessari[oa]|conosco|connosco
    """,
    endings=r"\w+(?:ad[oa]s?|id[oa]s?|[aá]vel|[ií]vel|[aá]veis|[ií]veis|os[oa]s?|iv[oa]s?|mente|[oó]ri[oa]s?)",
    spellings=r"tudo|em (?:minusculas?|maiusculas?|uma)|com|sem|e|toda",
    function_words=r"""
    o|a|os|as|um|uma|de|do|da|é|sao|era|em|no|na|para|com|e|ou|mas|nao|meu|minha|seu|sua|nossa|que|por|como|eu|se|
    muito|mais|sempre|nunca|ainda|bem|alguem|demasiado|guardad[oa]|escrit[oa]|anotad[oa]
    """,
    units=r"""
    digitos|algarismos|caracteres|letras?|simbolos?|palavras|vezes|minutos?|segundos?|horas?|dias?|semanas?|meses|mes|
    anos?|euros?|reais|centimos|centavos|por cento|pessoas|linhas|paginas|metros|quilometros|gramas|quilos?|pecas|
    tentativas|contas|ficheiros|arquivos|clientes|habitantes|passos|calorias|membros|socios|visitantes|jogadores|
    pontos|funcionarios|voltas
    """,
    public=r"""
    (?:no|na|num|numa|neste|nesta|naquele|naquela) (?:\w+ )?(?:filme|romance|livro|jogo|serie|episodio|manual|exemplo|
    tutorial|conto|documentacao|sonho|capitulo|escape room|artigo)|por exemplo|p\. ?ex|exemplo|por defeito|de fabrica|
    padrao|mais (?:usad[oa]s?|comum|comuns|popular|populares|frequentes?)|nunca us\w+|nao us\w+|muita gente|ninguem
    """,
    turns=r"(?:a |para a )?(?:esquerda|direita)",
    key_presses=r"(?:e|depois|e depois) (?:a |o )?(?:(?:tecla|botao)(?: \w+)?|cardinal|asterisco|estrela|campainha)",
    numbers=r"""
    (?:vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa)(?: e (?:um|dois|tres|quatro|cinco|seis|
    sete|oito|nove))?|dez|onze|doze|treze|catorze|quatorze|quinze|dez[ae]sseis|dez[ae]ssete|dezoito|dez[ae]nove
    """,
    origins=r"""
    (?:ano|data|dia) (?:de nascimento|do (?:meu |nosso )?casamento|d[eo] casamento|em que nasceu)|aniversario
    """,
    users=r"utilizador|usuari[oa]|nome de (?:utilizador|usuario)",
    passes=r"pw|passw",
    digits="zero um|uma dois|duas tres quatro cinco seis|meia sete oito nove",
    documents=r"passaporte|numero d[eo] passaporte|cartao de cidadao",
    national_ids=r"nif|niss|cpf|contribuinte|cartao de cidadao|passaporte|seguranca social",
)
