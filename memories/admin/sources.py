"""The names of the apps and sources that memories come from."""

from __future__ import annotations

from django.db.models import Case, F, TextField, Value, When
from django.db.models.functions import Coalesce
from django.utils.text import capfirst
from django.utils.translation import gettext

from memories.admin.history import client_name
from memories.models import MemoryQuerySet
from memories.queries.clients import BUILTIN_CLIENTS

_SPELLED = {
    name.casefold(): name
    for name in (
        *("ChatGPT", "Claude", "Claude Code", "Claude Desktop", "Codex", "Copilot", "Cursor", "Gemini", "Gemini CLI"),
        *("GitHub Copilot", "LibreChat", "LM Studio", "Open WebUI", "OpenAI", "VS Code", "basic-memory", "mem0"),
    )
} | {"vscode": "VS Code"}
"""Names of well-known apps, by their folded spelling. As a source, assistants and exports give any spelling."""


def with_source(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate `memories` with `source_name`: the name of the app that stored them, else their source, else null.

    A source is what an app says of itself, and may be another name than that of its connection, which the owner knows.
    """
    builtin = Case(
        *(When(client=client, then=Value(label)) for client, label in BUILTIN_CLIENTS.items()),
        default=None,
        output_field=TextField(),
    )
    by_client = memories.annotate(client=F("stored_by")).annotate(client_name=client_name())
    return by_client.annotate(source_name=Coalesce("client_name", "source_provider", builtin, output_field=TextField()))


def proper_name(name: str) -> str:
    """Return the usual spelling of the name of an app, ChatGPT for chatgpt, or the name as it is."""
    folded = name.casefold()
    return _SPELLED.get(folded) or _SPELLED.get(folded.replace("-", " ").replace("_", " ")) or name


def shown_name(name: str) -> str:
    """Return a source as pages name it: the names of the built-in clients are translated and begin with a capital."""
    return capfirst(gettext(name)) if name in BUILTIN_CLIENTS.values() else proper_name(name)
