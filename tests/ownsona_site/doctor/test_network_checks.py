"""Tests of the network checks: name, port, certificate, redirect."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.utils import translation

from ownsona_site.doctor import network_checks
from ownsona_site.doctor.context import CheckContext
from ownsona_site.doctor.findings import CheckOutcome, CheckStopped, Finding, failed
from ownsona_site.doctor.http_client import HttpClient, ProbeResponse
from tests.ownsona_site.doctor.certificates import YEAR, certificate_file
from tests.ownsona_site.doctor.proxy import Proxy, running
from tests.support.live_server import free_port

STATUS = b'{"status": "failing", "failing": "embeddings", "version": "1"}'


@dataclass
class Script(HttpClient):
    """An HTTP client that gets one fixed response to every request, or none."""

    answer: ProbeResponse | None

    def request(self, method: str, url: str, **content: Any) -> ProbeResponse:
        if self.answer is None:
            raise CheckStopped(failed("Nobody answers.", "Nothing to do."))
        return self.answer


def visit_of(url: str, status: int | None = None, seconds: float = 0.0, **headers: str) -> CheckContext:
    answer = ProbeResponse(url, status, httpx.Headers(headers), STATUS, seconds) if status else None
    return CheckContext(url, Script(answer))


def certificate_of(file: Path) -> Finding:
    """Return the finding of the check about a server with this certificate."""
    with running(Proxy(), file) as proxy:
        return network_checks.certificate_is_trusted(visit_of(f"https://{proxy.netloc}/mcp"))


def test_a_name_that_nobody_knows_is_said_to_be_one() -> None:
    with pytest.raises(CheckStopped) as stop:
        network_checks.name_resolves(visit_of("https://memory.invalid/mcp"))
    assert "The name memory.invalid does not resolve" in stop.value.finding.seen


def test_a_name_that_is_no_name_is_said_to_be_unknown() -> None:
    with pytest.raises(CheckStopped, match="does not resolve"):
        network_checks.name_resolves(visit_of(f"https://{'a' * 70}.example/mcp"))


@pytest.mark.parametrize(
    ("language", "reason"), [("en", "the connection was refused"), ("de", "Verbindung wurde abgelehnt")]
)
def test_why_a_port_is_not_reachable_is_said_in_the_language_of_the_reader(language: str, reason: str) -> None:
    with translation.override(language):
        finding = network_checks.connection_opens(visit_of(f"http://127.0.0.1:{free_port()}/mcp"))
    assert reason in finding.seen


def test_a_port_where_nobody_listens_is_named() -> None:
    finding = network_checks.connection_opens(visit_of(f"http://127.0.0.1:{free_port()}/mcp"))
    assert finding.outcome is CheckOutcome.FAILED
    assert "Check that OwnSona is running" in finding.fix


def test_a_certificate_that_signed_itself_is_refused_with_what_to_do(tmp_path: Path) -> None:
    finding = certificate_of(certificate_file(tmp_path))
    assert finding.outcome is CheckOutcome.FAILED
    assert "self-signed" in finding.fix
    assert "Let's Encrypt" in finding.fix


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ((YEAR, "127.0.0.1"), (CheckOutcome.PASSED, "")),
        ((timedelta(days=5), "127.0.0.1"), (CheckOutcome.WARNING, "automatic renewal")),
        ((timedelta(days=-1), "127.0.0.1"), (CheckOutcome.FAILED, "has expired")),
        ((YEAR, "127.0.0.2"), (CheckOutcome.FAILED, "another address")),
    ],
)
def test_a_certificate_of_a_known_authority_is_judged_by_its_dates_and_name(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    made: tuple[timedelta, str],
    expected: tuple[CheckOutcome, str],
) -> None:
    file = certificate_file(tmp_path, *made)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    finding = certificate_of(file)
    outcome, words = expected
    assert finding.outcome is outcome, finding
    assert words in finding.fix


def test_a_port_that_speaks_no_tls_is_said_to() -> None:
    with running(Proxy()) as proxy:
        finding = network_checks.certificate_is_trusted(visit_of(f"https://{proxy.netloc}/mcp"))
    assert finding.outcome is CheckOutcome.FAILED
    assert "listen 443 ssl" in finding.fix


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://localhost:8000/mcp", "works on this machine only"),
        ("https://[::1]/mcp", "works on this machine only"),
        ("http://8.8.8.8/mcp", "is not encrypted"),
        ("https://192.168.1.5/mcp", "your own network"),
    ],
)
def test_an_address_that_not_every_client_can_reach_is_warned_about(url: str, words: str) -> None:
    finding = network_checks.clients_can_reach_it(visit_of(url))
    assert finding.outcome is CheckOutcome.WARNING
    assert words in finding.seen
    assert "claude.ai and ChatGPT" in finding.fix


def test_a_public_https_address_is_for_everyone() -> None:
    assert network_checks.clients_can_reach_it(visit_of("https://8.8.8.8/mcp")).outcome is CheckOutcome.PASSED


@pytest.mark.parametrize(
    ("status", "outcome", "words"),
    [
        (None, CheckOutcome.PASSED, "does not respond"),
        (308, CheckOutcome.PASSED, "keeps a POST"),
        (307, CheckOutcome.PASSED, "keeps a POST"),
        (301, CheckOutcome.WARNING, "turn a POST into a GET"),
        (302, CheckOutcome.WARNING, "turn a POST into a GET"),
        (401, CheckOutcome.WARNING, "instead of a redirect to https"),
    ],
)
def test_a_redirect_to_https_must_keep_the_method(status: int | None, outcome: CheckOutcome, words: str) -> None:
    finding = network_checks.http_redirects_to_https(visit_of("https://memory.example/mcp", status))
    assert finding.outcome is outcome
    assert words in finding.seen


def test_a_slow_server_is_warned_about() -> None:
    assert (
        network_checks.answers_in_time(visit_of("https://memory.example/mcp", 200, seconds=3)).outcome
        is CheckOutcome.WARNING
    )
    assert (
        network_checks.answers_in_time(visit_of("https://memory.example/mcp", 200, seconds=0.1)).outcome
        is CheckOutcome.PASSED
    )


@pytest.mark.parametrize(
    ("date", "outcome"),
    [
        ("Thu, 01 Jan 2015 00:00:00 GMT", CheckOutcome.WARNING),
        ("yesterday", CheckOutcome.SKIPPED),
        ("", CheckOutcome.SKIPPED),
        ("Thu, 01 Jan 2015 00:00:00", CheckOutcome.WARNING),
    ],
)
def test_a_clock_that_is_wrong_is_noticed(date: str, outcome: CheckOutcome) -> None:
    assert network_checks.clocks_agree(visit_of("https://memory.example/mcp", 401, date=date)).outcome is outcome


def test_a_server_that_says_what_fails_is_quoted() -> None:
    finding = network_checks.server_is_healthy(visit_of("https://memory.example/mcp", 503))
    assert finding.outcome is CheckOutcome.FAILED
    assert "embeddings" in finding.seen
