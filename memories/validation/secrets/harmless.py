"""Words of letters, digits and signs that are not passwords: placeholders, addresses, files, versions, products."""

from __future__ import annotations

import re

from common.lazy_pattern import lazy_pattern

_TOP_LEVEL = "com|org|net|de|fr|es|it|at|ch|io|app|eu|uk|us|info"
_FILE_TYPES = "pdf|docx?|xlsx?|csv|txt|md|png|jpe?g|zip|py|js|ts|html?|php|json|ya?ml|kdbx|env|ini|conf|exe|apk"
_NUMBERED = r"""
    windows win office microsoft python java php excel word vlc libreoffice iphone ipad ios macos android galaxy pixel
    ubuntu debian wpa oauth openid sha sha- md aes-? rsa-? utf-? base ipv mp argon bcrypt fido u2f firefox chrome
    chromium safari edge opera acrobat adobe photoshop gimp notepad outlook teams zoom face touch http p h\. covid-?
    2fa 1password web
"""
"""Products and standards whose names have numbers."""

_IN_VARIABLES = (
    "password|passwd|secret|token|key|user|username|credentials?|name|value|field|hash|id|login|class|set|get|is"
)
"""Parts of the names of variables that are joined by underscores."""

_SHAPES = (
    # Placeholders: "********", "xxxx", "<password>", "$PASSWORD".
    r"(\W)\1*|x+|[<{\[(].*|(?-i:\$[A-Z_]+)|%\w+%|.*(?:\.\.\.|…)|\*+\w?",
    # Addresses and files.
    rf"\S+@\S+\.\w+|(?:https?|ftp|file)://.*|//.*|www\..*|(?:[\w-]+\.)+(?:{_TOP_LEVEL})(?:/.*)?",
    rf"[\w.-]+\.(?:{_FILE_TYPES})",
    # Amounts, dates, times and versions: "3.11", "12-stellig", "3-en-uno", "2FA".
    r"v?\d+(?:[.,:/-]\d+)*[a-zºª%€$£°]{0,3}|\d{1,3}-?[^\W\d_]+|\d{1,3}-[^\W\d_]+-[^\W\d_]+|[a-z]\d{1,2}",
    # Products, standards and kinds of keys.
    rf"(?:{'|'.join(_NUMBERED.split())})-?\d+\+?[a-z]{{0,4}}|ssh-\w+|[ex]d?25519",
    r"(?:last|keep|one|nord|robo|pro|master)(?:pass\w*|form)|keepass\w*|bitwarden\w*|github|gitlab|paypal|linkedin",
    r"youtube|google\w*|facebook|whatsapp|icloud|onedrive|dropbox",
    # Code: calls, attributes, names of variables, words of programming languages.
    r"(?-i:[A-Za-z_][\w.]*[(\[{].*)|(?-i:(?:self|cls|this|request|settings|os|config|env|process|user|data|forms?|models|vars|kwargs|args)\.[\w.]+)",
    rf"(?-i:\w*(?:{_IN_VARIABLES})_\w*|\w*_(?:{_IN_VARIABLES})\w*|__\w+)|(?-i:[A-Z]+(?:_[A-Z]+)+)",
    r"pass|return|none|null|nil|true|false|str|string|int|bytes|char\w*|self|undefined|optional|any|bool|text|\*+kwargs",
    # Compounds and alternatives: "admin/user".
    r"state-of-the-art|up-to-date|out-of-date|case-sensitive|first-come.*|.*-only",
    r"[^\W\d_]+[/&][^\W\d_]+(?:[/&][^\W\d_]+)*",
)
_HARMLESS = [lazy_pattern(shape, re.IGNORECASE) for shape in _SHAPES]


def is_harmless(token: str) -> bool:
    """Return whether `token` is a placeholder, an address, a file, a version, an amount or a product."""
    return any(shape.fullmatch(token) for shape in _HARMLESS)
