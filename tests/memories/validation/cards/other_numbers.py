"""Generators of numbers that are not payment cards, as people and programs write them. Each kind has a seed of its own.

No example is left out because it was detected as a card. Numbers that nobody could tell from a card are not generated:
16 digits without any context, and four groups of four digits in a row.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random

Make = Callable[[Random], str]


def some_digits(random: Random, count: int, first: str = "123456789") -> str:
    return random.choice(first) + "".join(random.choices("0123456789", k=count - 1))


def grouped(digits: str, sizes: Sequence[int], separator: str = " ") -> str:
    groups, place = [], 0
    for size in sizes:
        groups.append(digits[place : place + size])
        place += size
    return separator.join(groups)


def weighted_check(digits: str) -> str:
    """Return the check digit of GTIN, ISBN-13, SSCC and USPS: weights 3 and 1 from the right."""
    return str(-sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(reversed(digits))) % 10)


def luhn_check(digits: str) -> str:
    doubled = [int(digit) * (2, 1)[place % 2] for place, digit in enumerate(reversed(digits))]
    return str(-sum(value - 9 if value > 9 else value for value in doubled) % 10)


def moment(random: Random) -> datetime:
    return datetime(2001, 9, 9, 2, tzinfo=UTC) + timedelta(seconds=random.randrange(30 * 365 * 86400))


def pick(random: Random, *texts: str) -> str:
    return random.choice(texts)


# --- Fractions


def decimal(random: Random) -> str:
    value = random.uniform(-1, 1) * 10 ** random.randint(-3, 9)
    return pick(random, repr(value), f"{value:.15f}", f"{value:.17f}", f"score {value!r}.", f"{value:.16e}")


def decimal_with_comma(random: Random) -> str:
    value = f"{random.uniform(0, 100):.{random.randint(13, 17)}f}".replace(".", ",")
    return pick(random, value, f"der Wert ist {value}", f"{value} kg", f"({value})")


def decimal_without_zero(random: Random) -> str:
    fraction = some_digits(random, random.randint(13, 19))
    return pick(random, f".{fraction}", f"p = .{fraction}", f"[.{fraction}]", f"loss=.{fraction}")


def vector(random: Random) -> str:
    return json.dumps([random.uniform(-1, 1) for _ in range(6)])


def coordinates(random: Random) -> str:
    latitude, longitude = random.uniform(-90, 90), random.uniform(-180, 180)
    return pick(
        random,
        f"{latitude!r}, {longitude!r}",
        f"geo:{latitude:.14f},{longitude:.14f}",
        f"https://maps.example/@{latitude!r},{longitude!r},15z",
        json.dumps({"lat": latitude, "lon": longitude}),
    )


def constant(random: Random) -> str:
    value = random.choice(
        [math.pi, math.e, math.sqrt(2), math.log(2), (1 + math.sqrt(5)) / 2, math.tau]
    ) * random.choice([1, 2, 10, 100, random.randint(3, 999)])
    return pick(random, repr(value), f"≈ {value:.15f}", f"{value:.15f}…".replace(".", ",", 1))


def grouped_fraction(random: Random) -> str:
    size = random.choice([3, 4, 5])
    digits = some_digits(random, size * 5)
    return f"{random.randint(0, 9)}.{grouped(digits, [size] * 5)}"


# --- Phone numbers


def phone_with_plus(random: Random) -> str:
    country = random.choice(
        ["1", "7", "33", "34", "36", "39", "41", "43", "44", "46", "48", "49", "52", "55", "62", "65", "86"]
    )
    rest = some_digits(random, random.randint(10, 15) - len(country))
    sizes = random.choice([[len(rest)], [3, 4, 9], [3, 3, 3, 3], [2, 2, 2, 2, 2, 2, 2], [4, 4, 4], [1, 3, 3, 4]])
    separator = random.choice([" ", "-", "."])
    number = f"+{country}{separator if len(sizes) > 1 else ''}{grouped(rest, sizes, separator).strip(separator)}"
    return pick(random, number, f"call {number}", f"Tel. {number}", f"tel:{number}", f"({number})", f"+ {number[1:]}")


def phone_with_zeros(random: Random) -> str:
    number = f"00{random.choice(['49', '43', '41', '44', '33', '1', '65'])}{some_digits(random, random.randint(9, 12))}"
    return pick(
        random, number, grouped(number, [4, 3, 4, 4]), grouped(number, [4, 4, 4, 4]), grouped(number, [4, 4, 7])
    )


def phone_without_plus(random: Random) -> str:
    number = random.choice(["49151", "49176", "43660", "43676", "4670", "49211"])
    number += some_digits(random, random.choice([12, 13, 13]) - len(number))
    return pick(random, number, f"{number} anrufen", f"WhatsApp {number}", f"wa.me/{number}", f"{number}@c.us")


def phone_in_parentheses(random: Random) -> str:
    area, first, last = some_digits(random, 3), some_digits(random, 3), some_digits(random, 4)
    return pick(random, f"({area}) {first}-{last} ext. {some_digits(random, 5)}", f"1 ({area}) {first} {last} 55 66 77")


def two_phones(random: Random) -> str:
    first, second = some_digits(random, 8, "5689"), some_digits(random, 8, "5689")
    return pick(random, f"{first} {second}", f"{first}/{second}", f"{first}-{second}", f"{first}, {second}")


# --- Ids of orders, parcels and papers

ORDER_LABELS = [
    *(
        "order {}",
        "Order no. {}",
        "my order number is {}",
        "Order #{}",
        "order: {}",
        "orderId={}",
        '{{"order_id": "{}"}}',
    ),
    *("Bestellung {}", "Bestellnummer: {}", "Auftrags-Nr. {}", "commande n° {}", "pedido {}", "ordine {}", "заказ {}"),
    *(
        "注文番号 {}",
        "订单号{}",
        "the order from Amazon is {}",
        "{} is my order number",
        "invoice {}",
        "Rechnung Nr. {}",
    ),
    *("facture {}", "booking reference {}", "ticket {}", "case {}", "claim number {}", "policy {}", "Vertrag {}"),
    *(
        "order-{}",
        "INV-{}",
        "INV-2026-{}",
        "ORD{}",
        "PO_{}",
        "#{}",
        "confirmation code {}",
        "customer {}",
        "member id {}",
    ),
]


def order(random: Random) -> str:
    return random.choice(ORDER_LABELS).format(some_digits(random, random.randint(13, 19)))


def order_in_groups(random: Random) -> str:
    number = random.choice(
        [
            grouped(some_digits(random, 17), [3, 7, 7], "-"),
            grouped(some_digits(random, 16), [4, 4, 4, 4], "-"),
            grouped(some_digits(random, 14), [2, 5, 7], "-"),
            grouped(some_digits(random, 16), [8, 8], "-"),
            grouped(some_digits(random, 18), [6, 6, 6], "-"),
        ]
    )
    return pick(random, f"order {number}", f"order no. {number}", f"Bestellung {number}", f"Invoice: {number}")


TRACKING_LABELS = [
    *(
        "tracking {}",
        "tracking number {}",
        "track my parcel: {}",
        "FedEx {}",
        "UPS tracking no. {}",
        "DHL {}",
        "USPS {}",
    ),
    *("Sendungsnummer {}", "Paket {}", "colis {}", "shipment {} is on its way", "https://track.example/parcels/{}"),
    *("waybill {}", "AWB {}", "{} (tracking number)", "the package {} arrived", "tracking_number: {}", "运单号 {}"),
]


def tracking(random: Random) -> str:
    digits = some_digits(random, random.choice([12, 14, 15, 16, 18, 19, 20, 22]))
    return random.choice(TRACKING_LABELS).format(digits)


def usps(random: Random) -> str:
    digits = random.choice(["9400", "9205", "9407", "9303", "9270", "420"]) + some_digits(random, 17)
    digits += weighted_check(digits)
    return pick(random, digits, grouped(digits, [4, 4, 4, 4, 4, 4]).strip(), f"USPS {digits}")


def ups(random: Random) -> str:
    code = "".join(random.choices("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=6))
    return f"1Z{code}{some_digits(random, 10)}"


def sscc(random: Random) -> str:
    digits = "00" + some_digits(random, 17, "0123")
    return pick(random, digits + weighted_check(digits), f"(00){digits[2:]}{weighted_check(digits)}")


# --- Products


def isbn(random: Random) -> str:
    digits = random.choice(["978", "979"]) + some_digits(random, 9)
    digits += weighted_check(digits)
    return pick(random, digits, f"ISBN {digits}", grouped(digits, [3, 1, 4, 4, 1], "-"), grouped(digits, [3, 10], "-"))


def ean(random: Random) -> str:
    digits = random.choice(["400", "401", "403", "42", "44", "45", "46", "47", "48", "49", "50", "30", "76", "69"])
    digits += some_digits(random, 12 - len(digits), "0123456789")
    digits += weighted_check(digits)
    return pick(
        random, digits, f"EAN {digits}", f"the tea is {digits}", grouped(digits, [1, 6, 6]), f"{digits};tea;2.99"
    )


def gtin14(random: Random) -> str:
    digits = some_digits(random, 13, "0123")
    return pick(random, digits + weighted_check(digits), f"GTIN {digits}{weighted_check(digits)}")


def imei(random: Random) -> str:
    digits = random.choice(["35", "86", "01", "99", "91"]) + some_digits(random, 12)
    digits += luhn_check(digits)
    return pick(
        random, digits, f"IMEI {digits}", grouped(digits, [2, 6, 6, 1], "-"), f"imei: {digits}", f"IMEI/{digits}"
    )


def imeisv(random: Random) -> str:
    return pick(random, "IMEISV {}", "imei sv: {}", "imeisv={}").format("35" + some_digits(random, 14))


def iccid(random: Random) -> str:
    digits = "89" + some_digits(random, random.choice([16, 17, 18]))
    return pick(
        random, digits, f"SIM {digits}", grouped(digits, [4, 4, 4, 4, 4]).strip(), f"ICCID: {digits}", f"{digits}F"
    )


def serial(random: Random) -> str:
    digits = some_digits(random, random.randint(13, 18))
    return pick(
        random, f"serial number {digits}", f"S/N {digits}", f"SN{digits}", f"Seriennummer: {digits}", f"CN-0{digits}"
    )


def product_key(random: Random) -> str:
    size = random.choice([4, 5])
    alphabet = random.choice(["0123456789ABCDEF", "BCDFGHJKMPQRTVWXY2346789"])
    return "-".join("".join(random.choices(alphabet, k=size)) for _ in range(5))


def meter(random: Random) -> str:
    return pick(random, "meter {}", "Zählernummer {}", "Zählerstand {}", "MPAN {} 12 345").format(
        some_digits(random, 13)
    )


# --- Banks and authorities


def iban(random: Random) -> str:
    country, length = random.choice(
        [("DE", 18), ("AT", 16), ("CH", 17), ("BE", 12), ("ES", 20), ("DK", 14), ("SE", 20)]
    )
    number = f"{country}{some_digits(random, 2)}{some_digits(random, length)}"
    spaced = grouped(number, [4] * 7).strip()
    return pick(random, number, spaced, f"IBAN {number}", f"IBAN: {spaced}", f"{spaced} (rent)")


def polish_account(random: Random) -> str:
    digits = some_digits(random, 26)
    return pick(
        random, grouped(digits, [2, 4, 4, 4, 4, 4, 4]), digits, f"nr konta {grouped(digits, [2, 4, 4, 4, 4, 4, 4])}"
    )


def account(random: Random) -> str:
    digits = some_digits(random, random.randint(13, 18))
    return pick(random, f"bank account {digits}", f"Kontonummer {digits}", f"account no. {digits}", f"CLABE {digits}")


def siret(random: Random) -> str:
    company = some_digits(random, 8)
    company += luhn_check(company)
    office = company + some_digits(random, 4, "0")
    office += luhn_check(office)
    return pick(
        random, office, f"SIRET {office}", grouped(office, [3, 3, 3, 5]), f"SIRET: {grouped(office, [3, 3, 3, 5])}"
    )


def cnpj(random: Random) -> str:
    digits = some_digits(random, 8) + "0001"
    for weights in ((5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2), (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)):
        rest = sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True)) % 11
        digits += str(0 if rest < 2 else 11 - rest)
    return pick(
        random, digits, f"{digits[:2]}.{digits[2:5]}.{digits[5:8]}/{digits[8:12]}-{digits[12:]}", f"CNPJ {digits}"
    )


def south_african_id(random: Random) -> str:
    born = moment(random).replace(day=random.randint(1, 28), year=random.randint(1930, 1999))
    digits = f"{born:%y%m%d}{some_digits(random, 4, '0123456789')}08"
    return digits + luhn_check(digits)


def korean_id(random: Random) -> str:
    return f"{moment(random):%y%m%d}-{some_digits(random, 7, '1234')}"


def chinese_id(random: Random) -> str:
    digits = random.choice(["110101", "310104", "440305", "510107", "620102", "622301"]) + f"{moment(random):%Y%m%d}"
    number = digits + some_digits(random, 3) + random.choice("0123456789X")
    return pick(random, number, f"身份证 {number}", f"ID card {number}")


def french_social_security(random: Random) -> str:
    digits = some_digits(random, 15, "12")
    return pick(random, digits, grouped(digits, [1, 2, 2, 2, 3, 3, 2]))


def tax_number(random: Random) -> str:
    digits = some_digits(random, 13)
    return pick(random, f"tax number {digits}", f"Steuernummer {grouped(digits, [3, 3, 5, 2], '/')}", f"VAT {digits}")


# --- Times


def timestamp(random: Random) -> str:
    seconds = moment(random).timestamp()
    number = str(int(seconds * random.choice([1e3, 1e6, 1e9])))
    return pick(
        random, number, f'{{"at": {number}}}', f"ts={number}", f"created {number}", f"[{number}] started", f"{number}L"
    )


def compact_time(random: Random) -> str:
    form = random.choice(["%Y%m%d%H%M%S", "%Y%m%d%H%M%S%f", "%d%m%Y%H%M%S", "%y%m%d%H%M%S%f", "%Y%m%d-%H%M%S-%f"])
    at = moment(random)
    return pick(random, at.strftime(form), f"{at:%y%m%d%H%M%S}{random.randint(0, 9999):04}")


def log_line(random: Random) -> str:
    at = moment(random)
    return f"{at:%Y-%m-%d %H:%M:%S},{random.randint(0, 999):03} {some_digits(random, 6)} pid {random.randint(1, 99999)}"


def dates_in_a_row(random: Random) -> str:
    return " ".join(moment(random).strftime("%Y-%m-%d") for _ in range(4))


def years(random: Random) -> str:
    first = random.randint(1900, 2020)
    return " ".join(str(first + step) for step in range(random.randint(3, 9)))


# --- Computers


def digest(random: Random) -> str:
    raw = random.randbytes(20)
    return pick(random, hashlib.sha256(raw).hexdigest(), hashlib.sha1(raw).hexdigest(), hashlib.md5(raw).hexdigest())


def digest_of_digits(random: Random) -> str:
    return some_digits(random, random.choice([32, 40, 64, 20, 24]))


def commit(random: Random) -> str:
    name = random.randbytes(20).hex()
    return pick(random, name, f"commit {name[:12]}", f"git show {name[:16]}", f"{name[:7]}..{name[7:14]}")


def some_uuid(random: Random) -> str:
    digits = "".join(random.choices("0123456789", k=32))
    return pick(random, str(uuid.UUID(int=random.getrandbits(128))), str(uuid.UUID(digits)), random.randbytes(16).hex())


def snowflake(random: Random) -> str:
    """Generate an id of Twitter or Discord: 22 bits after the milliseconds since its launch, at least a month."""
    number = str((random.randrange(30 * 86_400_000, 15 * 365 * 86_400_000) << 22) + random.getrandbits(22))
    return pick(
        random,
        *(number, f"<@{number}>", f"<#{number}>", f"<:smile:{number}>", f"tweet {number}", f"in reply to {number}"),
        *(f"https://twitter.com/x/status/{number}", f'{{"id": "{number}"}}', f"id={number}", f"{number}\n{number}"),
    )


def snowflake_of_today(random: Random) -> str:
    return str(random.randint(10**17, 2 * 10**18))


def video_id(random: Random) -> str:
    number = str(random.randint(6_600_000_000_000_000_000, 7_600_000_000_000_000_000))
    return pick(random, f"https://www.tiktok.com/@someone/video/{number}", f"tiktok {number}", f"video {number}")


def facebook_id(random: Random) -> str:
    number = random.choice(["1000", "10150", "10157", "6155"]) + some_digits(random, random.choice([10, 11, 12]))
    return pick(
        random, number, f"https://www.facebook.com/{number}", f"facebook.com/profile.php?id={number}", f"fb {number}"
    )


def photo_file(random: Random) -> str:
    number = some_digits(random, random.randint(13, 17))
    return pick(
        random, f"{number}.jpg", f"IMG_{number}.jpg", f"{some_digits(random, 9)}_{number}_n.jpg", f"/photos/{number}"
    )


def telegram_chat(random: Random) -> str:
    number = f"-100{some_digits(random, 10)}"
    return pick(random, number, f"chat_id={number}", f"t.me/c/{number[4:]}/12")


def steam_id(random: Random) -> str:
    return f"7656119{some_digits(random, 10)}"


def database_id(random: Random) -> str:
    number = str(random.getrandbits(random.choice([44, 50, 53, 60, 63])))
    return pick(
        random, f"id {number}", f"user_id: {number}", f'"userId": {number}', f"trace {number}", f"seed={number}"
    )


def negative_number(random: Random) -> str:
    return f"{random.choice(['', 'x = ', 'hash(x) returned '])}-{some_digits(random, random.randint(13, 19))}"


def address(random: Random) -> str:
    ip = str(ipaddress.IPv4Address(random.getrandbits(32)))
    ip6 = str(ipaddress.IPv6Address(random.getrandbits(128)))
    return pick(random, ip, f"{ip}:{random.randint(1, 65535)} {ip}", ip6, f"http://{ip}/{some_digits(random, 16)}")


def path(random: Random) -> str:
    number = some_digits(random, random.randint(13, 19))
    return pick(
        random,
        *(f"https://shop.example/items/{number}", f"https://x.example/p?id={number}&a=1", f"/var/log/{number}/out"),
        *(f"C:\\data\\{number}", f"https://trello.example/card/{number}", f"s3://bucket/{number}.csv", f"{number}.csv"),
    )


def mail_address(random: Random) -> str:
    return f"{some_digits(random, random.randint(13, 18))}@{pick(random, 'g.us', 'example.org', 's.whatsapp.net')}"


def identifier(random: Random) -> str:
    digits = some_digits(random, random.randint(13, 18))
    return pick(
        random, f"x{digits}", f"item_{digits}", f"{digits}ab", f"urn:isbn:{digits}", f"A{digits}Z", f"0x{digits}"
    )


def amount(random: Random) -> str:
    value = random.randint(10**12, 10**18)
    return pick(
        random, f"{value:,}", f"{value:,}".replace(",", "."), f"{value:,}".replace(",", " "), f"${value}", f"{value} ms"
    )


def amount_with_cents(random: Random) -> str:
    value = random.randint(10**12, 10**16)
    return pick(
        random, f"{value},{random.randint(10, 99)} kr", f"{value}.{random.randint(10, 99)}", f"€{value}", f"{value}%"
    )


def large_number(random: Random) -> str:
    number = str(random.randint(10**19, 10**40))
    return pick(random, number, f"n = {number}", grouped(number, [5] * 8).strip())


def power(random: Random) -> str:
    base, exponent = random.randint(2, 19), random.randint(12, 60)
    factor = random.randint(10**6, 10**9)
    return pick(random, f"{base}^{exponent} = {base**exponent}", f"{factor} * {factor + 2} = {factor * (factor + 2)}")


# --- Lists


def small_numbers(random: Random) -> str:
    return " ".join(str(random.randint(1, 99)) for _ in range(random.randint(7, 12)))


def numbers_of_three(random: Random) -> str:
    return random.choice([" ", "\n"]).join(str(random.randint(100, 999)) for _ in range(random.randint(5, 9)))


def column(random: Random) -> str:
    size = random.choice([2, 3, 4, 5, 6, 8])
    return "\n".join(some_digits(random, size) for _ in range(random.randint(5, 9)))


def row_of_values(random: Random) -> str:
    return pick(random, ",", ";", "\t", ", ").join(some_digits(random, random.randint(2, 8)) for _ in range(8))


def matrix(random: Random) -> str:
    return "\n".join(" ".join(str(random.randint(0, 255)) for _ in range(5)) for _ in range(4))


def bits(random: Random) -> str:
    number = "".join(random.choices("01", k=random.choice([13, 16, 19])))
    return pick(random, number, grouped(number, [4, 4, 4, 4, 4]).strip())


def lottery(random: Random) -> str:
    numbers = sorted(random.sample(range(1, 50), 6))
    return pick(random, " ", "-", ", ").join(f"{number:02}" for number in [*numbers, random.randint(0, 9), 23, 42])


def phone_book(random: Random) -> str:
    return "\n".join(f"{some_digits(random, 4)} {some_digits(random, 7)}" for _ in range(3))


KINDS: dict[str, Make] = {
    maker.__name__: maker
    for maker in (
        *(decimal, decimal_with_comma, decimal_without_zero, vector, coordinates, constant, grouped_fraction),
        *(phone_with_plus, phone_with_zeros, phone_without_plus, phone_in_parentheses, two_phones),
        *(order, order_in_groups, tracking, usps, ups, sscc),
        *(isbn, ean, gtin14, imei, imeisv, iccid, serial, product_key, meter),
        *(iban, polish_account, account, siret, cnpj, south_african_id, korean_id, chinese_id),
        *(french_social_security, tax_number, timestamp, compact_time, log_line, dates_in_a_row, years),
        *(digest, digest_of_digits, commit, some_uuid, snowflake, snowflake_of_today, video_id, facebook_id),
        *(photo_file, telegram_chat, steam_id, database_id, negative_number, address, path, mail_address),
        *(identifier, amount, amount_with_cents, large_number, power),
        *(small_numbers, numbers_of_three, column, row_of_values, matrix, bits, lottery, phone_book),
    )
}


def examples(kind: str, count: int) -> Iterator[str]:
    """Yield `count` texts of one kind, equal in every run."""
    random = Random(f"other numbers: {kind}")
    return (KINDS[kind](random) for _ in range(count))
