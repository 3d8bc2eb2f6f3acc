"""Taking back decisions that changed no memory: rejected lines of a plan, and dismissed findings."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from common.pages.owner_pages import say
from memories.admin.base import acting_owner, given_id, owner_id
from memories.admin.undo.now import BACK, safe_path
from memories.cleanup.plans import reopen_lines
from memories.cleanup.stored_findings import reopen_findings
from memories.errors import MemoriesError

_PLAN, _LINES, _FINDINGS = "plan", "lines", "findings"


def lines_address(plan_id: int, positions: Sequence[int], back: str) -> str:
    """Return the address to post to for asking again about rejected lines, which leads back to the page `back`."""
    return _address({_PLAN: plan_id, _LINES: _joined(positions), BACK: back})


def findings_address(finding_ids: Sequence[int], back: str) -> str:
    """Return the address to post to for showing dismissed findings again, as `lines_address` does."""
    return _address({_FINDINGS: _joined(finding_ids), BACK: back})


@require_POST
def reopen_now(request: HttpRequest) -> HttpResponse:
    """Ask again about the rejected lines, or show the dismissed findings again, that the query names."""
    actor = acting_owner(owner_id(request))
    try:
        if _FINDINGS in request.GET:
            reopened = reopen_findings(actor, _ids(request, _FINDINGS))
        else:
            reopened = reopen_lines(actor, given_id(request.GET.get(_PLAN, "")), _ids(request, _LINES))
    except MemoriesError as error:
        messages.error(request, str(error))
    else:
        if reopened:
            say(request, gettext("Undone. It awaits your decision again."))
        else:
            messages.info(request, gettext("Nothing was changed."))
    return redirect(safe_path(request, reverse("cleanup")))


def _address(query: dict[str, object]) -> str:
    return f"{reverse('reopen_now')}?{urlencode(query)}"


def _joined(ids: Sequence[int]) -> str:
    return ",".join(map(str, ids))


def _ids(request: HttpRequest, name: str) -> list[int]:
    """Return the ids in the query. Raises Http404 for values that no page can have sent."""
    given = request.GET.get(name, "").split(",")
    if len(given) > 1000:
        raise Http404
    return [given_id(value) for value in given]
