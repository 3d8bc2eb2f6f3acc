"""The recalls in which apps were given a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext

from memories.access import View
from memories.admin.history import client_label, client_name
from memories.models import PastRecall
from memories.recall_log.past_recalls import keeps_recalls

COUNTED = 100
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Use:
    """A recall that found the memory, and how many others it stands for.

    `question` is empty if its words were not stored. `app` is the last app that asked, `apps` are all, as text.
    """

    app: str
    apps: str
    question: str
    at: datetime
    url: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    """The last recalls that found the memory, and how many the recall log has, at most COUNTED.

    Of those whose words were not stored, the last one stands for all: they differ only in their times. `are_logged`:
    recalls are logged at all.
    """

    latest: Sequence[Use]
    count: int
    are_logged: bool


def usage_of(view: View, memory_id: int) -> Usage:
    """Return who was given a memory of the view. One query, over the recalls that the log keeps of one owner."""
    recalls = PastRecall.objects.filter(owner_id=view.owner_id, matches__contains=[{"id": memory_id}])
    named = recalls.annotate(client_name=client_name()).order_by("-at", "-id")
    rows = list(named.values_list("pk", "client", "client_name", "query", "at")[:COUNTED])
    uses = [
        Use(
            label := client_label(client, name),
            label,
            query,
            at,
            reverse("admin:memories_pastrecall_change", args=[pk]),
        )
        for pk, client, name, query, at in rows
    ]
    unknown = [use for use in uses if not use.question]
    asked = [use for use in uses if use.question]
    shown = [*asked, *(_standing_for(unknown) for _ in unknown[:1])]
    latest = sorted(shown, key=lambda use: use.at, reverse=True)
    return Usage(latest[:SHOWN], len(rows), keeps_recalls())


def _standing_for(uses: Sequence[Use]) -> Use:
    """Return the first use for all, with the apps in the order of their last questions."""
    apps = dict.fromkeys(use.app for use in uses)
    return replace(uses[0], apps=get_text_list(list(apps), gettext("and")), count=len(uses))
