"""Cleaning of texts and tags, and detection of secrets: pure functions."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

from memories.errors import InvalidInput, SecretRejected

MAX_TAG_CHARS = 64
MAX_TAGS = 50

_BLANKS = re.compile(r"[^\S\n]+")
_BLANKS_AROUND_NEWLINE = re.compile(r" ?\n ?")
_EMPTY_LINES = re.compile(r"\n{3,}")
_HYPHENS = re.compile(r"-{2,}")


def check_storable(name: str, value: str) -> None:
    """Refuse what no text column can hold: NUL characters and lone surrogates. Raises InvalidInput."""
    if "\x00" in value:
        raise InvalidInput(f"{name}: contains a NUL character (U+0000), which cannot be stored. Leave it out.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name}: contains half of a surrogate pair at character {error.start}. Send well-formed Unicode."
        ) from None


def storable(text: str, most: int) -> str:
    """The first `most` characters of `text`, without what no text column can hold: for records that refuse nothing."""
    return text[:most].replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def clean_text(text: str) -> str:
    """`text` trimmed, its runs of blanks folded to one and its empty lines to one; the wording is kept."""
    folded = _BLANKS_AROUND_NEWLINE.sub("\n", _BLANKS.sub(" ", text.replace("\r\n", "\n")))
    return _EMPTY_LINES.sub("\n\n", folded).strip()


def normalized_hash(text: str) -> bytes:
    """SHA-256 of `text` with blanks and case folded: equal for two texts exactly when they are duplicates."""
    normalized = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return hashlib.sha256(normalized.encode("utf-8")).digest()


def clean_tag(tag: str) -> str:
    """`tag` in lower case, of letters, digits and hyphens only; empty when one character or nothing is left."""
    lowered = unicodedata.normalize("NFC", tag).lower()
    kept = "".join(_tag_character(character) for character in lowered)
    cleaned = _HYPHENS.sub("-", kept).strip("-")
    return cleaned if len(cleaned) > 1 else ""


def _tag_character(character: str) -> str:
    # Marks belong to the letters of many scripts: dropping them would change the word.
    if unicodedata.category(character)[0] in "LMN":
        return character
    return "-" if character.isspace() or character in "-_" else ""


def check_tag_count(tags: Sequence[str]) -> Sequence[str]:
    """`tags`, if one memory may have so many. Raises InvalidInput."""
    if len(tags) > MAX_TAGS:
        raise InvalidInput(f"tags: {len(tags)} tags; at most {MAX_TAGS} are allowed.")
    return tags


def clean_tags(tags: Iterable[str]) -> list[str]:
    """The cleaned tags, each once, in their first order. Raises InvalidInput or SecretRejected."""
    tags = list(tags)
    for tag in tags:
        check_storable("tags", tag)
        refuse_secrets("tags", clean_text(tag))
    cleaned = list(dict.fromkeys(tag for tag in map(clean_tag, tags) if tag))
    check_tag_count(cleaned)
    for tag in cleaned:
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidInput(f"tags: a tag has {len(tag)} characters; at most {MAX_TAG_CHARS} are allowed.")
    return cleaned


_SECRETS: dict[str, re.Pattern[str]] = {
    "an API key": re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}"),
    "a GitHub token": re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w)"),
    "an AWS access key": re.compile(r"(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    "a Slack token": re.compile(r"(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,}"),
    "a Google API key": re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    "a JSON Web Token": re.compile(r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}"),
    "a personal access token": re.compile(r"(?<![A-Za-z0-9])ownsona_[A-Za-z0-9_-]{40,}"),
    "a private key": re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
}
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_DIGIT = re.compile(r"[0-9]")
_LEAST_CARD_DIGITS = 13
_TOKEN = re.compile(r"[^\W_]+")
_CARD_SEPARATORS = re.compile(r"[\s\-\u2010-\u2015\u2212]")


def refuse_secrets(name: str, text: str) -> None:
    """Raise SecretRejected when `text` holds something shaped like a credential or a payment card number.

    The error names the argument and the kind of secret, never the secret.
    """
    kind = next((kind for kind, shape in _SECRETS.items() if shape.search(text)), None)
    if kind is None and _holds_card_number(text):
        kind = "a payment card number"
    if kind is not None:
        raise SecretRejected(
            f"{name}: looks like it holds {kind}. Secrets are never stored; take it out and try again."
        )


def _holds_card_number(text: str) -> bool:
    """Whether 13 to 19 digits that pass Luhn's test stand in `text`, in groups with one separator between them."""
    if len(_DIGIT.findall(text)) < _LEAST_CARD_DIGITS:
        return False
    masked = _UUID.sub("~", text)
    groups: list[str] = []
    end = 0
    for token in _TOKEN.finditer(masked):
        if not (token.group().isascii() and token.group().isdigit()):
            groups = []
            continue
        is_next_group = token.start() == end + 1 and _CARD_SEPARATORS.match(masked, end)
        groups = [*(groups[-18:] if is_next_group else []), token.group()]
        end = token.end()
        if _ends_in_card_number(groups):
            return True
    return False


def _ends_in_card_number(groups: Sequence[str]) -> bool:
    digits = ""
    for group in reversed(groups):
        digits = group + digits
        if len(digits) > 19:
            return False
        if len(digits) >= _LEAST_CARD_DIGITS and _passes_luhn(digits):
            return True
    return False


def _passes_luhn(digits: str) -> bool:
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + position % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
