"""Tests of the pages that belong to no app, and of properties of all the owner's pages."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote
from wsgiref.util import setup_testing_defaults

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.test import Client
from oauth2_provider.models import Grant, RefreshToken
from procrastinate.contrib.django import app
from pytest_django import Settings

from mcpapi.models import Session
from memories.vectors import spaces
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection, User
from ownsona_site.configuration.data_directory import default_data_directory
from ownsona_site.job_names import job_name
from tests.support.factories import HOST, Assistant, make_app, make_memory, make_personal_token, make_user

OWNERS_PAGES = [
    "/admin/",
    "/admin/account/",
    "/admin/map/",
    "/admin/agents/",
    "/admin/agents/add/",
    "/admin/agents/import/",
    "/admin/agents/agent/librarian/",
    "/admin/workflows/",
    "/admin/workflows/add/",
    "/admin/add/",
    "/admin/go/",
    "/admin/keys/",
    "/admin/memories/memory/",
    "/admin/memories/memory/add/",
    "/admin/memories/memory/forget/?ids=1",
    "/admin/documents/document/",
    "/admin/documents/document/add/",
    "/admin/documents/source/",
    "/admin/documents/source/add/",
    "/admin/documents/source/add/?kind=git",
    "/admin/memories/pastrecall/",
    "/admin/memories/tagsynonym/",
    "/admin/memories/journalentry/",
    "/admin/oauthserver/application/",
    "/admin/oauthserver/budget/",
    "/admin/oauthserver/budget/add/",
    "/admin/oauthserver/connection/",
    "/admin/oauthserver/externalidentity/",
    "/admin/oauthserver/personaltoken/",
    "/admin/oauthserver/personaltoken/add/",
    "/admin/procrastinate/procrastinatejob/",
    "/admin/mcpapi/ownprompt/",
    "/admin/mcpapi/ownprompt/add/",
    "/admin/mcpapi/session/",
    "/admin/custom-tools/",
    "/admin/custom-tools/add/",
    "/admin/custom-tools/add/?kind=http",
    "/admin/customtools/allowedhost/",
    "/admin/customtools/allowedhost/add/",
    "/admin/customtools/toolsecret/",
    "/admin/customtools/toolsecret/add/",
    "/admin/customtools/toollogline/",
    "/admin/mcpapi/approval/",
    "/admin/mcpapi/auditline/",
    "/admin/password_change/",
    "/admin/two-step-login/",
    "/admin/briefing/",
    "/admin/import/",
    "/admin/ask/",
    "/admin/ask/?q=cat",
    "/admin/review/",
    "/admin/inbox/",
    "/admin/cleanup/",
    "/admin/undo/",
    "/admin/backups/",
    "/admin/secrets/",
]


@pytest.fixture
def visitor() -> Client:
    """A browser without a login."""
    return Client(headers={"host": HOST})


@pytest.fixture
def pages(visitor: Client, owner: User) -> Client:
    """The owner's browser, logged in."""
    visitor.force_login(owner)
    return visitor


@pytest.mark.parametrize("public_url", ["http://127.0.0.1:8000", "https://memory.example"])
def test_the_front_page_names_the_address_for_every_client(
    visitor: Client, settings: Settings, public_url: str
) -> None:
    settings.PUBLIC_URL = public_url
    page = visitor.get("/").content.decode()
    assert f'<code id="address" tabindex="0">{public_url}/mcp</code>' in page
    assert f"claude mcp add --transport http ownsona {public_url}/mcp" in page
    assert page.count(f"{public_url}/mcp") == 10


def test_the_front_page_has_steps_for_every_client_that_it_links(visitor: Client) -> None:
    page = visitor.get("/").content.decode()
    sections = re.findall(r'<section class="card" id="([^"]+)">', page)
    assert re.findall(r'<a class="chip" href="#([^"]+)">', page) == sections
    assert {"windsurf", "zed"} < set(sections)


def test_the_front_page_shows_the_address_and_the_clients_before_the_warning(visitor: Client) -> None:
    page = visitor.get("/").content.decode()
    assert page.index('id="address"') < page.index('href="#claude-code"') < page.index('class="notice"')


@pytest.mark.parametrize(
    ("public_url", "said", "warnings"),
    [
        ("http://127.0.0.1:8000", "works only on this machine: for Claude Code", 3),
        ("http://memory.lan:8000", "is not encrypted", 3),
        ("https://memory.example", "so can claude.ai and ChatGPT", 0),
    ],
)
def test_the_front_page_says_which_clients_can_use_the_address(
    visitor: Client, settings: Settings, public_url: str, said: str, warnings: int
) -> None:
    settings.PUBLIC_URL, settings.PUBLIC_URL_IS_LOOPBACK = public_url, "127.0.0.1" in public_url
    page = re.sub(r"</?code>|\s+", " ", visitor.get("/").content.decode()).replace("  ", " ")
    assert said in page
    assert page.count("public https address") == warnings


def stdio_entry(browser: Client) -> dict[str, Any]:
    """Return the settings that the front page shows for starting the server over stdio."""
    shown = re.search(r"<code[^>]*>(\{[^<]*mcp_stdio[^<]*)</code>", browser.get("/").content.decode())
    assert shown
    return dict(json.loads(unescape(shown[1]))["mcpServers"]["ownsona"])


def program_paths(browser: Client) -> tuple[str, str]:
    """Return the paths of Python and manage.py that the front page shows for starting the server over stdio."""
    entry = stdio_entry(browser)
    assert entry["args"][1:] == ["mcp_stdio"]
    return entry["command"], entry["args"][0]


def test_the_front_page_has_what_a_client_needs_that_starts_a_program(visitor: Client, settings: Settings) -> None:
    settings.PUBLIC_URL_IS_LOOPBACK = True
    assert program_paths(visitor) == (sys.executable, str(settings.BASE_DIR / "manage.py"))
    assert '<a href="#stdio">local (stdio) connection</a>' in visitor.get("/").content.decode()


def test_a_program_that_a_client_starts_uses_the_data_folder_of_the_server(
    visitor: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.PUBLIC_URL_IS_LOOPBACK = True
    settings.DATA_DIR = tmp_path / "my data"
    assert stdio_entry(visitor)["env"] == {"OWNSONA_DATA_DIR": str(tmp_path / "my data")}
    settings.DATA_DIR = default_data_directory()
    assert "env" not in stdio_entry(visitor)


def test_from_outside_the_paths_of_the_installation_show_only_after_the_login(
    visitor: Client, owner: User, settings: Settings
) -> None:
    settings.PUBLIC_URL_IS_LOOPBACK = False
    assert program_paths(visitor) == (".venv/bin/python", "manage.py")
    visitor.force_login(owner)
    assert program_paths(visitor) == (sys.executable, str(settings.BASE_DIR / "manage.py"))


def test_another_machine_is_not_shown_the_paths_although_the_address_is_a_local_one(
    visitor: Client, settings: Settings
) -> None:
    settings.PUBLIC_URL_IS_LOOPBACK = True
    visitor.defaults["REMOTE_ADDR"] = "192.168.1.20"
    assert program_paths(visitor) == (".venv/bin/python", "manage.py")
    visitor.defaults["REMOTE_ADDR"] = "::1"
    assert program_paths(visitor) == (sys.executable, str(settings.BASE_DIR / "manage.py"))


def test_the_front_page_tells_a_visitor_nothing_private(visitor: Client, owner: User) -> None:
    make_memory(owner, "The cat is called Mimi.", tags=("pets",))
    page = visitor.get("/").content.decode()
    for private in ("Mimi", "pets", owner.username):
        assert private not in page


def test_the_login_page_runs_no_script_and_stays_out_of_frames(visitor: Client) -> None:
    response = visitor.get("/login/")
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "script-src" not in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"
    assert not re.search(r"<script|<style| style=| on\w+=", response.content.decode())


def test_the_front_page_runs_only_scripts_of_this_server_and_stays_out_of_frames(visitor: Client) -> None:
    response = visitor.get("/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert policy.endswith("script-src 'self'")
    assert response["X-Frame-Options"] == "DENY"
    assert re.findall(r"<script[^>]*>([^<]*)</script>", response.content.decode()) == [""]
    assert not re.search(r"<style| style=| on\w+=", response.content.decode())


@pytest.mark.parametrize(
    ("path", "target"), [("/admin", "/admin/"), ("/login", "/login/"), ("/login?next=/a", "/login/?next=/a")]
)
def test_an_address_without_its_slash_leads_to_the_page(visitor: Client, path: str, target: str) -> None:
    assert visitor.get(path)["Location"] == target


@pytest.mark.django_db
def test_health_is_ok_when_all_parts_work(visitor: Client) -> None:
    response = visitor.get("/health")
    assert (response.status_code, response.json()["status"]) == (200, "ok")
    assert response.json()["embedding_space"] == "fake: hashed-words (64)"


@pytest.mark.django_db
def test_health_names_the_part_that_fails(visitor: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spaces, "embedding_problems", lambda: ["The model's file is damaged."])
    response = visitor.get("/health")
    assert response.status_code == 503
    assert response.json()["failing"] == "embeddings"
    assert "damaged" not in response.content.decode()


@pytest.mark.django_db
def test_a_full_disk_is_no_health_and_a_nearly_full_one_is_a_warning(pages: Client, settings: Settings) -> None:
    settings.DISK_WARNING_MB = 10**9
    assert pages.get("/health").json()["status"] == "ok"
    assert "The disk is nearly full." in pages.get("/admin/").content.decode()
    settings.DISK_MINIMUM_MB = 10**9
    response = pages.get("/health")
    assert (response.status_code, response.json()["failing"]) == (503, "storage")
    assert str(settings.DATA_DIR) not in response.content.decode()
    page = pages.get("/admin/").content.decode()
    assert "The disk is full: nothing can be stored until you free some space." in page


def test_no_list_of_the_admin_is_missing_from_the_pages_that_are_tested() -> None:
    lists = {f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in admin.site._registry}
    assert lists <= set(OWNERS_PAGES)


@pytest.mark.django_db
@pytest.mark.parametrize("path", OWNERS_PAGES)
def test_without_login_the_owners_pages_lead_to_the_login(visitor: Client, path: str) -> None:
    response = visitor.get(path, follow=True)
    assert response.redirect_chain[-1][0] == f"/login/?next={quote(path)}"
    assert response.context["form"].fields.keys() == {"username", "password"}


@pytest.mark.parametrize("path", OWNERS_PAGES)
def test_who_was_locked_out_sees_nothing(pages: Client, owner: User, path: str) -> None:
    owner.is_active = False
    owner.save()
    assert pages.get(path).status_code == 302


def test_a_user_sees_no_page_of_the_server_itself(pages: Client, owner: User) -> None:
    jobs = "/admin/procrastinate/procrastinatejob/"
    assert pages.get(jobs).status_code == 403
    assert jobs not in pages.get("/admin/account/").content.decode()
    owner.is_superuser = True
    owner.save()
    assert pages.get(jobs).status_code == 200
    assert jobs in pages.get("/admin/account/").content.decode()


def test_the_page_of_jobs_leaves_out_what_succeeded_unless_it_is_asked_for(pages: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status) VALUES "
            "('default', 'good.task', 'succeeded'), ('default', 'bad.task', 'failed'), ('default', 'next.task', 'todo')"
        )
    jobs = "/admin/procrastinate/procrastinatejob/"
    for query, expected in (
        ("", ["bad.task", "next.task"]),
        ("?status=succeeded", ["good.task"]),
        ("?status=all", ["good.task", "bad.task", "next.task"]),
    ):
        page = pages.get(f"{jobs}{query}").content.decode()
        assert [name for name in ("good.task", "bad.task", "next.task") if name in page] == expected
    page = pages.get(f"{jobs}?status=succeeded").content.decode()
    assert "Select record" not in page
    (link,) = re.findall(rf'href="({jobs}\d+/change/[^"]*)"', page)
    assert "good.task" in pages.get(link.replace("&amp;", "&")).content.decode()


def test_a_failed_job_says_when_in_the_language_of_the_page(pages: Client, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, status, attempts, scheduled_at) VALUES "
            "('default', 'documents.sync_source', 'todo', 3, now() - interval '9 days') RETURNING id"
        )
        (job,) = cursor.fetchone() or (0,)
        cursor.execute("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = %s", [job])
        cursor.execute("UPDATE procrastinate_jobs SET status = 'failed' WHERE id = %s", [job])
        cursor.execute("UPDATE procrastinate_events SET at = now() - interval '3 hours' WHERE job_id = %s", [job])
    jobs = "/admin/procrastinate/procrastinatejob/"
    page = pages.get(jobs).content.decode()
    assert ">3 hours ago</time>" in page
    assert "9 days" not in page
    assert "The log of the server has the reason." in page
    german = pages.get(f"{jobs}{job}/change/", headers={"accept-language": "de"}).content.decode()
    assert re.findall("<dt>([^<]+)</dt>", german)[:3] == ["Zustand", "Letzte Änderung", "Versuche"]


def test_every_job_has_a_name_in_words() -> None:
    own = [name for name in app.tasks if "builtin" not in name]
    assert [name for name in own if job_name(name) == name] == []


def test_the_sessions_page_names_ones_own_clients(pages: Client, owner: User) -> None:
    for user, name in ((owner, "desk-helper"), (make_user(), "strange-helper")):
        client_info = {"name": name, "version": "2.0"}
        parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client_info}
        assistant = Assistant.of(user, app=make_app(f"App of {name}"))
        assert assistant.request("initialize", parameters).status_code == 200
    page = pages.get("/admin/mcpapi/session/").content.decode()
    assert "App of desk-helper" in page
    assert "desk-helper 2.0" in page
    assert "opened just now" in page
    assert "last used just now" in page
    assert "Select record" not in page
    assert "strange-helper" not in page
    (link,) = re.findall(r'href="(/admin/mcpapi/session/[^"]+/change/)"', page)
    german = pages.get(link, headers={"accept-language": "de"}).content.decode()
    assert "desk-helper 2.0" in german
    assert re.findall("<dt>([^<]+)</dt>", german) == ["Programm", "Geöffnet", "Zuletzt genutzt", "Protokollversion"]


def test_the_session_of_a_token_has_its_name(pages: Client, owner: User) -> None:
    parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "", "version": ""}}
    token = make_personal_token(owner, name="Weekly report")
    assert Assistant(token).request("initialize", parameters).status_code == 200
    page = pages.get("/admin/mcpapi/session/").content.decode()
    assert "Weekly report" in page
    assert "token:" not in page


def test_a_disconnected_app_has_no_session(pages: Client, owner: User) -> None:
    parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    apps = [make_app(name) for name in ("Notebook", "Helper")]
    for each in apps:
        assert Assistant.of(owner, app=each).request("initialize", parameters).status_code == 200
    disconnect(Connection.objects.get(application=apps[0]))
    page = pages.get("/admin/mcpapi/session/").content.decode()
    assert "Helper" in page
    assert "Notebook" not in page


def test_a_session_of_another_owner_is_not_found(pages: Client, owner: User) -> None:
    parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    assert Assistant.of(make_user()).request("initialize", parameters).status_code == 200
    id_hash = bytes(Session.objects.get().id_hash).hex()
    assert pages.get(f"/admin/mcpapi/session/{id_hash}/change/").status_code == 404


@pytest.mark.parametrize("object_id", ["x", "AAAA", "%F0%9F%90%88"])
def test_a_session_that_is_none_is_not_found(pages: Client, object_id: str) -> None:
    assert pages.get(f"/admin/mcpapi/session/{object_id}/change/").status_code == 404


def test_one_can_change_ones_own_password(pages: Client, owner: User) -> None:
    owner.set_password("correct horse battery")
    owner.save()
    pages.force_login(owner)
    typed = {"old_password": "correct horse battery", "new_password1": "stapled to a tree"}
    pages.post("/admin/password_change/", {**typed, "new_password2": "stapled to a tree"})
    owner.refresh_from_db()
    assert owner.check_password("stapled to a tree")


@pytest.mark.parametrize("model", [Grant, RefreshToken, Group, LogEntry, User])
def test_what_libraries_would_show_of_their_own_is_left_out(model: type) -> None:
    assert not admin.site.is_registered(model)


def test_the_sessions_are_read_only() -> None:
    assert admin.site.is_registered(Session)
    assert admin.site.get_model_admin(Session).actions is None


@pytest.mark.parametrize("query", ["?q=%00", "?status__exact=%00"])
def test_a_nul_in_the_address_is_a_bad_request(pages: Client, query: str) -> None:
    response = pages.get(f"/admin/procrastinate/procrastinatejob/{query}")
    assert response.status_code == 400
    assert "Invalid request" in response.content.decode()


@pytest.mark.django_db
def test_an_address_that_leads_nowhere_says_so_in_the_sites_dress(visitor: Client) -> None:
    response = visitor.get("/nowhere")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


def test_the_page_of_a_django_app_is_the_overview(pages: Client) -> None:
    assert pages.get("/admin/oauthserver/")["Location"] == "/admin/"


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("memories/memory", "Memories"),
        ("documents/document", "Documents"),
        ("memories/tagsynonym", "Tag synonyms"),
        ("memories/journalentry", "Journal"),
        ("oauthserver/connection", "Connected apps"),
        ("oauthserver/personaltoken", "Personal tokens"),
        ("oauthserver/application", "Registered apps"),
        ("procrastinate/procrastinatejob", "Jobs"),
        ("mcpapi/session", "Sessions"),
        ("mcpapi/approval", "Approvals"),
        ("mcpapi/auditline", "Activity"),
    ],
)
def test_a_list_is_called_what_its_tab_is_called(pages: Client, owner: User, path: str, title: str) -> None:
    owner.is_superuser = True
    owner.save()
    page = pages.get(f"/admin/{path}/").content.decode()
    assert re.search(rf"<title>\s*{title} · OwnSona\s*</title>", page)
    heading = re.search(r"<h1.*?</h1>", page, re.DOTALL)
    assert heading is not None
    assert re.sub(r"<[^>]*>", "", heading[0]).strip() == title


@pytest.mark.parametrize("path", ["/", "/health", "/nowhere", "/admin/", "/admin/memories/memory/"])
def test_head_gets_the_headers_alone(pages: Client, path: str) -> None:
    # The test client removes the content itself, so the test calls the application as a server does.
    cookies = "; ".join(f"{cookie.key}={cookie.value}" for cookie in pages.cookies.values())
    environ: dict[str, object] = {"PATH_INFO": path, "HTTP_HOST": HOST, "HTTP_COOKIE": cookies}
    setup_testing_defaults(environ)
    started: list[tuple[str, dict[str, str]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
        started.append((status, dict(headers)))
        return bytes

    def ask(method: str) -> bytes:
        return b"".join(get_wsgi_application()({**environ, "REQUEST_METHOD": method}, start_response))

    assert ask("HEAD") == b""
    content = ask("GET")
    (head_status, head), (get_status, get) = started
    assert head_status == get_status
    assert head.keys() == get.keys()
    assert int(head["Content-Length"]) > 0
    assert int(get["Content-Length"]) == len(content)


@pytest.mark.parametrize(
    ("referrer", "target"),
    [
        (f"http://{HOST}/admin/account/?x=1", "/admin/account/?x=1"),
        (f"http://{HOST}/login/", "/admin/"),
        ("https://evil.example/admin/account/", "/admin/"),
        ("", "/admin/"),
    ],
)
def test_a_form_sent_after_the_session_has_ended_leads_back_to_its_page(
    visitor: Client, db: None, referrer: str, target: str
) -> None:
    sent = visitor.post("/admin/theme/", {"theme": "dark"}, headers={"Referer": referrer})
    login = visitor.get(sent["Location"])
    assert login["Location"] == f"/login/?ended=1&next={quote(target)}"
    assert "so nothing was changed" in visitor.get(login["Location"]).content.decode()
    assert "so nothing was changed" not in visitor.get("/login/").content.decode()


def test_an_address_of_a_form_that_is_opened_leads_to_the_overview(pages: Client) -> None:
    response = pages.get("/admin/theme/")
    assert response.status_code == 405
    assert response["Allow"] == "POST"
    assert '<a class="btn" href="/admin/">Go to the overview</a>' in response.content.decode()
