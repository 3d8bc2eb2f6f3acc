"""The check as a whole: every step in order, and what each needs to have gone well before."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.conf import settings

from oauthserver.connections.failure_log import connection_check_user_agent
from oauthserver.models import User
from oauthserver.tokens.resources import RESOURCE_PATHS, origins
from ownsona_site.doctor import discovery_checks, network_checks, oauth_flow, proxy_checks, server_checks
from ownsona_site.doctor.context import Visit
from ownsona_site.doctor.findings import Finding, Outcome, Stopped, failed, passed, skipped
from ownsona_site.doctor.http_client import Wire
from ownsona_site.doctor.oauth_flow import Rehearsal

logger = logging.getLogger(__name__)

RUN_SECONDS = 40.0
"""When it is over, the steps that are left are skipped, so that nobody waits longer than a minute."""

V = TypeVar("V", bound=Visit)
V_contra = TypeVar("V_contra", bound=Visit, contravariant=True)


@dataclass(frozen=True, slots=True)
class Step(Generic[V_contra]):
    """One thing to try. Without what it `needs` it would only repeat what those steps have said."""

    title: str
    run: Callable[[V_contra], Finding]
    needs: Sequence[Callable[..., Finding]] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the result. `was_tried` is false where something before it had failed, or the time was over."""

    title: str
    finding: Finding
    was_tried: bool = True


def nothing_stays_behind(visit: Visit) -> Finding:
    """The temporary app is deleted, and all that it was granted with it."""
    visit.leftovers.close()
    return passed("What the check made is deleted.")


REACHED = (network_checks.connection_opens,)
WELL = (network_checks.server_is_well,)
CHALLENGED = (discovery_checks.bare_call_is_challenged,)
DISCOVERED = (discovery_checks.server_document_is_right,)
REGISTERED = (discovery_checks.app_can_register,)

OUTSIDE: tuple[Step[Visit], ...] = (
    Step("The name is known", network_checks.name_resolves),
    Step("A connection opens", network_checks.connection_opens, (network_checks.name_resolves,)),
    Step("The certificate is trusted", network_checks.certificate_is_trusted, REACHED),
    Step("Clients elsewhere can reach it", network_checks.clients_can_reach_it, (network_checks.name_resolves,)),
    Step("http leads to https", network_checks.http_leads_to_https, REACHED),
    Step("The server is well", network_checks.server_is_well, REACHED),
    Step("It answers in time", network_checks.answers_in_time, WELL),
    Step("A call without a token leads to the login", discovery_checks.bare_call_is_challenged, WELL),
    Step("The clocks agree", network_checks.clocks_agree, CHALLENGED),
    Step("The Authorization header arrives", proxy_checks.token_arrives, CHALLENGED),
    Step("The host name is checked", proxy_checks.foreign_host_is_refused, CHALLENGED),
    Step("Large requests arrive", proxy_checks.large_request_passes, CHALLENGED),
    Step("The resource document names the address", discovery_checks.resource_document_is_right, CHALLENGED),
    Step(
        "The resource document is found by its path",
        discovery_checks.resource_document_is_found_by_path,
        (discovery_checks.resource_document_is_right,),
    ),
    Step("The login document is found", discovery_checks.server_document_is_right, CHALLENGED),
    Step("Calls and logins belong together", discovery_checks.issuer_is_the_address, DISCOVERED),
    Step("Its endpoints belong together", discovery_checks.endpoints_belong_together, DISCOVERED),
    Step("Its endpoints answer", discovery_checks.endpoints_answer, (discovery_checks.endpoints_belong_together,)),
    Step("PKCE with S256", discovery_checks.pkce_is_offered, DISCOVERED),
    Step("Permissions are listed", discovery_checks.scopes_are_listed, DISCOVERED),
    Step("The signing keys are published", discovery_checks.keys_are_published, DISCOVERED),
    Step("A new app can register", discovery_checks.app_can_register, (discovery_checks.endpoints_answer,)),
    Step("The login page opens", proxy_checks.login_page_opens, REGISTERED),
)

LET_IN = (oauth_flow.code_is_issued,)
IN_POSSESSION = (oauth_flow.code_is_exchanged,)
IN_SESSION = (oauth_flow.session_begins,)

INSIDE: tuple[Step[Rehearsal], ...] = (
    Step("The settings fit each other", server_checks.settings_agree),
    Step("The database is current", server_checks.database_is_current),
    Step("The owner can log in", server_checks.owner_can_log_in, (server_checks.database_is_current,)),
    Step("The background jobs are done", server_checks.jobs_are_done, (server_checks.database_is_current,)),
    *OUTSIDE,
    Step("The client's address arrives", server_checks.client_address_arrives, REGISTERED),
    Step(
        "An app that is allowed gets a code",
        oauth_flow.code_is_issued,
        (server_checks.owner_can_log_in, network_checks.certificate_is_trusted, discovery_checks.app_can_register),
    ),
    Step("Weak challenges are refused", oauth_flow.weak_challenge_is_refused, LET_IN),
    Step("The code buys a token", oauth_flow.code_is_exchanged, LET_IN),
    Step("The token is made for this server", oauth_flow.token_says_what_it_should, IN_POSSESSION),
    Step("The token opens a session", oauth_flow.session_begins, IN_POSSESSION),
    Step("The tools are listed", oauth_flow.tools_are_listed, IN_SESSION),
    Step("A tool answers", oauth_flow.tool_answers, IN_SESSION),
    Step("The token can be renewed", oauth_flow.token_is_renewed, IN_SESSION),
    Step("A revoked token is refused", oauth_flow.revoked_token_is_refused, (oauth_flow.token_is_renewed,)),
    Step("A spent token is refused", oauth_flow.spent_token_is_refused, (oauth_flow.token_is_renewed,)),
)
LAST: tuple[Step[Visit], ...] = (Step("Nothing stays behind", nothing_stays_behind),)


def is_own(url: str) -> bool:
    """Whether `url` is an address of this very server."""
    return any(url == origin + path for origin in origins() for path in RESOURCE_PATHS)


def check(url: str, person: User | None = None) -> list[Line]:
    """Try the server at `url`, the address that a client is given; a line for each step.

    Where it is this very server, an app is let in for a moment in the name of `person`.
    """
    with Wire(connection_check_user_agent(settings.VERSION), RUN_SECONDS) as wire:
        if not is_own(url):
            return _examine((*OUTSIDE, *LAST), Visit(url, wire))
        return _examine((*INSIDE, *LAST), Rehearsal(url, wire, person=person))


def own_url() -> str:
    """The address of this server that clients are given."""
    return f"{settings.PUBLIC_URL}/mcp"


def _examine(steps: Sequence[Step[V]], visit: V) -> list[Line]:
    try:
        return list(_lines(steps, visit))
    finally:
        # An interrupted run cleans up too; what that cannot do, the daily job does.
        with suppress(Stopped):
            visit.leftovers.close()


def _lines(steps: Sequence[Step[V]], visit: V) -> Iterator[Line]:
    titles = {step.run: step.title for step in steps}
    blocking: set[Callable[..., Finding]] = set()
    for step in steps:
        if missing := [titles[need] for need in step.needs if need in blocking]:
            line = Line(step.title, skipped(f"Not tried, because of “{missing[0]}”."), was_tried=False)
        elif visit.wire.seconds_left < 0 and step.run is not nothing_stays_behind:
            line = Line(step.title, skipped(f"Not tried: {RUN_SECONDS:.0f} seconds are over."), was_tried=False)
        else:
            line = Line(step.title, _finding(step, visit))
        if line.finding.outcome is Outcome.FAILED or not line.was_tried:
            blocking.add(step.run)
        yield line


def _finding(step: Step[V], visit: V) -> Finding:
    try:
        return step.run(visit)
    except Stopped as stop:
        return stop.finding
    except Exception:
        # A server's answers can be odd in ways that nobody has thought of.
        logger.exception("The step “%s” of the connection check failed unexpectedly", step.title)
        return failed("The answer was too odd to be understood.", "The log of the check says what it was.")
