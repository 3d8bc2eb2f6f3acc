"""Connections between the apps, so that none of them needs to import another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, partial

from django.core.exceptions import ValidationError
from django.db.models import OuterRef, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.http import HttpRequest
from django.utils import timezone

from agents import changes as agent_changes
from agents import files as agent_files
from agents.admin import pages as agent_pages
from agents.archive import AGENTS
from common.pages import translated as messages_of_pages
from customtools import files
from customtools.archived import CUSTOM_TOOLS
from customtools.definitions import declaration
from customtools.registry import definitions_of
from documents.archive.part import DOCUMENTS_PART
from documents.archive.sources import SOURCES_PART
from documents.review_count import count_awaiting_review, review_text, review_url
from documents.undo.journalled import Documents
from documents.writing import retagging
from mcpapi.admin import sessions
from mcpapi.admin.app_activity.lines import activity_of
from mcpapi.admin.call_words import title_of_tool
from mcpapi.approvals.approval_store import decisions_about
from mcpapi.calls.budgets import charge_owner
from mcpapi.catalog import catalog
from mcpapi.methods.tools import call_tool, find_tool
from mcpapi.prompts.archived import PROMPTS
from mcpapi.prompts.names import AGENT, WORKFLOW, other_with_name
from mcpapi.rest.tool_list import BUILTINS
from mcpapi.tools.workflows import tool_runner
from memories import tags
from memories.access import View
from memories.admin import history
from memories.admin.briefing import previewed_apps
from memories.admin.briefing.previewed_apps import PreviewedApp, with_labels
from memories.admin.review import review_links
from memories.admin.review.review_links import ReviewLink
from memories.embeddings.charging import owner_charge
from memories.errors import MemoriesError
from memories.queries import clients
from memories.queries.selectors import list_tags
from memories.transfer.archive.parts.cleanup_plans import CLEANUP_PLANS
from memories.transfer.archive.parts.hidden_values import HIDDEN_VALUES
from memories.transfer.archive.parts.history import HISTORY
from memories.transfer.archive.parts.judged_recalls import JUDGED_RECALLS
from memories.transfer.archive.parts.memories import MEMORIES
from memories.transfer.archive.parts.tag_synonyms import TAG_SYNONYMS
from memories.transfer.archive.registry import register_part
from memories.undo import documents as undoable
from memories.writing import tagged_documents
from oauthserver.admin.app_pages import app_page
from oauthserver.connections import provided_choices
from oauthserver.connections.usable_tokens import active_tokens, disconnected_clients
from oauthserver.login.owner import find_owner
from oauthserver.models import PERSONAL_CLIENT, Application, Connection, PersonalToken
from ownsona_site.languages.messages import shown_message
from workflows import changes as workflow_changes
from workflows.admin import drawing as workflow_drawing
from workflows.archive import WORKFLOWS

OFFERED_TAGS = 24

# Memories and documents first: other parts refer to them.
ARCHIVE_PARTS = (
    MEMORIES,
    DOCUMENTS_PART,
    HIDDEN_VALUES,
    HISTORY,
    TAG_SYNONYMS,
    JUDGED_RECALLS,
    CLEANUP_PLANS,
    SOURCES_PART,
    PROMPTS,
    AGENTS,
    WORKFLOWS,
    CUSTOM_TOOLS,
)


def connect_apps() -> None:
    """Provide each app with the functions that it needs from other apps."""
    provided_choices.offered_tags.provide(_offered_tags)
    provided_choices.canonical_tags.provide(_canonical_tags)
    provided_choices.tool_names.provide(_tool_names)
    declaration.reserved_names.provide(_reserved_names)
    files.file_owner.provide(_file_owner)
    history.client_name.provide(_client_name)
    sessions.disconnected_clients.provide(disconnected_clients)
    clients.names_of_apps.provide(_names_of_apps)
    previewed_apps.apps_of.provide(_previewed_apps)
    app_page.activity_of.provide(activity_of)
    review_links.review_links.provide(_review_links)
    owner_charge.provide(lambda owner_id: partial(charge_owner, owner_id))
    agent_files.owner_of_files.provide(_file_owner)
    messages_of_pages.translated.provide(shown_message)
    agent_pages.tool_names.provide(_tool_names)
    agent_pages.tool_title.provide(title_of_tool)
    tool_runner.find_tool.provide(find_tool)
    tool_runner.call_tool.provide(call_tool)
    workflow_drawing.decisions_about.provide(decisions_about)
    workflow_drawing.tool_title.provide(title_of_tool)
    workflow_changes.name_conflict.provide(lambda owner_id, name: other_with_name(owner_id, name, WORKFLOW))
    agent_changes.name_conflict.provide(lambda owner_id, name: other_with_name(owner_id, name, AGENT))
    undoable.documents.provide(Documents)
    tagged_documents.count_tagged.provide(retagging.count_tagged)
    tagged_documents.retag.provide(retagging.retag_documents)
    tagged_documents.tag_counts.provide(retagging.tag_counts)
    for part in ARCHIVE_PARTS:
        register_part(part)


def _offered_tags(user_id: int) -> list[str]:
    return [tag for tag, _ in list_tags(View.whole(user_id), limit=OFFERED_TAGS)]


def _canonical_tags(user_id: int, given: Sequence[str]) -> list[str]:
    try:
        return tags.canonical_tags(View.whole(user_id), given)
    except MemoriesError as error:
        raise ValidationError(str(error)) from None


def _tool_names(user_id: int) -> list[str]:
    return [*catalog().tools_by_name, *(definition.name for definition in definitions_of(user_id))]


@cache
def _reserved_names() -> frozenset[str]:
    # The last two are paths of the REST API.
    return frozenset({*catalog().tools_by_name, *BUILTINS, "list", "sources"})


def _file_owner() -> int | None:
    owner = find_owner()
    return None if owner is None else owner.pk


def _previewed_apps(user_id: int) -> list[PreviewedApp]:
    connections = Connection.objects.filter(user_id=user_id).exclude(scopes=[]).select_related("application")
    found = []
    for each in connections.annotate(token_count=active_tokens()):
        app, is_usable = each.application, bool(each.token_count) and each.paused_at is None
        found.append((PreviewedApp(app.client_id, app.name, tuple(each.tags), is_usable), each.created_at))
    for token in PersonalToken.objects.filter(user_id=user_id):
        is_usable = token.paused_at is None and (token.expires_at is None or token.expires_at > timezone.now())
        client = f"{PERSONAL_CLIENT}{token.pk}"
        found.append((PreviewedApp(client, token.name, tuple(token.tags), is_usable), token.created_at))
    return with_labels(found)


def _review_links(request: HttpRequest) -> list[ReviewLink]:
    count = count_awaiting_review(request)
    return [ReviewLink(review_text(count), review_url())] if count else []


def _client_name() -> Coalesce:
    app = Application.objects.filter(client_id=OuterRef("client")).values("name")[:1]
    as_client = Concat(Value(PERSONAL_CLIENT), Cast("pk", TextField()), output_field=TextField())
    token = PersonalToken.objects.annotate(as_client=as_client).filter(as_client=OuterRef("client")).values("name")[:1]
    return Coalesce(Subquery(app), Subquery(token))


def _names_of_apps(clients: Collection[str]) -> dict[str, str]:
    numbers = [client.removeprefix(PERSONAL_CLIENT) for client in clients if client.startswith(PERSONAL_CLIENT)]
    token_ids = [int(number) for number in numbers if number.isdecimal()]
    apps = Application.objects.filter(client_id__in=list(clients)).values_list("client_id", "name")
    tokens = PersonalToken.objects.filter(pk__in=token_ids).values_list("pk", "name") if token_ids else ()
    return dict(apps) | {f"{PERSONAL_CLIENT}{pk}": name for pk, name in tokens}
