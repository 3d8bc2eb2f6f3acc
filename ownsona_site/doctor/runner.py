"""The run of the check: all steps in order, with the steps that each depends on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.conf import settings
from django.utils.translation import gettext, gettext_noop

from oauthserver.connections.failure_log import connection_check_user_agent
from oauthserver.models import User
from oauthserver.tokens.resources import RESOURCE_PATHS, origins
from ownsona_site.doctor import discovery_checks, network_checks, oauth_flow, proxy_checks, server_checks
from ownsona_site.doctor.context import CheckContext
from ownsona_site.doctor.findings import CheckOutcome, CheckStopped, Finding, failed, passed, skipped
from ownsona_site.doctor.http_client import HttpClient
from ownsona_site.doctor.oauth_flow import OwnServerContext
from ownsona_site.startup.database_errors import explained

logger = logging.getLogger(__name__)

RUN_SECONDS = 40.0
"""The time limit of a run. Later steps are skipped, so that nobody waits longer than a minute."""

V = TypeVar("V", bound=CheckContext)
V_contra = TypeVar("V_contra", bound=CheckContext, contravariant=True)


@dataclass(frozen=True, slots=True)
class CheckStep(Generic[V_contra]):
    """One step of the check. It is skipped if a step that it `needs` failed, since it would repeat that finding.

    `title` is what it finds if all is well, `problem` what it finds otherwise.
    """

    title: str
    problem: str
    run: Callable[[V_contra], Finding]
    needs: Sequence[Callable[..., Finding]] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one step. `was_tried` is false if a needed step failed or the time was over.

    `problem` is the title of a step that has found one.
    """

    title: str
    finding: Finding
    was_tried: bool = True
    problem: str = ""

    @property
    def heading(self) -> str:
        """The title that states the result, in the language of the page."""
        if self.finding.outcome is CheckOutcome.SKIPPED:
            return gettext("Not checked: “%(title)s”") % {"title": gettext(self.title)}
        return gettext(self.title if self.finding.outcome is CheckOutcome.PASSED else self.problem or self.title)


def cleanup_succeeds(context: CheckContext) -> Finding:
    """Check that the temporary app can be deleted with everything that it was granted."""
    context.cleanup.close()
    return passed(gettext("Everything that the check created was deleted."))


NEEDS_CONNECTION = (network_checks.connection_opens,)
NEEDS_HEALTH = (network_checks.server_is_healthy,)
NEEDS_CHALLENGE = (discovery_checks.unauthenticated_call_is_challenged,)
NEEDS_DISCOVERY = (discovery_checks.server_metadata_is_correct,)
NEEDS_REGISTRATION = (discovery_checks.app_can_register,)

REMOTE_STEPS: tuple[CheckStep[CheckContext], ...] = (
    CheckStep(
        gettext_noop("The host name resolves"),
        gettext_noop("The host name does not resolve"),
        network_checks.name_resolves,
    ),
    CheckStep(
        gettext_noop("A connection opens"),
        gettext_noop("No connection opens"),
        network_checks.connection_opens,
        (network_checks.name_resolves,),
    ),
    CheckStep(
        gettext_noop("The certificate is trusted"),
        gettext_noop("The certificate is not trusted, or expires soon"),
        network_checks.certificate_is_trusted,
        NEEDS_CONNECTION,
    ),
    CheckStep(
        gettext_noop("Remote apps can reach it"),
        gettext_noop("Apps on the internet cannot reach it"),
        network_checks.clients_can_reach_it,
        (network_checks.name_resolves,),
    ),
    CheckStep(
        gettext_noop("http redirects to https"),
        gettext_noop("http does not redirect to https"),
        network_checks.http_redirects_to_https,
        NEEDS_CONNECTION,
    ),
    CheckStep(
        gettext_noop("The server is healthy"),
        gettext_noop("The server is not healthy"),
        network_checks.server_is_healthy,
        NEEDS_CONNECTION,
    ),
    CheckStep(
        gettext_noop("It responds in time"),
        gettext_noop("It responds slowly"),
        network_checks.answers_in_time,
        NEEDS_HEALTH,
    ),
    CheckStep(
        gettext_noop("A call without a token is directed to the login"),
        gettext_noop("A call without a token is not directed to the login"),
        discovery_checks.unauthenticated_call_is_challenged,
        NEEDS_HEALTH,
    ),
    CheckStep(
        gettext_noop("The clocks agree"),
        gettext_noop("The clocks differ"),
        network_checks.clocks_agree,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("The Authorization header arrives"),
        gettext_noop("The Authorization header does not arrive"),
        proxy_checks.authorization_header_arrives,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("The host name is checked"),
        gettext_noop("The host name is not checked"),
        proxy_checks.foreign_host_is_refused,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("Large requests arrive"),
        gettext_noop("Large requests do not arrive"),
        proxy_checks.large_request_passes,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("The resource metadata names the address"),
        gettext_noop("The resource metadata does not name the address"),
        discovery_checks.resource_metadata_is_correct,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("The resource metadata is found by its path"),
        gettext_noop("The resource metadata is not found by its path"),
        discovery_checks.resource_metadata_is_found_by_path,
        (discovery_checks.resource_metadata_is_correct,),
    ),
    CheckStep(
        gettext_noop("The authorization server metadata is found"),
        gettext_noop("The authorization server metadata is not found"),
        discovery_checks.server_metadata_is_correct,
        NEEDS_CHALLENGE,
    ),
    CheckStep(
        gettext_noop("Calls and logins use the same server"),
        gettext_noop("Calls and logins use different servers"),
        discovery_checks.issuer_matches_address,
        NEEDS_DISCOVERY,
    ),
    CheckStep(
        gettext_noop("All endpoints belong to the issuer"),
        gettext_noop("Not all endpoints belong to the issuer"),
        discovery_checks.endpoints_match_issuer,
        NEEDS_DISCOVERY,
    ),
    CheckStep(
        gettext_noop("The endpoints respond"),
        gettext_noop("The endpoints do not respond as they should"),
        discovery_checks.endpoints_answer,
        (discovery_checks.endpoints_match_issuer,),
    ),
    CheckStep(
        gettext_noop("PKCE with S256"),
        gettext_noop("PKCE is not limited to S256"),
        discovery_checks.pkce_is_offered,
        NEEDS_DISCOVERY,
    ),
    CheckStep(
        gettext_noop("Permissions are listed"),
        gettext_noop("Permissions are not listed"),
        discovery_checks.scopes_are_listed,
        NEEDS_DISCOVERY,
    ),
    CheckStep(
        gettext_noop("The signing keys are published"),
        gettext_noop("The signing keys are not published"),
        discovery_checks.keys_are_published,
        NEEDS_DISCOVERY,
    ),
    CheckStep(
        gettext_noop("A new app can register"),
        gettext_noop("A new app cannot register"),
        discovery_checks.app_can_register,
        (discovery_checks.endpoints_answer,),
    ),
    CheckStep(
        gettext_noop("The login page opens"),
        gettext_noop("The login page does not open as it should"),
        proxy_checks.login_page_opens,
        NEEDS_REGISTRATION,
    ),
)

NEEDS_CODE = (oauth_flow.code_is_issued,)
NEEDS_TOKEN = (oauth_flow.code_is_exchanged,)
NEEDS_SESSION = (oauth_flow.session_begins,)

OWN_SERVER_STEPS: tuple[CheckStep[OwnServerContext], ...] = (
    CheckStep(
        gettext_noop("The settings are consistent"),
        gettext_noop("The settings are not consistent"),
        server_checks.settings_are_consistent,
    ),
    CheckStep(
        gettext_noop("The database schema is current"),
        gettext_noop("The database schema is not current"),
        server_checks.database_is_current,
    ),
    CheckStep(
        gettext_noop("The owner can log in"),
        gettext_noop("The owner cannot log in"),
        server_checks.owner_can_log_in,
        (server_checks.database_is_current,),
    ),
    CheckStep(
        gettext_noop("Background jobs are running"),
        gettext_noop("Background jobs are not running"),
        server_checks.job_process_is_running,
        (server_checks.database_is_current,),
    ),
    *REMOTE_STEPS,
    CheckStep(
        gettext_noop("The app's address arrives"),
        gettext_noop("The app's address does not arrive"),
        server_checks.client_address_arrives,
        NEEDS_REGISTRATION,
    ),
    CheckStep(
        gettext_noop("An authorized app gets a code"),
        gettext_noop("An authorized app gets no code"),
        oauth_flow.code_is_issued,
        (server_checks.owner_can_log_in, network_checks.certificate_is_trusted, discovery_checks.app_can_register),
    ),
    CheckStep(
        gettext_noop("Weak challenges are refused"),
        gettext_noop("Weak challenges are accepted"),
        oauth_flow.weak_challenge_is_refused,
        NEEDS_CODE,
    ),
    CheckStep(
        gettext_noop("The code is exchanged for a token"),
        gettext_noop("The code is not exchanged for a token"),
        oauth_flow.code_is_exchanged,
        NEEDS_CODE,
    ),
    CheckStep(
        gettext_noop("The token is for this server"),
        gettext_noop("The token is not for this server"),
        oauth_flow.token_claims_are_correct,
        NEEDS_TOKEN,
    ),
    CheckStep(
        gettext_noop("The token opens a session"),
        gettext_noop("The token opens no session"),
        oauth_flow.session_begins,
        NEEDS_TOKEN,
    ),
    CheckStep(
        gettext_noop("The tools are listed"),
        gettext_noop("The tools are not listed"),
        oauth_flow.tools_are_listed,
        NEEDS_SESSION,
    ),
    CheckStep(
        gettext_noop("A tool responds"), gettext_noop("No tool responds"), oauth_flow.tool_answers, NEEDS_SESSION
    ),
    CheckStep(
        gettext_noop("The token can be renewed"),
        gettext_noop("The token cannot be renewed"),
        oauth_flow.token_is_renewed,
        NEEDS_SESSION,
    ),
    CheckStep(
        gettext_noop("A revoked token is refused"),
        gettext_noop("A revoked token is accepted"),
        oauth_flow.revoked_token_is_refused,
        (oauth_flow.token_is_renewed,),
    ),
    CheckStep(
        gettext_noop("A used refresh token is refused"),
        gettext_noop("A used refresh token is accepted"),
        oauth_flow.spent_token_is_refused,
        (oauth_flow.token_is_renewed,),
    ),
)
CLEANUP_STEPS: tuple[CheckStep[CheckContext], ...] = (
    CheckStep(gettext_noop("Everything is cleaned up"), gettext_noop("Not everything is cleaned up"), cleanup_succeeds),
)


def is_own(url: str) -> bool:
    """Return whether `url` is an address of this server itself."""
    return any(url == origin + path for origin in origins() for path in RESOURCE_PATHS)


def check(url: str, person: User | None = None) -> list[CheckResult]:
    """Check the server at `url`, the address that clients are given. Return a result for each step.

    If it is this server itself, a temporary app is connected for a moment on behalf of `person`.
    """
    with HttpClient(connection_check_user_agent(settings.VERSION), RUN_SECONDS) as http:
        if not is_own(url):
            return _examine((*REMOTE_STEPS, *CLEANUP_STEPS), CheckContext(url, http))
        return _examine((*OWN_SERVER_STEPS, *CLEANUP_STEPS), OwnServerContext(url, http, person=person))


def own_url() -> str:
    """Return the address of this server that clients are given."""
    return f"{settings.PUBLIC_URL}/mcp"


def _examine(steps: Sequence[CheckStep[V]], context: V) -> list[CheckResult]:
    try:
        return list(_lines(steps, context))
    finally:
        # An interrupted run must clean up, too. The daily job deletes what cannot be deleted here.
        with suppress(CheckStopped):
            context.cleanup.close()


def _lines(steps: Sequence[CheckStep[V]], context: V) -> Iterator[CheckResult]:
    titles = {step.run: step.title for step in steps}
    blocking: set[Callable[..., Finding]] = set()
    for step in steps:
        if missing := [titles[need] for need in step.needs if need in blocking]:
            line = CheckResult(
                step.title, skipped(gettext("Skipped, because of “%(name)s”.") % {"name": missing[0]}), was_tried=False
            )
        elif context.http.seconds_left < 0 and step.run is not cleanup_succeeds:
            line = CheckResult(
                step.title,
                skipped(
                    gettext("Skipped: the time limit of %(run_seconds)s seconds is exceeded.")
                    % {"run_seconds": f"{RUN_SECONDS:.0f}"}
                ),
                was_tried=False,
            )
        else:
            line = CheckResult(step.title, _finding(step, context), problem=step.problem)
        if line.finding.outcome is CheckOutcome.FAILED or not line.was_tried:
            blocking.add(step.run)
        yield line


def _finding(step: CheckStep[V], context: V) -> Finding:
    try:
        return step.run(context)
    except CheckStopped as stop:
        return stop.finding
    except Exception as error:
        if problem := explained(error):
            return failed(problem, gettext("Fix the database, then check again."))
        # A foreign server may answer in ways that no step anticipates.
        logger.exception("The step “%s” of the connection check failed unexpectedly", step.title)
        return failed(gettext("The response was invalid."), gettext("See the log of the check for details."))
