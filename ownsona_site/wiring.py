"""Connections between the apps, so that none of them needs to import another."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db.models import OuterRef, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat

from mcpapi.catalog import catalog
from memories import tags
from memories.access import View
from memories.admin import history
from memories.admin.briefing import previewed_apps
from memories.admin.briefing.previewed_apps import PreviewedApp
from memories.errors import MemoriesError
from memories.queries.selectors import list_tags
from oauthserver.connections import provided_choices
from oauthserver.models import Application, Connection, PersonalToken
from oauthserver.resource_server.principal import PERSONAL_CLIENT

OFFERED_TAGS = 24


def connect_apps() -> None:
    """Provide each app with the functions that it needs from other apps."""
    provided_choices.offered_tags.provide(_offered_tags)
    provided_choices.canonical_tags.provide(_canonical_tags)
    provided_choices.tool_names.provide(lambda: list(catalog().tools_by_name))
    history.client_name.provide(_client_name)
    previewed_apps.apps_of.provide(_previewed_apps)


def _offered_tags(user_id: int) -> list[str]:
    return [tag for tag, _ in list_tags(View.whole(user_id), limit=OFFERED_TAGS)]


def _canonical_tags(user_id: int, given: Sequence[str]) -> list[str]:
    try:
        return tags.canonical_tags(View.whole(user_id), given)
    except MemoriesError as error:
        raise ValidationError(str(error)) from None


def _previewed_apps(user_id: int) -> list[PreviewedApp]:
    connections = Connection.objects.filter(user_id=user_id).exclude(scopes=[]).select_related("application")
    tokens = PersonalToken.objects.filter(user_id=user_id)
    apps = [PreviewedApp(each.application.client_id, each.application.name, tuple(each.tags)) for each in connections]
    apps += [PreviewedApp(f"{PERSONAL_CLIENT}{each.pk}", each.name, tuple(each.tags)) for each in tokens]
    return sorted(apps, key=lambda app: (app.name.casefold(), app.client))


def _client_name() -> Coalesce:
    app = Application.objects.filter(client_id=OuterRef("client")).values("name")[:1]
    as_client = Concat(Value(PERSONAL_CLIENT), Cast("pk", TextField()), output_field=TextField())
    token = PersonalToken.objects.annotate(as_client=as_client).filter(as_client=OuterRef("client")).values("name")[:1]
    return Coalesce(Subquery(app), Subquery(token))
