"""Invented memories, connected apps and recalls for the screenshots. Needs the settings and database of a server."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone

from memories.access import Actor, View
from memories.admin.base import acting_owner
from memories.drafts import Draft
from memories.models import JournalEntry, Memory, PastRecall
from memories.recall.pipeline import Query
from memories.recall_log.judgements import Judgement
from memories.writing.deduplication import DedupPolicy
from memories.writing.lifecycle import confirm_memory
from memories.writing.remembering import RememberRequest, remember
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import Application, Connection, User
from tests.support.factories import make_access_token, make_app
from tests.support.recalls import ask, say

OWNER = ""
"""Name of the owner in place of an app's."""

PLAN = "Robin and Mira want to cycle from Passau to {}."
WEIGHT = "Mochi weighs eleven kilos since the last check-up at the vet."
OUTDATED_WEIGHT = "Mochi weighs nine kilos."


@dataclass(frozen=True, slots=True)
class DemoApp:
    """A connected app, with the days since it was connected and the hours since its last call."""

    name: str
    scopes: str
    tags: tuple[str, ...]
    reads: int
    writes: int
    connected_days_ago: int
    used_hours_ago: int


@dataclass(frozen=True, slots=True)
class DemoMemory:
    """A memory, the name of the app that stored it, and the days since it was created and last confirmed."""

    text: str
    tags: tuple[str, ...]
    importance: float
    source: str
    created_days_ago: int
    confirmed_days_ago: int


@dataclass(frozen=True, slots=True)
class DemoRecall:
    """A question that an app asked, and the owner's judgements of memories, by text."""

    app: str
    question: str
    minutes_ago: int
    useful: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


APPS = [
    DemoApp("Cursor", "memory:read", ("work",), 64, 0, 41, 20),
    DemoApp("ChatGPT", "memory:read memory:write", ("family", "pets", "travel"), 118, 17, 96, 5),
    DemoApp("Claude", "memory:read memory:write", (), 342, 58, 230, 1),
]

# The consent page offers all of these eight tags. More would not fit into its screenshot.
MEMORIES = [
    DemoMemory("Robin moved from Bergen to Utrecht in 2021.", ("home",), 0.7, "Claude", 229, 52),
    DemoMemory(OUTDATED_WEIGHT, ("pets", "health"), 0.5, "Claude", 214, 214),
    DemoMemory("Robin is allergic to walnuts; hazelnuts are fine.", ("health", "food"), 1.0, "Claude", 188, 31),
    DemoMemory("Robin prefers short answers with the conclusion first.", (), 0.9, "Claude", 143, 21),
    DemoMemory("Mira's birthday is on 14 March.", ("family",), 0.8, "ChatGPT", 95, 95),
    DemoMemory("Robin sings in a choir on Mondays.", ("music",), 0.5, "Claude", 70, 17),
    DemoMemory("Robin drinks tea in the morning, coffee only after lunch.", ("food",), 0.4, OWNER, 44, 44),
    DemoMemory("Robin writes Python at work and Rust at weekends.", ("work",), 0.6, "Claude", 38, 7),
    DemoMemory("Robin's team releases on Thursdays, never on Fridays.", ("work",), 0.7, "Claude", 36, 7),
    DemoMemory("The house plant in the hall is a monstera called Gerald.", ("home",), 0.2, "Claude", 29, 29),
    DemoMemory("Robin's employer pays for Dutch lessons on Tuesdays.", ("work",), 0.5, "Claude", 23, 3),
    DemoMemory(WEIGHT, ("pets", "health"), 0.6, "ChatGPT", 16, 16),
    DemoMemory("Mochi is afraid of thunder and hides under the desk.", ("pets",), 0.5, "ChatGPT", 12, 12),
    DemoMemory("Robin's daughter Mira plays the cello.", ("family", "music"), 0.8, "ChatGPT", 9, 2),
    DemoMemory("Robin's dog is called Mochi, a four-year-old Shiba.", ("pets",), 0.9, "Claude", 6, 1),
]

RECALLS = [
    DemoRecall("Claude", "Which nuts must Robin avoid?", 5_800),
    DemoRecall("Cursor", "When does the team release?", 1_210),
    DemoRecall("ChatGPT", "What does Mira play?", 310),
    DemoRecall("Claude", "How much does Mochi weigh?", 65, useful=(WEIGHT,), wrong=(OUTDATED_WEIGHT,)),
]


@dataclass(frozen=True, slots=True)
class Shown:
    """The ids of the memory, the recall and the connection that have a screenshot of their own."""

    memory_id: int
    recall_id: int
    connection_id: int


def fill() -> Shown:
    """Store everything for the owner, who is the only user."""
    owner = User.objects.get()
    apps = {app.name: connect(owner, app) for app in APPS}
    for memory in MEMORIES:
        store(owner, apps, memory)
    plan_id = store_changed_plan(owner, apps)
    recalls = [store_recall(owner, apps, recall) for recall in RECALLS]
    claude = Connection.objects.get(application=apps["Claude"])
    return Shown(plan_id, recalls[-1].pk, claude.pk)


def connect(owner: User, app: DemoApp) -> Application:
    """Register the app and give it a token."""
    application = make_app(app.name)
    make_access_token(owner, app.scopes, application, app.tags)
    since = days_ago(app.connected_days_ago)
    Application.objects.filter(pk=application.pk).update(created=since)
    Connection.objects.filter(application=application).update(
        created_at=since,
        reads=app.reads,
        writes=app.writes,
        last_used_at=timezone.now() - timedelta(hours=app.used_hours_ago),
    )
    return application


def store(owner: User, apps: dict[str, Application], memory: DemoMemory) -> int:
    """Store the memory and return its id."""
    created_at = days_ago(memory.created_days_ago)
    draft = Draft(
        memory.text,
        memory.tags,
        memory.importance,
        created_at=created_at,
        last_confirmed_at=days_ago(memory.confirmed_days_ago),
    )
    outcome = remember(actor_for(owner, apps, memory.source), RememberRequest(draft, DedupPolicy.INSERT))
    assert outcome.indexed, "the embedding model failed"
    backdate_change(outcome.memory_id, created_at)
    return outcome.memory_id


def store_changed_plan(owner: User, apps: dict[str, Application]) -> int:
    """Store a memory that several clients change, and return its id."""
    plan = DemoMemory(PLAN.format("Vienna"), ("travel", "family"), 0.6, "Claude", 4, 4)
    memory_id = store(owner, apps, plan)
    claude, chatgpt = (actor_for(owner, apps, name) for name in ("Claude", "ChatGPT"))
    update_memory(claude, memory_id, MemoryUpdate(text=PLAN.format("Budapest"), last_confirmed_at=days_ago(3)))
    backdate_change(memory_id, days_ago(3))
    update_memory(acting_owner(owner.pk), memory_id, MemoryUpdate(importance=0.8))
    backdate_change(memory_id, days_ago(2))
    confirm_memory(chatgpt, memory_id)
    return memory_id


def backdate_change(memory_id: int, moment: datetime) -> None:
    """Make the last change of the memory look as if it was made at `moment`."""
    last = JournalEntry.objects.filter(memory_id=memory_id).latest("pk")
    JournalEntry.objects.filter(pk=last.pk).update(at=moment)
    Memory.objects.filter(pk=memory_id).update(updated_at=moment)


def store_recall(owner: User, apps: dict[str, Application], asked: DemoRecall) -> PastRecall:
    """Ask the question, judge its matches, and return what the recall log holds of it."""
    view = View(owner.pk, tags_of(asked.app))
    past = ask(view, Query(asked.question, limit=3), client=apps[asked.app].client_id)
    for texts, judgement in ((asked.useful, Judgement.USEFUL), (asked.wrong, Judgement.WRONG)):
        for memory in Memory.objects.filter(text__in=texts):
            say(past, memory, judgement)
    PastRecall.objects.filter(pk=past.pk).update(at=F("at") - timedelta(minutes=asked.minutes_ago))
    return past


def actor_for(owner: User, apps: dict[str, Application], name: str) -> Actor:
    """Return the actor for changes by an app or by the owner."""
    return Actor(View(owner.pk, tags_of(name)), apps[name].client_id) if name else acting_owner(owner.pk)


def tags_of(name: str) -> tuple[str, ...]:
    """Return the tags that the app is limited to."""
    return next(app.tags for app in APPS if app.name == name)


def days_ago(days: int) -> datetime:
    """Return the time some days ago, at an hour that depends on their number."""
    return timezone.now() - timedelta(days=days, minutes=37 * days % 180)
