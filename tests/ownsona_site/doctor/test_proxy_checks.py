"""Tests that the check names the configuration mistake of a reverse proxy."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ownsona_site.doctor import http_client, runner
from ownsona_site.doctor.findings import CheckOutcome, Finding
from ownsona_site.doctor.runner import check
from tests.ownsona_site.doctor.certificates import certificate_file
from tests.ownsona_site.doctor.proxy import NO_MISTAKE, Mistake, Proxy, Received, Sent, running
from tests.support.live_server import ROOT, LiveServer, live_server

LOGIN_DOCUMENT = "/.well-known/oauth-authorization-server"


@pytest.fixture(scope="module")
def shared_proxy() -> Iterator[Proxy]:
    with running(Proxy()) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def server(shared_proxy: Proxy) -> Iterator[LiveServer]:
    """A server that clients reach only through the proxy."""
    with live_server(OWNSONA_PUBLIC_URL=f"http://{shared_proxy.netloc}") as server:
        shared_proxy.upstream_port = server.port
        yield server


@pytest.fixture
def proxy(shared_proxy: Proxy, server: LiveServer) -> Iterator[Proxy]:
    yield shared_proxy
    shared_proxy.mistake = NO_MISTAKE


def findings(proxy: Proxy, scheme: str = "http") -> dict[str, Finding]:
    """Return the findings of the check from outside, by step."""
    return {line.title: line.finding for line in check(f"{scheme}://{proxy.netloc}/mcp")}


def outcome_of(found: dict[str, Finding], outcome: CheckOutcome) -> list[str]:
    return [title for title, finding in found.items() if finding.outcome is outcome]


def dropping(header: str) -> Mistake:
    """Remove a header from requests."""

    def drop(sent: Sent) -> None:
        sent.headers.pop(header, None)

    return Mistake(before=drop)


def dropping_from_answers(header: str) -> Mistake:
    return Mistake(after=lambda sent, received: received.drop(header))


def calling_the_host(name: str) -> Mistake:
    def rewrite(sent: Sent) -> None:
        sent.headers["host"] = name

    return Mistake(before=rewrite)


def answering(received: Received, path: str = "/", method: str = "") -> Mistake:
    """Respond in place of the server to paths that begin with `path`."""

    def answer(sent: Sent) -> Received | None:
        return received if sent.path.startswith(path) and method in {"", sent.method} else None

    return Mistake(before=answer)


def refusing_large_bodies(sent: Sent) -> Received | None:
    return Received(413, body=b"too large") if len(sent.body) > 60_000 else None


def changing(path: str, change: Callable[[dict[str, Any]], object]) -> Mistake:
    """Change the document that the server returns at `path`."""

    def rewrite(sent: Sent, received: Received) -> None:
        if sent.path == path:
            document = json.loads(received.body)
            change(document)
            received.body = json.dumps(document).encode()

    return Mistake(after=rewrite)


CHALLENGE = "A call without a token is directed to the login"
HTML = Received(200, [("Content-Type", "text/html")], b"<html>Welcome to nginx!</html>")
MOVED = Received(301, [("Location", "https://elsewhere.example/mcp")])
ACCESS = Received(302, [("Location", "https://team.cloudflareaccess.com/login")])
FLOOD = Received(429, body=b'{"error": "too_many_requests"}')
BASIC = Received(401, [("WWW-Authenticate", 'Basic realm="private"')])


@pytest.mark.parametrize(
    ("mistake", "step", "fix"),
    [
        (dropping("authorization"), "The Authorization header arrives", "removes the Authorization header"),
        (calling_the_host("backend"), "The server is healthy", "proxy_set_header Host $host;"),
        (dropping_from_answers("www-authenticate"), CHALLENGE, "no `proxy_hide_header WWW-Authenticate`"),
        (dropping_from_answers("set-cookie"), "The login page opens", "forward Set-Cookie"),
        (answering(MOVED, "/mcp"), CHALLENGE, "give apps the target address"),
        (answering(BASIC, "/mcp"), CHALLENGE, "login of its own"),
        (answering(ACCESS), "The server is healthy", "stop the proxy from redirecting"),
        (answering(HTML), "The server is healthy", "The response is not from OwnSona"),
        (answering(Received(502, body=b"Bad Gateway")), "The server is healthy", "The response is not from OwnSona"),
        (answering(HTML, "/.well-known/oauth-protected"), "The resource metadata names the address", "every path"),
        (answering(Received(404), LOGIN_DOCUMENT), "The authorization server metadata is found", "every path"),
        (answering(Received(404), "/oauth/token"), "The endpoints respond", "every path"),
        (answering(Received(403), "/oauth/register"), "A new app can register", "every path"),
        (answering(FLOOD, "/oauth/register"), "A new app can register", "wait a minute"),
        (answering(Received(405), "/oauth/register/", "DELETE"), "Everything is cleaned up", "forward DELETE and"),
        (Mistake(before=refusing_large_bodies), "Large requests arrive", "client_max_body_size"),
        (
            changing(LOGIN_DOCUMENT, lambda document: document.update(issuer="http://inside:8000")),
            "The authorization server metadata is found",
            "OWNSONA_PUBLIC_URL",
        ),
        (
            changing(LOGIN_DOCUMENT, lambda document: document.update(token_endpoint="http://inside:8000/oauth/token")),
            "All endpoints belong to the issuer",
            "OWNSONA_PUBLIC_URL",
        ),
        (
            changing(LOGIN_DOCUMENT, lambda document: document["code_challenge_methods_supported"].append("plain")),
            "PKCE with S256",
            "The response is not from OwnSona",
        ),
        (
            changing("/oauth/jwks", lambda document: document["keys"][0].update(d="secret")),
            "The signing keys are published",
            "replace its keys",
        ),
    ],
)
def test_the_first_failure_names_the_mistake(proxy: Proxy, mistake: Mistake, step: str, fix: str) -> None:
    proxy.mistake = mistake
    found = findings(proxy)
    assert outcome_of(found, CheckOutcome.FAILED)[0] == step
    assert fix in found[step].fix


def test_without_a_mistake_nothing_fails_and_only_the_reach_is_warned_about(proxy: Proxy) -> None:
    found = findings(proxy)
    assert outcome_of(found, CheckOutcome.FAILED) == []
    assert outcome_of(found, CheckOutcome.WARNING) == ["Remote apps can reach it"]


def test_a_proxy_that_calls_the_server_by_one_name_is_warned_about(proxy: Proxy) -> None:
    proxy.mistake = calling_the_host(f"127.0.0.1:{proxy.upstream_port}")
    finding = findings(proxy)["The host name is checked"]
    assert finding.outcome is CheckOutcome.WARNING
    assert "accepts every name" in finding.seen


def test_what_failed_is_not_said_again_by_what_comes_after(proxy: Proxy) -> None:
    proxy.mistake = dropping_from_answers("www-authenticate")
    found = findings(proxy)
    assert outcome_of(found, CheckOutcome.FAILED) == [CHALLENGE]
    assert found["A new app can register"].seen == "Skipped, because of “The endpoints respond”."
    assert found["The endpoints respond"].outcome is CheckOutcome.SKIPPED


def test_a_server_that_does_not_answer_in_time_is_not_waited_for(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "REQUEST_SECONDS", 0.2)
    released = threading.Event()

    def hold(sent: Sent) -> None:
        released.wait(10)

    proxy.mistake = Mistake(before=hold)
    begin = time.monotonic()
    found = findings(proxy)
    released.set()
    assert time.monotonic() - begin < 5
    assert outcome_of(found, CheckOutcome.FAILED) == ["The server is healthy"]
    assert "WEB_THREADS=1" in found["The server is healthy"].fix


def test_when_the_time_is_over_the_rest_is_skipped(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "RUN_SECONDS", 0.0)
    assert set(outcome_of(findings(proxy), CheckOutcome.SKIPPED)) > {"The host name resolves", "A new app can register"}


def test_a_session_id_that_is_lost_on_the_way_is_named(proxy: Proxy, server: LiveServer) -> None:
    proxy.mistake = dropping_from_answers("mcp-session-id")
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"],
        cwd=ROOT,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    failures = [step for step in json.loads(done.stdout)["steps"] if step["outcome"] == "failed"]
    assert [step["title"] for step in failures] == ["The token opens a session"]
    assert "Mcp-Session-Id" in failures[0]["fix"]


def test_documents_that_say_http_behind_tls_are_named(server: LiveServer, tmp_path: Path) -> None:
    with running(Proxy(server.port), certificate_file(tmp_path)) as proxy:
        found = findings(proxy, "https")
    assert "OWNSONA_PUBLIC_URL" in found["The resource metadata names the address"].fix
