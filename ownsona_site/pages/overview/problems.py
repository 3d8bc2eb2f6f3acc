"""Problems of the installation, each with the page that helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from common.pages.relative_times import exact_time, number, relative_time
from documents.models import Source
from documents.sources.selectors import health_problem
from memories.access import View
from memories.admin.models_page import current_move
from memories.vectors.index_queue import INDEX_PENDING
from memories.vectors.indexing import pending_memories
from memories.vectors.spaces import differently_configured_space, space_in_use_or_none
from oauthserver.admin.budgets import whose
from oauthserver.budgets.balances import is_used_up, nearly_used_budgets, resets_at
from ownsona_site.backup.kept.failures import last_failure
from ownsona_site.doctor.refused_apps import RefusedAttempts, refused_today
from ownsona_site.monitoring.health import components
from ownsona_site.monitoring.job_process import works_on
from ownsona_site.pages.backups.rows import in_words

LATE = timedelta(minutes=5)
"""Age from which a memory without vectors indicates a problem: the job process embeds such memories every minute."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A sentence about what is wrong or under way, with the page that helps, if there is one. `kind`: warn or bad."""

    text: str
    kind: str = "warn"
    url: str = ""
    link: str = ""


def problems_of(
    view: View, sources: Sequence[Source], documents: Mapping[str, int], *, runs_server: bool
) -> list[Problem]:
    """Return what is wrong now, the worst first. Users who do not run the server see only what concerns them.

    `documents` are the numbers of documents by source.
    """
    failing = (_of_source(source, documents.get(source.name, 0)) for source in sources if _is_failing(source))
    found = [*_of_components(view), *failing, *_of_budgets(view)]
    return [*found, *(_of_server() if runs_server else ())]


def _is_failing(source: Source) -> bool:
    return source.paused_at is None and bool(health_problem(source))


def _of_source(source: Source, documents: int) -> Problem:
    url = reverse("admin:documents_source_change", args=[source.pk])
    if source.finished_at:
        text = gettext("The last sync of “%(name)s” failed %(when)s.")
        text %= {"name": source.name, "when": relative_time(source.finished_at)}
    else:
        text = gettext("The source “%(name)s” cannot be synced.") % {"name": source.name}
    if documents:
        text = f"{text} {gettext('Its documents stay searchable.')}"
    return Problem(text, "bad", url, gettext("See why"))


def _of_components(view: View) -> Iterator[Problem]:
    # The health check looks only at files and settings, so it does not detect an embedding endpoint that is down.
    is_late = Q(updated_at__lt=timezone.now() - LATE)
    late = pending_memories().visible_to(view).not_deleted().filter(is_late).count()
    for component in components():
        if component.problem:
            yield Problem(gettext(component.problem), "bad")
        elif component.warning:
            yield Problem(gettext(component.warning))
        elif late and component.name == "embeddings":
            yield _late(late)


def _late(late: int) -> Problem:
    if works_on(INDEX_PENDING):
        text = ngettext(
            "%(number)s memory is being prepared for the search by meaning. Until then, searches find it by words "
            "only.",
            "%(number)s memories are being prepared for the search by meaning. Until then, searches find them by words "
            "only.",
            late,
        )
        return Problem(text % {"number": number(late)})
    text = ngettext(
        "%(number)s memory has waited for vectors for more than five minutes. Meanwhile, searches find them by words "
        "only. The model is not reachable, is slow or refuses them, or the job process is not running. See the log for "
        "the cause.",
        "%(number)s memories have waited for vectors for more than five minutes. Meanwhile, searches find them by "
        "words only. The model is not reachable, is slow or refuses them, or the job process is not running. See the "
        "log for the cause.",
        late,
    ) % {"number": number(late)}
    return Problem(text, "bad", f"{reverse('admin:memories_memory_changelist')}?q=is:pending", gettext("Show them"))


def _of_budgets(view: View) -> Iterator[Problem]:
    budgets = nearly_used_budgets(view.owner_id)
    used_up = [budget for budget in budgets if is_used_up(budget)]
    url, link = reverse("admin:oauthserver_budget_changelist"), gettext("All budgets")
    if len(used_up) == 1:
        text = gettext("%(who)s: the budget “%(budget)s” is used up. More calls are refused until it resets %(when)s.")
        text %= {"who": whose(used_up[0]), "budget": used_up[0], "when": relative_time(resets_at(used_up[0]))}
        yield Problem(text, "warn", url, link)
    elif used_up:
        title = gettext("%(number)s budgets are used up.") % {"number": number(len(used_up))}
        yield Problem(f"{title} {gettext('Calls beyond a budget are refused until it resets.')}", "warn", url, link)
    near = len(budgets) - len(used_up)
    if near:
        text = ngettext("%(number)s budget is nearly used up.", "%(number)s budgets are nearly used up.", near)
        yield Problem(text % {"number": number(near)}, "warn", url, link)


def _attempts(refused: RefusedAttempts) -> str:
    if refused.since is None:
        text = ngettext(
            "%(number)s attempt to connect an app or to log in failed in the last 24 hours.",
            "%(number)s attempts to connect an app or to log in failed in the last 24 hours.",
            refused.count,
        )
        return text % {"number": number(refused.count)}
    text = gettext("%(number)s attempts to connect an app or to log in have failed since %(when)s.")
    return text % {"number": number(refused.count), "when": exact_time(refused.since)}


def _of_backups() -> Iterator[Problem]:
    failure = last_failure()
    if failure is not None and failure.is_nightly:
        text = gettext("The nightly backup failed %(when)s: %(reason)s.")
        text %= {"when": relative_time(failure.finished_at), "reason": in_words(failure.problem)}
        yield Problem(text, "warn", reverse("backups"), gettext("See the backups"))


def _of_server() -> Iterator[Problem]:
    yield from _of_backups()
    refused = refused_today()
    if refused.count:
        yield Problem(
            _attempts(refused), "warn", reverse("admin:connection_check"), gettext("See the reasons and solutions")
        )
    if move := current_move():
        text = gettext("Memories are being embedded with another model: %(done)s of %(total)s are done.") % {
            "done": number(move.done),
            "total": number(move.total),
        }
        yield Problem(text, "warn", reverse("models"), gettext("See the progress"))
    elif other := differently_configured_space():
        in_use = space_in_use_or_none()
        yield Problem(
            gettext(
                "The settings name the embedding model %(other)s, but searches still use %(used)s. To switch, run "
                "manage.py reembed; otherwise restore EMBEDDING_*."
            )
            % {"other": other, "used": in_use.space if in_use else gettext("none")}
        )
