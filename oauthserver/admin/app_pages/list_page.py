"""The list of connected apps, of personal tokens, or of external identities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import F, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from common.owner_pages import owner_page
from oauthserver.admin.app_pages.standing import Flag, can_do, flags_of
from oauthserver.models import Permission

MOST_SHOWN = 300


@dataclass(frozen=True, slots=True)
class AppRow:
    """An app for the list: what it can do, when it was used, and its exceptions."""

    name: str
    url: str
    can_do: str
    tags: Sequence[str]
    last_used_at: datetime | None
    flags: Sequence[Flag]


@dataclass(frozen=True, slots=True)
class ListWords:
    """The words of a list: its title, what it says when empty, and its buttons."""

    title: str
    empty: str
    empty_hint: str
    add: str = ""
    says_how_to_connect: bool = False


def list_page(
    request: HttpRequest, rows: QuerySet[Any], *, words: ListWords, state_of: Callable[[Any], str], can_add: bool
) -> HttpResponse:
    """Show `rows`, those used last first. `state_of` returns the state of a row in a word."""
    model: type[Model] = rows.model
    last_used_first = rows.order_by(F("last_used_at").desc(nulls_last=True), "-created_at")
    shown = list(last_used_first[: MOST_SHOWN + 1])
    context = {
        "rows": [_row(each, state_of(each)) for each in shown[:MOST_SHOWN]],
        "has_more": len(shown) > MOST_SHOWN,
        "words": words,
        "add_url": reverse(_url_name(model, "add")) if can_add else "",
        "mcp_url": f"{settings.PUBLIC_URL}/mcp",
    }
    return owner_page(request, "oauthserver/apps.html", context, title=words.title)


def _row(permission: Permission, state: str) -> AppRow:
    return AppRow(
        name=str(permission),
        url=reverse(_url_name(type(permission), "change"), args=[permission.pk]),
        can_do=can_do(permission),
        tags=permission.tags,
        last_used_at=permission.last_used_at,
        flags=flags_of(permission, state),
    )


def _url_name(model: type[Model], page: str) -> str:
    return f"admin:oauthserver_{model._meta.model_name}_{page}"
