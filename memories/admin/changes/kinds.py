"""Kinds of changes, and of what is changed, in the words of the pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, gettext_noop, ngettext

from common.pages.relative_times import number
from common.texts import ngettext_noop
from memories.admin.base import ADMIN_CLIENT
from memories.admin.history import shown_client, titled_client
from memories.models import JournalEntry, Memory
from memories.undo.reversal import State

Operation = JournalEntry.Operation

REPLACED = "replaced"
"""A memory was forgotten because another one replaces it. The journal records this as `forget`."""

PINNED, UNPINNED, HIDDEN, UNHIDDEN = "pinned", "unpinned", "hidden", "unhidden"
"""The place of a memory in the briefing was changed, and nothing else. The journal records this as `update`."""

PLACES = frozenset({PINNED, UNPINNED, HIDDEN, UNHIDDEN})
BRIEFING_PLACE = "briefing_place"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of change that the owner can filter by. `name` is its value in a query."""

    name: str
    title: str
    operations: tuple[Operation, ...]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("added", gettext_noop("Added"), (Operation.REMEMBER, Operation.REVIVE)),
        Kind("changed", gettext_noop("Changed"), (Operation.UPDATE, Operation.CONFIRM)),
        Kind("forgot", gettext_noop("Forgot"), (Operation.FORGET, Operation.REJECT, Operation.HARD_DELETE)),
        Kind("restored", gettext_noop("Restored"), (Operation.RESTORE,)),
        Kind("kept", gettext_noop("Kept"), (Operation.ACCEPT,)),
        Kind("undone", gettext_noop("Undone"), (Operation.UNDO, Operation.REDO)),
        Kind("shown", gettext_noop("Looked at"), (Operation.SHOW,)),
    )
}

SUBJECTS: Mapping[str, str] = {
    "memory": gettext_noop("Memories"),
    "document": gettext_noop("Documents"),
    "synonym": gettext_noop("Tag synonyms"),
}
"""Kinds of what is changed, with their titles: see `JournalEntry.subject`."""

SUBJECT_COLUMNS: Mapping[str, str] = {"memory": "memory_id", "document": "document_id", "synonym": "variant"}
"""Columns of the journal that are set for each of them."""

_COUNTED: Mapping[str, tuple[str, str]] = {
    "memory": ngettext_noop("%(number)s memory", "%(number)s memories"),
    "document": ngettext_noop("%(number)s document", "%(number)s documents"),
    "synonym": ngettext_noop("%(number)s tag synonym", "%(number)s tag synonyms"),
}

_VERBS: Mapping[str, tuple[str, str]] = {
    Operation.REMEMBER: (gettext_noop("added"), gettext_noop("added %(what)s")),
    Operation.REVIVE: (gettext_noop("activated"), gettext_noop("activated %(what)s")),
    Operation.UPDATE: (gettext_noop("changed"), gettext_noop("changed %(what)s")),
    Operation.CONFIRM: (gettext_noop("confirmed"), gettext_noop("confirmed %(what)s")),
    PINNED: (gettext_noop("pinned"), gettext_noop("pinned %(what)s")),
    UNPINNED: (gettext_noop("unpinned"), gettext_noop("unpinned %(what)s")),
    HIDDEN: (gettext_noop("hid from the briefing"), gettext_noop("hid %(what)s from the briefing")),
    UNHIDDEN: (gettext_noop("unhid"), gettext_noop("unhid %(what)s")),
    REPLACED: (gettext_noop("replaced"), gettext_noop("replaced %(what)s")),
    Operation.FORGET: (gettext_noop("forgot"), gettext_noop("forgot %(what)s")),
    Operation.RESTORE: (gettext_noop("restored"), gettext_noop("restored %(what)s")),
    Operation.ACCEPT: (gettext_noop("kept"), gettext_noop("kept %(what)s")),
    Operation.REJECT: (gettext_noop("forgot"), gettext_noop("forgot %(what)s")),
    Operation.UNDO: (gettext_noop("undid changes to"), gettext_noop("undid changes to %(what)s")),
    Operation.REDO: (gettext_noop("redid changes to"), gettext_noop("redid changes to %(what)s")),
    Operation.HARD_DELETE: (gettext_noop("permanently deleted"), gettext_noop("permanently deleted %(what)s")),
    Operation.SHOW: (gettext_noop("looked at"), gettext_noop("looked at hidden values of %(what)s")),
}
"""The kinds of changes: the verb alone, and with its object. They are in the order of a sentence about a change set."""


_LABELS: Mapping[str, str] = {
    Operation.REVIVE: gettext_noop("Activated again"),
    Operation.CONFIRM: gettext_noop("Confirmed"),
    Operation.HARD_DELETE: gettext_noop("Deleted permanently"),
    Operation.REDO: gettext_noop("Redone"),
    REPLACED: gettext_noop("Replaced"),
    PINNED: gettext_noop("Pinned"),
    UNPINNED: gettext_noop("Unpinned"),
    HIDDEN: gettext_noop("Hidden"),
    UNHIDDEN: gettext_noop("Unhidden"),
}
"""The operations that are a special case of their kind."""

_TIME = "\x00"
"""The place of a time in a sentence. Nothing that is stored contains it."""

_BY_PHRASE: Mapping[str, Sequence[str]] = {
    phrase: [operation for operation, (_, other) in _VERBS.items() if other == phrase] for _, phrase in _VERBS.values()
}
"""The operations by the verb with its object: for the owner, to reject an inference is to forget it."""


def what_was_done(entry: JournalEntry) -> str:
    """Return the operation of a change, `REPLACED`, or the change of the place in the briefing."""
    if entry.operation == Operation.FORGET and entry.after.get("replaced_by_id"):
        return REPLACED
    return new_place(entry.operation, entry.before, entry.after) or entry.operation


def new_place(operation: str, before: State, after: State) -> str:
    """Return PINNED, UNPINNED, HIDDEN or UNHIDDEN for a change of the place in the briefing only, otherwise ""."""
    if operation != Operation.UPDATE or after.keys() != {BRIEFING_PLACE}:
        return ""
    if after[BRIEFING_PLACE] is None:
        return UNPINNED if before.get(BRIEFING_PLACE) == Memory.BriefingPlace.PINNED else UNHIDDEN
    return PINNED if after[BRIEFING_PLACE] == Memory.BriefingPlace.PINNED else HIDDEN


def verb_of(operation: str) -> str:
    """Return the verb in the past tense, such as "forgot"."""
    return gettext(_VERBS[operation][0])


def kind_of(operation: str) -> Kind:
    """Return the kind that an operation belongs to."""
    return next(kind for kind in KINDS.values() if operation in kind.operations)


def label_of(operation: str) -> str:
    """Return the word in front of a changed memory: the title of the kind, unless the operation has one of its own."""
    return gettext(_LABELS.get(operation) or kind_of(operation).title)


def sentence_of(client: str, client_name: str, counts: Mapping[tuple[str, str], int]) -> str:
    """Return what a client did, such as "Claude added 6 memories and changed 2".

    `counts` are by the kind of what was changed and what was done. Its noun is said once, unless there are several.
    """
    names_all = len({subject for subject, _ in counts}) > 1
    phrases: list[str] = []
    for with_object, operations in _BY_PHRASE.items():
        totals = {subject: sum(counts.get((subject, each), 0) for each in operations) for subject in _COUNTED}
        found = [(subject, total) for subject, total in totals.items() if total]
        if found:
            is_named = names_all or not phrases
            what = joined(counted(*each) if is_named else number(each[1]) for each in found)
            phrases.append(gettext(with_object) % {"what": what})
    return somebody_did(client, client_name, joined(phrases))


def somebody_did(client: str, client_name: str, done: str) -> str:
    """Return a sentence: `done` is what the owner or an app did, in the past tense."""
    if client == ADMIN_CLIENT:
        return gettext("You %(did_something)s") % {"did_something": done}
    return gettext("%(name)s %(did_something)s") % {
        "name": titled_client(client, client_name),
        "did_something": done,
    }


def as_proposed(sentence: str, app: str) -> str:
    """Return the sentence with the app whose plan was applied, or as it is if `app` is empty."""
    return gettext("%(sentence)s, as %(app)s proposed") % {"sentence": sentence, "app": app} if app else sentence


def somebody_did_when(client: str, client_name: str, done: str) -> tuple[str, str]:
    """Return the sentence of `somebody_did` with a time, as what is before and after the time.

    Languages differ in its place: "You confirmed it an hour ago" is "Vor einer Stunde hast du sie bestätigt".
    """
    words = {"did_something": done, "when": _TIME}
    if client == ADMIN_CLIENT:
        sentence = gettext("You %(did_something)s %(when)s") % words
    else:
        name = shown_client(client, client_name)
        sentence = gettext("%(name)s %(did_something)s %(when)s") % {**words, "name": name}
        # The names of apps stay as they are, and other languages begin with the time.
        if sentence.startswith(name):
            sentence = sentence.replace(name, titled_client(client, client_name), 1)
    before, _, after = sentence.partition(_TIME)
    return before.strip(), after.strip()


def counted(subject: str, count: int) -> str:
    """Return a number of memories, documents or tag synonyms with its noun."""
    return ngettext(*_COUNTED[subject], count) % {"number": number(count)}


def joined(phrases: Iterable[str]) -> str:
    """Return the phrases as a list in words: "a, b and c"."""
    *first, last = phrases
    return gettext("%(list)s and %(last)s") % {"list": ", ".join(first), "last": last} if first else last
