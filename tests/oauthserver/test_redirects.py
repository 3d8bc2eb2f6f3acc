"""Tests of the redirect URIs that can be registered, and of matching requests against them."""

from __future__ import annotations

import pytest
from django.utils import translation

from oauthserver.redirects import destination, redirect_uri_matches, redirect_uri_problem

SCHEMES_OF_APPS = (
    "claude cline codex cursor com.microsoft.app exp+app goose jetbrains kiro lmstudio msteams notion obsidian raycast "
    "slack trae vscode vscode-insiders warp windsurf zed"
)
SCHEMES_OF_THE_SYSTEM = (
    "ms-msdt MS-Word ms-appinstaller ms-settings search-ms search microsoft-edge microsoft.windows.camera smb ldap ssh "
    "sftp telnet devtools chrome chrome-untrusted moz-extension safari-web-extension content vnc rdp jnlp steam "
    "itms-apps itms-services x-apple.systempreferences help shell intent"
)


@pytest.mark.parametrize(
    "uri",
    [
        "https://claude.ai/api/mcp/auth_callback",
        "https://chatgpt.com/connector_platform_oauth_redirect?x=1",
        "http://127.0.0.1/callback",
        "http://127.0.0.1:33418",
        "http://localhost:6274/oauth/callback/debug",
        "http://[::1]:9/",
        "cursor://anysphere.cursor-retrieval/oauth/user-deadbeef/callback",
        "vscode://ms.extension/callback",
        "com.example.app:/oauth2redirect",
        *(f"{scheme}://callback" for scheme in SCHEMES_OF_APPS.split()),
    ],
)
def test_what_real_apps_register_is_allowed(uri: str) -> None:
    assert redirect_uri_problem(uri) is None
    assert redirect_uri_matches(uri, uri)


@pytest.mark.parametrize(
    ("uri", "problem"),
    [
        ("javascript:alert(1)", "scheme"),
        ("JavaScript://x/%0aalert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("vbscript:x", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("blob:https://x/1", "scheme"),
        ("about:blank", "scheme"),
        ("urn:ietf:wg:oauth:2.0:oob", "scheme"),
        *((f"{scheme}://callback", "scheme") for scheme in SCHEMES_OF_THE_SYSTEM.split()),
        ("/callback", "scheme"),
        ("", "character"),
        ("http://example.com/callback", "uses http"),
        ("http://127.0.0.1.evil.example/callback", "uses http"),
        ("http://0.0.0.0/callback", "uses http"),
        ("http://2130706433/callback", "uses http"),
        ("https:///callback", "host"),
        ("https:callback", "host"),
        ("https://app.example/#x", "fragment"),
        ("https://app.example/#", "fragment"),
        ("https://*.example/", "wildcard"),
        ("https://user@app.example/", "user name"),
        ("https://user:pw@app.example/", "user name"),
        ("https://app.example/a b", "character"),
        ("https://app.example/a\nb", "character"),
        ("https://app.example/\0", "character"),
        ("https://app.example\\@evil.example/", "character"),
        ("https://äpp.example/", "character"),
        ("https://app.example:99999/", "valid URI"),
        ("https://[::1/", "valid URI"),
        ("app:code", "/ after"),
        ("https://app.example/" + "a" * 2000, "longer"),
    ],
)
def test_what_could_leak_a_code_is_refused_by_reason(uri: str, problem: str) -> None:
    assert problem in (redirect_uri_problem(uri) or "")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_on_loopback_any_port_matches(host: str) -> None:
    registered = f"http://{host}:33418/callback?a=b"

    assert redirect_uri_matches(registered, f"http://{host}:50000/callback?a=b")
    assert redirect_uri_matches(registered, f"http://{host}/callback?a=b")
    assert redirect_uri_matches(f"http://{host}/callback", f"http://{host}:50000/callback")


@pytest.mark.parametrize(
    ("registered", "requested"),
    [
        ("http://127.0.0.1/callback", "http://localhost/callback"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback/"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback?x=1"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1/callback#x"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:99999/callback"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:1@evil.example/callback"),
        ("http://127.0.0.1/callback", "http://127.0.0.1:80.evil.example/callback"),
        ("http://127.0.0.1/callback", "HTTP://127.0.0.1:1/callback"),
        ("http://127.0.0.1/callback", "https://127.0.0.1:1/callback"),
        ("http://localhost/callback", "http://localhost.evil.example/callback"),
        ("https://app.example/callback", "https://app.example:444/callback"),
        ("https://app.example/callback", "https://app.example:443/callback"),
        ("https://app.example/callback", "https://APP.example/callback"),
        ("https://app.example/callback", "https://app.example/Callback"),
        ("https://app.example/callback", "https://app.example/callback/"),
        ("https://app.example/callback", "https://app.example/callback;x"),
        ("https://app.example/callback", "https://app.example/x/../callback"),
        ("https://app.example/callback", "https://app.example.evil.example/callback"),
        ("https://app.example/callback", "https://app.example/call\nback"),
        ("cursor://a/b", "cursor://a:1/b"),
    ],
)
def test_anything_else_must_match_letter_by_letter(registered: str, requested: str) -> None:
    assert not redirect_uri_matches(registered, requested)


def test_a_person_is_told_where_they_will_be_sent() -> None:
    assert destination("https://claude.ai/api/mcp/auth_callback") == "claude.ai"
    assert destination("http://localhost:6274/callback") == "a program on this computer"
    assert "cursor:" in destination("cursor://anysphere/x")


def test_a_person_is_told_it_in_the_language_of_the_page() -> None:
    with translation.override("de"):
        assert destination("https://claude.ai/api/mcp/auth_callback") == "claude.ai"
        assert destination("http://localhost:6274/callback") == "einem Programm auf diesem Computer"
        assert destination("cursor://anysphere/x") == "der App auf diesem Gerät, die Links mit cursor: öffnet"
