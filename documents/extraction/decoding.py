"""Detection of the encoding of a text file."""

from __future__ import annotations

import codecs
import re
from importlib import import_module
from typing import IO, Final

SAMPLE_BYTES: Final = 64 * 1024
_READ_BYTES: Final = 1 << 20

# The mark of UTF-32 begins with that of UTF-16.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE: Final = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_CANDIDATES: Final = (
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp932", "gb18030", "big5", "euc_jp", "euc_kr"),
    *("iso8859_2", "cp1253", "cp1255", "cp1256"),
)
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")

# Letters and signs of Western and Central European texts. The three encodings differ in a few positions only, which a
# general detector cannot tell apart. cp1252 comes first: it wins if two are equally likely.
_PUNCTUATION: Final = "„“”‚‘’–—…«»€§°·\xa0"
_LATIN: Final = {
    "cp1252": frozenset("ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÖÕØÙÚÛÜŒßàáâãäåæçèéêëìíîïñòóôöõøùúûüœÿ¿¡ºª½£" + _PUNCTUATION),
    "cp1250": frozenset("ĄĆĘŁŃÓŚŹŻąćęłńóśźżÁČĎÉĚÍŇŘŠŤÚŮÝŽáčďéěíňřšťúůýžÄÖÜŐŰßäöüőűăâîșşţ" + _PUNCTUATION),
    "iso8859_2": frozenset("ĄĆĘŁŃÓŚŹŻąćęłńóśźżÁČĎÉĚÍŇŘŠŤÚŮÝŽáčďéěíňřšťúůýžÄÖÜŐŰßäöüőűăâîşţ§°\xa0"),
}
# Line ends, tabs, form feeds, the end-of-file mark of DOS, and the escape of coloured logs and ISO-2022.
_TEXT_CONTROLS: Final = frozenset("\t\n\r\x0b\x0c\x1a\x1b\x85")
_MAX_CONTROL_SHARE: Final = 0.01
_MIN_PLAUSIBLE_SHARE: Final = 0.9
_MIN_ZERO_SHARE: Final = 0.1
_MIN_ZERO_SHARE_OF_OTHER_SCRIPTS: Final = 0.005


def detect_encoding(stream: IO[bytes]) -> str | None:
    """Return the name of the encoding of a stream from its position on, for `codecs.lookup`; None if it is not text.

    UTF-8 is recognized by reading all of it. The others are recognized by a sample of 64 kB around the first byte that
    is not ASCII.
    """
    start = stream.tell()
    head = stream.read(SAMPLE_BYTES)
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding if _is_text(head.decode(encoding, "replace")) else None
    if _has_wide_characters(head) and (wide := _wide_encoding(head)):
        return wide
    stream.seek(start)
    invalid_at = _first_invalid_utf8(stream)
    if invalid_at is None:
        encoding = "iso2022_jp" if _ISO_2022_JP.search(head) else "utf-8"
        return encoding if _is_text(head.decode(encoding, "replace")) else None
    stream.seek(start + max(0, invalid_at - SAMPLE_BYTES // 8))
    return _legacy_encoding(stream.read(SAMPLE_BYTES))


def _has_wide_characters(sample: bytes) -> bool:
    """Return whether the zero bytes are halves of characters. A few in a text of another encoding are damage."""
    # Other scripts than Latin have zero bytes in their spaces and line ends only, but make no sense as UTF-8.
    is_utf8 = _is_text(sample.decode("utf-8", "replace"))
    return sample.count(0) > len(sample) * (_MIN_ZERO_SHARE if is_utf8 else _MIN_ZERO_SHARE_OF_OTHER_SCRIPTS)


def _wide_encoding(sample: bytes) -> str | None:
    sample = sample[: len(sample) // 4 * 4]
    for encoding in _WIDE:
        # The sample may end between two surrogates.
        text = sample.decode(encoding, "replace")[:-1]
        if text and _is_text(text) and _plausible_share(text) >= _MIN_PLAUSIBLE_SHARE:
            return encoding
    return None


def _plausible_share(text: str) -> float:
    """Return the share of characters from one script or ASCII: in the wrong byte order, they come from many blocks."""
    blocks: dict[int, int] = {}
    for character in text:
        block = ord(character) >> 8
        # Chinese characters fill many blocks.
        block = 0x4E if 0x4E <= block <= 0x9F else block
        blocks[block] = blocks.get(block, 0) + 1
    return sum(sorted(blocks.values(), reverse=True)[:4]) / len(text) if blocks.get(0) else 0.0


def _first_invalid_utf8(stream: IO[bytes]) -> int | None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0
    while chunk := stream.read(_READ_BYTES):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as error:
            return max(0, position - pending + error.start)
        position += len(chunk)
    # A file may end inside a character, because it was cut off.
    return None


def _legacy_encoding(sample: bytes) -> str | None:
    # Imported late: most files are UTF-8 and do not need it.
    charset_normalizer = import_module("charset_normalizer")
    found = charset_normalizer.from_bytes(sample, cp_isolation=list(_CANDIDATES), enable_fallback=False).best()
    encoding = found.encoding if found else "cp1252"
    if encoding in _LATIN:
        encoding = max(_LATIN, key=lambda name: _known_letters(sample, name))
    return encoding if _is_text(sample.decode(encoding, "replace")) else None


def _known_letters(sample: bytes, encoding: str) -> int:
    letters = _LATIN[encoding]
    return sum(1 if letter in letters else -1 for letter in sample.decode(encoding, "replace") if letter > "\x7f")


def _is_text(text: str) -> bool:
    """Return whether the text has hardly any controls and characters that could not be decoded."""
    strange = sum(
        1 for character in text if character == "\ufffd" or (character < " " and character not in _TEXT_CONTROLS)
    )
    return strange <= len(text) * _MAX_CONTROL_SHARE
