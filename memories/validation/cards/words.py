"""Words in many languages that identify a number nearby."""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern


def _any_word(words: str) -> re.Pattern[str]:
    """Build a pattern for any of `words`: patterns of lower-case words, separated by white space."""
    return lazy_pattern("|".join(words.split()))


CARD = _any_word(
    r"""
    cards? (?:credit|debit|bank|payment|prepaid|master|amex)cards? cardholder card(?:number|no|num|nr) ccnum ccnumber
    visa mastercard maestro amex americanexpress diners dinersclub jcb unionpay rupay hipercard dankort bancontact
    cvv2? cvc2? exp expiry expires expiration expdate
    (?:kredit|bank|debit|giro|zahl)?karten?(?:nummer|nr)? \w*kaart(?:en|nummer)? \w*kort(?:et|nummer|nr)?
    \w*kort(?:ti|in)\w* tarjetas? cartes? cartão cartões cartao cartoes carta carte carduri? cardul
    kart[aęeyouąě]?\w{0,3} kreditk\w+ kortel\w+ \w*kárty\w+ \w*κάρτ\w+ карт[аыуеойк]\w{0,3} kartım kartımın kartu thẻ
    """
)
CARD_UNSPACED = lazy_pattern("カード|卡|카드|कार्ड|بطاق|کارت|כרטיס|אשראי|บัตร")
"""Words for cards in scripts that do not separate words, or add prefixes and endings to them."""

ON_A_CARD = _any_word(
    r"""
    cvv2? cvc2? csc exp expiry expires expiration expiring expdate valid gültig prüfziffer kartenprüfnummer
    vence caduca vencimiento caducidad expire validade vencimento scadenza scade geldig udløb срок действует
    """
)
"""Words for other data printed on a card."""

OTHER = _any_word(
    r"""
    orders? orderid bestell\w* auftrag\w* commandes? pedidos? ordin[ei] zamówieni\w+ заказ\w* invoices? rechnung\w*
    factur\w+ fattur\w+ receipts? tracking shipments? shipping parcels? packages? sendung\w* paket\w* colis envíos?
    spedizion\w+ ups fedex dhl usps dpd gls hermes awb waybill refs? reference references referenz\w*
    booking\w* buchung\w* reservation\w* confirmation tickets? cases? claims? polic(?:y|ies) contracts? vertrag\w*

    isbn issn ean gtin upc sscc asin sku barcodes? serials? seriennummer sn imei imeisv imsi iccid esn meid sim
    products? articles? artikel\w* model batch meter mpan zähler\w* vin licen[cs]es?

    iban bic swift routing konto\w* bankverbindung clabe tax vat ust steuer\w* siret siren nif cif cnpj cpf ssn nik ktp
    aadhaar vid passport ausweis\w* insurance versicherung\w*

    uid uuid guid oid userid timestamps? ts epoch unix unixtime hash sha sha1 sha256 md5 checksum commits? revision rev
    build version tweets? snowflakes? weibo steamid trace span seed random nonce offset bytes counter count population
    primes?
    """
)
"""Words for other things that have a number."""

VAGUE = _any_word(
    r"""
    ids? accounts? acct acc membership mitglied\w* transactions? txn trx tx transaktion\w* customers? clients? users?
    members? patients? kunden?\w*
    """
)
"""Words for other things that often appear with cards. They do not count for a number in a card's groups."""

PEOPLE = _any_word("customers? clients? users? members? patients? kunden?")
"""Those of the vague words that can also introduce a speaker: "User: 4111…"."""

LINKS = frozenset(["from", "at", "of", "by", "bei", "von", "de", "chez", "da"])
"""Words between a thing and its maker: "the order from Amazon"."""

OTHER_UNSPACED = lazy_pattern("订单|訂單|注文|주문|电话|電話|전화|运单")

FILLER = _any_word(
    """
    number numbers no nr n num sv numéro numero número nummer nº номер code codes value key is was are were ist war est
    era es the a an my our your his her their mein meine der die das le la el il mi mon ma for from of at on
    """
)
"""Words that may be between the name of a thing and its number."""

PAYING = _any_word(
    r"""
    with using via by pay\w* paid charge\w* billed debit\w* mit per bezahl\w* avec payé con pagado paguei used against
    """
)
"""Words before a means of payment, so that the number is not that of the thing: "the order was paid with 4111…"."""
