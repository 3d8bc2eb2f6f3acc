"""Pure functions that clean texts and tags and detect secrets."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext

from memories.errors import InvalidInput, SecretRejected
from memories.validation.secrets.detection import kind_of_secret

MAX_TAG_CHARS = 64
MAX_TAGS = 50

_BLANKS = re.compile(r"[^\S\n]+")
_BLANKS_AROUND_NEWLINE = re.compile(r" ?\n ?")
_EMPTY_LINES = re.compile(r"\n{3,}")
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Unicode counts as letters or symbols, but that show nothing: fillers of Hangul, and blank Braille."""
_HYPHENS = re.compile(r"-{2,}")


def check_storable(name: str, value: str) -> None:
    """Raise InvalidInput if `value` has NUL characters or lone surrogates, which text columns cannot store."""
    if "\x00" in value:
        raise InvalidInput(
            gettext("contains a NUL character (U+0000), which cannot be stored. Remove it."), argument=name
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(
            gettext("contains half of a surrogate pair at character %(start)s. Send well-formed Unicode.")
            % {"start": error.start},
            argument=name,
        ) from None


def check_visible(name: str, text: str) -> None:
    """Raise InvalidInput if `text` is empty, or has only characters that nobody sees, such as zero-width spaces."""
    if not text.strip():
        raise InvalidInput(gettext("must not be empty."), argument=name)
    if not any(_is_visible(character) for character in text):
        raise InvalidInput(gettext("has only invisible characters."), argument=name)


def _is_visible(character: str) -> bool:
    # Not assigned (Cn) may be a new emoji, and private (Co) the logo of a font. A mark alone belongs to no letter.
    category = unicodedata.category(character)
    return category[0] not in "ZM" and category not in {"Cc", "Cf"} and character not in _BLANK_LETTERS


def has_words(text: str) -> bool:
    """Return whether `text` has a letter, a digit or a symbol such as an emoji. "?" and "..." have none."""
    return any(
        (unicodedata.category(character)[0] in "LN" or unicodedata.category(character) in {"So", "Cn", "Co"})
        and character not in _BLANK_LETTERS
        for character in text
    )


def make_storable(text: str, most: int) -> str:
    """Return the first `most` characters of `text`, with what a text column cannot store removed or replaced by "?".

    For logs, which must not refuse anything.
    """
    return text[:most].replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def clean_text(text: str) -> str:
    """Return `text` trimmed, with runs of white space and of empty lines reduced to one. The wording is unchanged."""
    folded = _BLANKS_AROUND_NEWLINE.sub("\n", _BLANKS.sub(" ", text.replace("\r\n", "\n")))
    return _EMPTY_LINES.sub("\n\n", folded).strip()


def normalized_hash(text: str) -> bytes:
    """Return the SHA-256 of `text` with white space and case normalized: duplicates are texts with equal hashes."""
    normalized = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return hashlib.sha256(normalized.encode("utf-8")).digest()


def clean_tag(tag: str) -> str:
    """Return `tag` in lower case with only letters, digits and hyphens, or "" if fewer than two characters are left."""
    lowered = unicodedata.normalize("NFC", tag).lower()
    kept = "".join(_tag_character(character) for character in lowered)
    cleaned = _HYPHENS.sub("-", kept).strip("-")
    return cleaned if len(cleaned) > 1 else ""


def _tag_character(character: str) -> str:
    # Marks are parts of letters in many scripts: dropping them would change the word.
    if unicodedata.category(character)[0] in "LMN":
        return character
    return "-" if character.isspace() or character in "-_" else ""


def check_tag_count(tags: Sequence[str]) -> Sequence[str]:
    """Return `tags`. Raises InvalidInput if they are too many for one memory."""
    if len(tags) > MAX_TAGS:
        raise InvalidInput(
            gettext("%(number)s tags; at most %(max_tags)s are allowed.") % {"number": len(tags), "max_tags": MAX_TAGS},
            argument="tags",
        )
    return tags


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Return the cleaned tags without duplicates, in their original order. Raises InvalidInput or SecretRejected."""
    tags = list(tags)
    for tag in tags:
        check_storable("tags", tag)
        refuse_secrets("tags", clean_text(tag))
    cleaned = list(dict.fromkeys(tag for tag in map(clean_tag, tags) if tag))
    check_tag_count(cleaned)
    for tag in cleaned:
        if len(tag) > MAX_TAG_CHARS:
            raise InvalidInput(
                gettext("a tag has %(number)s characters; at most %(max_tag_chars)s are allowed.")
                % {"number": len(tag), "max_tag_chars": MAX_TAG_CHARS},
                argument="tags",
            )
    return cleaned


def refuse_secrets(name: str, text: str) -> None:
    """Raise SecretRejected if `text` contains a credential, a payment card or account number, or a national id.

    The error names the argument and the kind of secret, never the secret itself.
    """
    kind = kind_of_secret(text)
    if kind is not None:
        raise secret_rejected(name, kind)


def secret_rejected(name: str, kind: str, *, may_be_kept: bool = False, is_owner: bool = False) -> SecretRejected:
    """Return the error for an argument with a secret of a kind, which is named with an article.

    With `may_be_kept`, it says that the owner can choose to keep such secrets. With `is_owner`, the owner reads it.
    """
    if may_be_kept and is_owner:
        problem = gettext(
            "this seems to contain %(kind)s. Such secrets are not stored. Remove it, or choose under Settings, Secrets "
            "to keep them, hidden from apps."
        )
    elif may_be_kept:
        problem = gettext(
            "this seems to contain %(kind)s. Such secrets are not stored. Remove it and try again. The owner can "
            "have them kept, hidden from apps, under Settings, Secrets."
        )
    else:
        problem = gettext("this seems to contain %(kind)s. Secrets are never stored. Remove it and try again.")
    return SecretRejected(problem % {"kind": gettext(kind)}, argument=name)
