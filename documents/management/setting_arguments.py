"""Arguments of commands with settings of sources in the form KEY=VALUE."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from getpass import getpass
from typing import get_args, get_origin

from django.core.management.base import CommandError
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from common.tag_lists import split_tags
from documents.connectors.registry import CONNECTORS


def add_settings_argument(parser: ArgumentParser) -> None:
    """Add the settings, any number of them."""
    parser.add_argument(
        "pairs",
        metavar="KEY=VALUE",
        nargs="*",
        help="settings of this kind; a list is given by repeating the key; a secret without =VALUE is asked for",
    )


def given_settings(kind: str, pairs: Iterable[str]) -> dict[str, object]:
    """Return the settings in KEY=VALUE form with the types of lists. Raises CommandError."""
    fields = CONNECTORS[kind].settings_model.model_fields if kind in CONNECTORS else {}
    settings: dict[str, object] = {}
    for pair in pairs:
        key, has_value, value = pair.partition("=")
        field = fields.get(key)
        if not has_value:
            settings[key] = _asked_for(key, field)
        elif field is not None and get_origin(field.annotation) is list:
            earlier = settings.setdefault(key, [])
            assert isinstance(earlier, list)
            earlier.append(value)
        elif key in settings:
            raise CommandError(f"{key}: can be given only once.")
        else:
            settings[key] = value
    return settings


def given_tags(tags: str) -> list[str]:
    """Return the tags that are separated by commas or semicolons."""
    return split_tags(tags)


def _asked_for(key: str, field: FieldInfo | None) -> str:
    """Return a secret that the owner types, so that it is in no list of processes or commands. Raises CommandError."""
    if field is None or SecretStr not in {field.annotation, *get_args(field.annotation)}:
        raise CommandError(f"{key}: has no value. Write {key}=VALUE.")
    return getpass(f"{key}: ")
