"""Client metadata, sent in a registration or published in a client document."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, ValidationError, model_validator

from oauthserver.redirects import redirect_uri_problem

MAX_REDIRECT_URIS = 20
MAX_REDIRECT_URIS_LENGTH = 4000
"""Limit on the total length of all redirect URIs, in characters."""
MAX_NAME_LENGTH = 200
GRANT_TYPES = ("authorization_code", "refresh_token")
# Hangul fillers, which Unicode classifies as letters although they are invisible.
INVISIBLE_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
# RFC 9700 forbids these. Other unsupported grant types that clients list are ignored (RFC 7591, section 3.2.1).
FORBIDDEN_GRANT_TYPES = frozenset({"implicit", "password"})


def _allowed_redirect_uri(uri: str) -> str:
    if problem := redirect_uri_problem(uri):
        raise ValueError(f"{uri[:200]!r} {problem}")
    return uri


def _short_together(uris: list[str]) -> list[str]:
    if sum(map(len, uris)) > MAX_REDIRECT_URIS_LENGTH:
        raise ValueError(f"must have at most {MAX_REDIRECT_URIS_LENGTH} characters in total")
    return uris


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("must have only printable characters, on one line")
    return name


def _legible(name: str) -> str:
    """Return `name`, or an empty string if it has no visible letter or digit: the app then counts as unnamed."""
    return name if any(letter.isalnum() and letter not in INVISIBLE_LETTERS for letter in name) else ""


def _supported_grant_types(grant_types: list[str]) -> list[str]:
    if forbidden := FORBIDDEN_GRANT_TYPES.intersection(grant_types):
        raise ValueError(f"{', '.join(sorted(forbidden))} is not allowed: use {' and '.join(GRANT_TYPES)}")
    if "authorization_code" not in grant_types:
        raise ValueError("must include authorization_code")
    return grant_types


def _code_only(response_types: list[str]) -> list[str]:
    if response_types != ["code"]:
        raise ValueError('only ["code"] is supported')
    return response_types


AppName = Annotated[
    str,
    StringConstraints(max_length=MAX_NAME_LENGTH, strip_whitespace=True),
    AfterValidator(_printable),
    AfterValidator(_legible),
]


class ClientMetadata(BaseModel):
    """Metadata that an app provides about itself (RFC 7591, section 2). Other members are ignored and never fetched."""

    redirect_uris: Annotated[
        list[Annotated[str, AfterValidator(_allowed_redirect_uri)]],
        Field(min_length=1, max_length=MAX_REDIRECT_URIS),
        AfterValidator(_short_together),
    ]
    client_name: AppName = ""
    grant_types: Annotated[list[str], AfterValidator(_supported_grant_types)] = ["authorization_code"]
    response_types: Annotated[list[str], AfterValidator(_code_only)] = ["code"]

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, members: object) -> object:
        if not isinstance(members, dict):
            return members
        return {name: value for name, value in members.items() if value is not None}


class MetadataProblem(NamedTuple):
    """A problem in client metadata: the member that it is about, empty for all of them, and a sentence."""

    member: str
    sentence: str


def problem_in(error: ValidationError) -> MetadataProblem:
    """Describe the first problem in `error`. The sentence begins with the path of the invalid value."""
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    message = first["msg"].removeprefix("Value error, ")
    return MetadataProblem(path[0] if path else "", f"{'.'.join(path)}: {message}." if path else f"{message}.")
