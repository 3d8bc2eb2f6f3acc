"""The owner's decisions about memories, one or many at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django import forms
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy, gettext_noop, ngettext

from common.pages.relative_times import number
from common.texts import ngettext_noop
from memories.access import Actor
from memories.drafts import checked_reason
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.models import Memory
from memories.writing.briefing_places import place_memory, remove_from_place
from memories.writing.lifecycle import confirm_memory, forget_memory, restore_memory, revive_memory
from memories.writing.locking import lock_all
from memories.writing.quarantine import accept_memories, inbox, reject_memories
from memories.writing.seen_values import SeenTexts, TextChanged, changed_since_seen


@dataclass(frozen=True, slots=True)
class DecisionDetails:
    """The reason of a decision and when its page was shown. With `seen_at` None, later changes do not matter.

    `seen_texts` are those that the page has shown: a memory with another text is refused.
    """

    reason: str | None = None
    seen_at: datetime | None = None
    seen_texts: SeenTexts = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """A kind of decision: its texts on the page and its effect. `name` is part of the URL.

    `question`, `done` and `explanation` are what the page asks, reports and explains: for one memory, and for several.

    `apply_to_many` is set for decisions on the inbox. It skips memories that are not in the inbox or were changed since
    the owner saw them, and returns how many it applied to.
    """

    name: str
    verb: str
    question: tuple[str, str]
    done: tuple[str, str]
    explanation: tuple[str, str]
    icon: str
    apply: Callable[[Actor, int, DecisionDetails], object]
    asks_why: bool = False
    apply_to_many: Callable[[Actor, Sequence[int], DecisionDetails], int] | None = None

    def explained(self, count: int) -> str:
        """Return the explanation for `count` memories."""
        return ngettext(*self.explanation, count)

    def asked(self, count: int) -> str:
        """Return the question whether to do this with `count` memories."""
        return ngettext(*self.question, count) % {"number": number(count)}

    def reported(self, count: int) -> str:
        """Return what was done with `count` memories."""
        return ngettext(*self.done, count) % {"number": number(count)}


def _confirm(actor: Actor, memory_id: int, _: DecisionDetails) -> None:
    """Record that a memory is still true. One that has expired becomes active again."""
    if not revive_memory(actor, memory_id, expires_at=None):
        confirm_memory(actor, memory_id)


FORGET = Decision(
    name="forget",
    verb=gettext_noop("Forget"),
    question=ngettext_noop("Forget this memory?", "Forget %(number)s memories?"),
    done=ngettext_noop("One memory forgotten.", "%(number)s memories forgotten."),
    explanation=ngettext_noop(
        "Assistants no longer recall it. It stays among your forgotten memories, and you can restore it.",
        "Assistants no longer recall them. They stay among your forgotten memories, and you can restore them.",
    ),
    icon="visibility_off",
    apply=lambda actor, memory_id, details: forget_memory(actor, memory_id, reason=details.reason),
    asks_why=True,
)
RESTORE = Decision(
    name="restore",
    verb=gettext_noop("Restore"),
    question=ngettext_noop("Restore this memory?", "Restore %(number)s memories?"),
    done=ngettext_noop("One memory restored.", "%(number)s memories restored."),
    explanation=ngettext_noop(
        "It will be active again, as it was before it was forgotten.",
        "They will be active again, as they were before they were forgotten.",
    ),
    icon="undo",
    apply=lambda actor, memory_id, _: restore_memory(actor, memory_id),
)
CONFIRM = Decision(
    name="confirm",
    verb=gettext_noop("Confirm"),
    question=ngettext_noop("Confirm this memory?", "Confirm %(number)s memories?"),
    done=ngettext_noop("One memory confirmed.", "%(number)s memories confirmed."),
    explanation=ngettext_noop(
        "This records that it is still true. If two memories contradict each other, assistants trust the one that was "
        "confirmed last.",
        "This records that they are still true. If two memories contradict each other, assistants trust the one "
        "that was confirmed last.",
    ),
    icon="check_circle",
    apply=_confirm,
)

PIN = Decision(
    name="pin",
    verb=gettext_noop("Pin"),
    question=ngettext_noop("Pin this memory?", "Pin %(number)s memories?"),
    done=ngettext_noop("One memory pinned.", "%(number)s memories pinned."),
    explanation=ngettext_noop(
        "It comes first in every briefing of an app that may see it, whatever its importance.",
        "They come first in every briefing of an app that may see them, whatever their importance.",
    ),
    icon="keep",
    apply=lambda actor, memory_id, _: place_memory(actor, memory_id, Memory.BriefingPlace.PINNED),
)
UNPIN = Decision(
    name="unpin",
    verb=gettext_noop("Unpin"),
    question=ngettext_noop("Unpin this memory?", "Unpin %(number)s memories?"),
    done=ngettext_noop("One memory unpinned.", "%(number)s memories unpinned."),
    explanation=ngettext_noop(
        "It is in a briefing again only if its importance, use and age justify that.",
        "They are in a briefing again only if their importance, use and age justify that.",
    ),
    icon="keep_off",
    apply=lambda actor, memory_id, _: remove_from_place(actor, memory_id, Memory.BriefingPlace.PINNED),
)
HIDE = Decision(
    name="hide",
    verb=gettext_noop("Hide"),
    question=ngettext_noop("Hide this memory?", "Hide %(number)s memories?"),
    done=ngettext_noop("One memory hidden from the briefing.", "%(number)s memories hidden from the briefing."),
    explanation=ngettext_noop(
        "It is no longer in any briefing. Assistants that search for it still find it.",
        "They are no longer in any briefing. Assistants that search for them still find them.",
    ),
    icon="visibility_lock",
    apply=lambda actor, memory_id, _: place_memory(actor, memory_id, Memory.BriefingPlace.HIDDEN),
)
UNHIDE = Decision(
    name="unhide",
    verb=gettext_noop("Unhide"),
    question=ngettext_noop("Unhide this memory?", "Unhide %(number)s memories?"),
    done=ngettext_noop(
        "One memory no longer hidden from the briefing.", "%(number)s memories no longer hidden from the briefing."
    ),
    explanation=ngettext_noop("It can be in a briefing again.", "They can be in a briefing again."),
    icon="visibility",
    apply=lambda actor, memory_id, _: remove_from_place(actor, memory_id, Memory.BriefingPlace.HIDDEN),
)


def _of_one(
    apply_to_many: Callable[[Actor, Sequence[int], DecisionDetails], int],
) -> Callable[[Actor, int, DecisionDetails], None]:
    def apply(actor: Actor, memory_id: int, details: DecisionDetails) -> None:
        if apply_to_many(actor, [memory_id], details):
            return
        if inbox(actor.view).filter(pk=memory_id).exists():
            raise InvalidInput(
                gettext("Memory %(memory_id)s was changed in the meantime. Review it again.") % {"memory_id": memory_id}
            )
        raise NotFound(gettext("Memory %(memory_id)s is no longer in your inbox.") % {"memory_id": memory_id})

    return apply


def _accept(actor: Actor, memory_ids: Sequence[int], details: DecisionDetails) -> int:
    return accept_memories(actor, memory_ids, details.seen_at)


def _reject(actor: Actor, memory_ids: Sequence[int], details: DecisionDetails) -> int:
    return reject_memories(actor, memory_ids, details.reason, details.seen_at)


ACCEPT = Decision(
    name="accept",
    verb=gettext_noop("Keep"),
    question=ngettext_noop("Keep this memory?", "Keep %(number)s memories?"),
    done=ngettext_noop("One memory kept.", "%(number)s memories kept."),
    explanation=ngettext_noop(
        "Your assistants can recall it from now on. It counts as confirmed by you now.",
        "Your assistants can recall them from now on. They count as confirmed by you now.",
    ),
    icon="check",
    apply=_of_one(_accept),
    apply_to_many=_accept,
)
REJECT = Decision(
    name="reject",
    verb=gettext_noop("Forget"),
    question=ngettext_noop("Forget this memory?", "Forget %(number)s memories?"),
    done=ngettext_noop("One memory forgotten.", "%(number)s memories forgotten."),
    explanation=ngettext_noop(
        "Assistants will not recall it. It stays among your forgotten memories, so that an app that sends it again is "
        "told that you did not keep it. To remove every trace of it, delete it permanently on its own page instead.",
        "Assistants will not recall them. They stay among your forgotten memories, so that an app that sends one of "
        "them again is told of your decision. To remove every trace of one, delete it permanently on its own page "
        "instead.",
    ),
    icon="close",
    apply=_of_one(_reject),
    asks_why=True,
    apply_to_many=_reject,
)
PLACES = (PIN, UNPIN, HIDE, UNHIDE)
DECISIONS = (CONFIRM, FORGET, RESTORE, ACCEPT, REJECT, *PLACES)


class ReasonForm(forms.Form):
    """A form for the optional reason of forgetting or rejecting."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=gettext_lazy("Optional. Assistants that try to store the same fact again see this reason."),
    )


def decide(
    actor: Actor, decision: Decision, memory_ids: Sequence[int], details: DecisionDetails
) -> list[MemoriesError]:
    """Apply `decision` to each memory in one transaction. Return the errors of those that it could not be applied to.

    Raises InvalidInput or SecretRejected for a reason that cannot be stored.
    """
    details = replace(details, reason=checked_reason(details.reason))
    errors: list[MemoriesError] = []
    with transaction.atomic():
        locked = lock_all(actor, list(details.seen_texts)) if details.seen_texts else []
        changed = {memory.pk: memory.text for memory in changed_since_seen(locked, details.seen_texts)}
        for memory_id in memory_ids:
            try:
                if memory_id in changed:
                    raise TextChanged(changed[memory_id])
                decision.apply(actor, memory_id, details)
            except MemoriesError as error:
                errors.append(error)
    return errors


def placing(memory: Memory) -> tuple[Decision, Decision]:
    """Return the decisions about the place in the briefing that an active memory may need."""
    return (
        UNPIN if memory.briefing_place == Memory.BriefingPlace.PINNED else PIN,
        UNHIDE if memory.briefing_place == Memory.BriefingPlace.HIDDEN else HIDE,
    )
