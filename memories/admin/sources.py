"""Sources of memories for the columns and filters of their list."""

from __future__ import annotations

from django.db.models import Case, Count, F, TextField, Value, When
from django.db.models.functions import Coalesce, Upper
from django.utils.text import capfirst
from django.utils.translation import gettext

from memories.access import View
from memories.admin.history import client_name
from memories.models import Memory, MemoryQuerySet
from memories.queries.clients import BUILTIN_CLIENTS
from memories.queries.sources import fold_counts

_SPELLED = {
    name.casefold(): name
    for name in (
        *("ChatGPT", "Claude", "Claude Code", "Claude Desktop", "Codex", "Copilot", "Cursor", "Gemini", "Gemini CLI"),
        *("GitHub Copilot", "LibreChat", "LM Studio", "Open WebUI", "OpenAI", "VS Code", "basic-memory", "mem0"),
    )
} | {"vscode": "VS Code"}
"""Names of well-known apps, by their folded spelling. As a source, assistants and exports give any spelling."""


def with_source(memories: MemoryQuerySet) -> MemoryQuerySet:
    """Annotate `memories` with `source_name`: their own source, else the name of their first client, else null."""
    builtin = Case(
        *(When(client=client, then=Value(label)) for client, label in BUILTIN_CLIENTS.items()),
        default=None,
        output_field=TextField(),
    )
    by_client = memories.annotate(client=F("stored_by")).annotate(client_name=client_name())
    return by_client.annotate(source_name=Coalesce("source_provider", builtin, "client_name", output_field=TextField()))


def proper_name(name: str) -> str:
    """Return the usual spelling of the name of an app, ChatGPT for chatgpt, or the name as it is."""
    folded = name.casefold()
    return _SPELLED.get(folded) or _SPELLED.get(folded.replace("-", " ").replace("_", " ")) or name


def shown_name(name: str) -> str:
    """Return a source as pages name it: the names of the built-in clients are translated and begin with a capital."""
    return capfirst(gettext(name)) if name in BUILTIN_CLIENTS.values() else proper_name(name)


def count_sources(view: View) -> list[tuple[str, int]]:
    """Return the sources of active memories with their counts, most used first. One query."""
    active = with_source(Memory.objects.visible_to(view).active())
    sources = active.filter(source_name__isnull=False)  # type: ignore[misc]  # annotated
    rows = sources.annotate(folded=Upper("source_name")).order_by().values_list("folded", "source_name")
    return fold_counts(rows.annotate(count=Count("pk")))
