"""Keys and tokens with a fixed beginning or shape."""

from __future__ import annotations

import re

from common.texts import gettext_noop

_SHAPES: dict[str, re.Pattern[str]] = {
    gettext_noop("an API key"): re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}"),
    gettext_noop("a GitHub token"): re.compile(r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w)"),
    gettext_noop("an AWS access key"): re.compile(r"(?<![A-Za-z0-9])A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])"),
    gettext_noop("a Slack token"): re.compile(r"(?<![A-Za-z0-9])xox[abprs]-[A-Za-z0-9-]{10,}"),
    gettext_noop("a Google API key"): re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
    gettext_noop("a JSON Web Token"): re.compile(
        r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}"
    ),
    gettext_noop("a personal access token"): re.compile(r"(?<![A-Za-z0-9])ownsona_[A-Za-z0-9_-]{40,}"),
    gettext_noop("a private key"): re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
}

_BEGINNINGS = (
    *("sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AKIA", "ASIA", "xox", "AIza", "eyJ", "ownsona_"),
    "-----BEGIN ",
)
"""Beginnings of the shapes. Looking for them takes a tenth of the time that the patterns take."""


def kind_of_token(text: str) -> str | None:
    """Return the kind of the first key or token in `text`, with an article, or None."""
    if not any(beginning in text for beginning in _BEGINNINGS):
        return None
    return next((kind for kind, shape in _SHAPES.items() if shape.search(text)), None)
