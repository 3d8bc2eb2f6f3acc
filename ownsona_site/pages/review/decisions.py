"""The effects of the buttons of the review."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.translation import gettext, gettext_noop, ngettext

from common.pages.owner_pages import say
from common.pages.relative_times import number, relative_time
from common.risks import Risk
from mcpapi.admin.approvals import EXPIRED, has_expired, is_outdated, second_step_address, what_comes_now
from mcpapi.approvals.approval_store import approve, pending_approvals, reject
from mcpapi.models import Approval
from memories.access import Actor
from memories.admin.base import acting_owner, given_id, owner_id
from memories.admin.cleanup.page import report_outcomes
from memories.admin.cleanup.reopening import findings_address, lines_address
from memories.admin.page_timestamps import seen_at
from memories.admin.seen_texts import id_of, seen_texts
from memories.admin.seen_values import seen_values
from memories.admin.undo.now import undo_address
from memories.cleanup import plans
from memories.cleanup.actions import Action, ProposedChange, carry_out
from memories.cleanup.stored_findings import dismiss_findings, settle_finding
from memories.models import CleanupFinding, JournalEntry, Memory
from memories.writing.locking import lock_all
from memories.writing.quarantine import accept_memories, reject_memories
from memories.writing.seen_values import SeenTexts, TextChanged, changed_since_seen
from memories.writing.updating import MemoryUpdate, update_memory

KEEP, FORGET, MERGE, EDIT, LATER = "keep", "forget", "merge", "edit", "later"
EDITED = ("text",)
"""The fields that EDIT changes."""

OLDER, DISMISS = "older", "dismiss"
"""Decisions about findings only."""

APPROVE, APPROVE_FINALLY = "approve", "approve_finally"
"""Decisions about approvals only. APPROVE is the first step, and the only one of a call whose effect can be undone."""

APPLY = "apply"
"""Decision about plans only."""

REJECT = "reject"
"""Decision about approvals and plans.

Approvals and plans have other decisions and keys than memories, so that a key that keeps one memory after the other
approves and applies nothing."""

SHOWN_CHARS = 60
QUOTED_CHARS = 45
_GONE = gettext_noop("It is no longer waiting, or it changed after you saw it.")


def decide(request: HttpRequest, key: str, decision: str) -> None:
    """Carry out `decision` about the card `key`, and say so. Raises MemoriesError, and Http404 for made-up values."""
    kind, value = key[:1], key[1:]
    if kind == "m":
        _decide_memory(request, given_id(value), decision)
    elif kind == "a":
        _decide_approval(request, value, decision)
    elif kind == "p":
        _decide_plan(request, given_id(value), decision)
    elif kind == "f":
        _decide_finding(request, given_id(value), decision)
    else:
        raise Http404


def _decide_memory(request: HttpRequest, memory_id: int, decision: str) -> None:
    actor, shown_at = acting_owner(owner_id(request)), seen_at(request.POST)
    text = _text_of(actor, memory_id)
    if decision == FORGET:
        done, said = (
            reject_memories(actor, [memory_id], None, shown_at),
            _about(gettext("Forgotten: %(text)s"), text=text),
        )
    elif decision == KEEP:
        done = accept_memories(actor, [memory_id], shown_at)
        said = _kept(actor, memory_id, text)
    elif decision == MERGE:
        given = request.POST.getlist("known")
        known = [id_of(value) for value in given]
        said = _replaced(actor, memory_id, known)
        done = _replace(actor, memory_id, known, shown_at, seen_texts(given))
    elif decision == EDIT:
        with transaction.atomic():
            seen = seen_values(request.POST, EDITED)
            update_memory(actor, memory_id, MemoryUpdate(text=request.POST.get("text", ""), seen=seen))
            done, said = accept_memories(actor, [memory_id]), gettext("Changed and kept.")
    else:
        raise Http404
    _tell(request, actor, done, said)


def _text_of(actor: Actor, memory_id: int) -> str:
    """Return the beginning of the text of a memory; an empty one if there is none."""
    seen = Memory.objects.visible_including_quarantined(actor.view).filter(pk=memory_id)
    return Truncator(seen.values_list("text", flat=True).first() or "").chars(SHOWN_CHARS)


def _about(sentence: str, **texts: str) -> str:
    """Return a sentence with what an app has written, which must not be taken for a message with a translation."""
    return format_html("{}", sentence % texts)


def _kept(actor: Actor, memory_id: int, text: str) -> str:
    """Report that a memory was kept, and the same texts from other apps that left the inbox with it. One query."""
    settled = JournalEntry.objects.filter(change_set=actor.change_set, operation=JournalEntry.Operation.ACCEPT)
    others = settled.exclude(memory_id=memory_id).count()
    if not others:
        return _about(gettext("Kept: %(text)s"), text=text)
    sentence = ngettext(
        "Kept: “%(text)s”. The same text from another app has left the inbox, too.",
        "Kept: “%(text)s”. The same text from %(number)s other apps has left the inbox, too.",
        others,
    )
    return _about(sentence, text=_quoted(text), number=number(others))


def _replaced(actor: Actor, kept_id: int, replaced_ids: Sequence[int]) -> str:
    """Say which memory replaces which other one, or how many others. Two queries."""
    kept, others = _text_of(actor, kept_id), [pk for pk in replaced_ids if pk != kept_id]
    if len(others) == 1:
        sentence = gettext("“%(kept)s” replaces “%(replaced)s”.")
        return _about(sentence, kept=_quoted(kept), replaced=_quoted(_text_of(actor, others[0])))
    return _about(gettext("“%(kept)s” replaces %(number)s others."), kept=_quoted(kept), number=number(len(others)))


def _quoted(text: str) -> str:
    """Return a text for a sentence that quotes it and goes on: without its full stop, and with at most QUOTED_CHARS."""
    return Truncator(text.removesuffix(".")).chars(QUOTED_CHARS)


def _replace(actor: Actor, memory_id: int, known: Sequence[int], shown_at: object, seen: SeenTexts) -> int:
    """Accept a memory and let it replace those that say nearly the same. Raises TextChanged unless they are as seen."""
    with transaction.atomic():
        for memory in changed_since_seen(lock_all(actor, known), seen):
            raise TextChanged(memory.text)
        done = accept_memories(actor, [memory_id], shown_at)  # type: ignore[arg-type]  # a datetime, from `seen_at`
        for known_id in known if done else ():
            carry_out(actor, ProposedChange(Action.FORGET, [known_id], replaced_by_id=memory_id))
    return done


def _tell(request: HttpRequest, actor: Actor, done: int, said: str) -> None:
    if done:
        say(request, said, undo_url=undo_address(actor.change_set, reverse("review")))
    else:
        messages.warning(request, gettext(_GONE))


def _decide_approval(request: HttpRequest, value: str, decision: str) -> None:
    try:
        approval = get_object_or_404(Approval, pk=UUID(value), owner_id=owner_id(request))
    except ValueError:
        raise Http404 from None
    if decision not in {APPROVE, APPROVE_FINALLY, REJECT}:
        raise Http404
    if decision == REJECT:
        is_decided, said = reject(approval, Approval.Place.PAGE), gettext("Rejected. Nothing is changed.")
    elif has_expired(approval):
        messages.error(request, str(EXPIRED))
        return
    elif is_outdated(request, approval):
        messages.error(request, gettext("What it affects changed after the app asked. The app must ask again."))
        return
    else:
        is_decided, said = approve(approval, Approval.Place.PAGE), what_comes_now(approval)
    if is_decided:
        say(request, said)
    else:
        messages.warning(request, gettext(_GONE))


def second_step(request: HttpRequest, key: str, decision: str) -> str:
    """Return the address of the page that asks again if the decision takes a second step, otherwise an empty text."""
    if decision != APPROVE:
        return ""
    approval = _pending(request, key)
    return second_step_address(approval) if approval and Risk(approval.risk).is_final else ""


def said_of_later(request: HttpRequest, key: str) -> str:
    """Return the message about a card that was put off. A call does not wait until tomorrow: it expires."""
    if approval := _pending(request, key):
        expires = relative_time(approval.expires_at)
        return gettext("Left for later. It expires %(expires)s.") % {"expires": expires}
    return gettext("Postponed until tomorrow.")


def _pending(request: HttpRequest, key: str) -> Approval | None:
    """Return the pending call of a card. One query for the key of a call."""
    if key[:1] != "a":
        return None
    return next((each for each in pending_approvals(owner_id(request)) if f"a{each.pk}" == key), None)


def _decide_finding(request: HttpRequest, finding_id: int, decision: str) -> None:
    """Keep one memory of a finding, forget all of them, or never show the finding again."""
    actor = acting_owner(owner_id(request))
    if decision == DISMISS:
        dismissed = dismiss_findings(actor, [finding_id])
        undo_url = findings_address(dismissed, reverse("review")) if dismissed else ""
        say(request, gettext("Nothing is changed, and this is not shown again."), undo_url=undo_url)
        return
    if decision not in {KEEP, OLDER, FORGET}:
        raise Http404
    kept_id = None if decision == FORGET else given_id(request.POST.get("older" if decision == OLDER else "newer", ""))
    finding = CleanupFinding.objects.filter(owner_id=actor.owner_id, pk=finding_id).first()
    said = _replaced(actor, kept_id, finding.memory_ids) if finding and kept_id else gettext("Forgotten.")
    settle_finding(actor, finding_id, kept_id, seen_at(request.POST))
    _tell(request, actor, 1, said)


def _decide_plan(request: HttpRequest, plan_id: int, decision: str) -> None:
    actor = acting_owner(owner_id(request))
    if decision == REJECT:
        rejected = plans.reject_lines(actor, plan_id)
        undo_url = lines_address(plan_id, rejected, reverse("review"))
        say(request, gettext("Rejected. Nothing is changed."), undo_url=undo_url)
        return
    if decision != APPLY:
        raise Http404
    report_outcomes(request, actor, plans.apply_plan(actor, plan_id), reverse("review"))
