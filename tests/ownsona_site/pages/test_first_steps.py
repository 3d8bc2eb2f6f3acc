"""Tests of the guide for new owners on the overview."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from mcpapi.models import AuditLine
from oauthserver.models import Connection, User
from ownsona_site.pages.overview.first_steps import Use, first_steps
from tests.support.factories import make_access_token, make_app, make_memory, make_personal_token, make_user

HEADING = "Four steps, about five minutes"
DONE = "Done:</span>"


def states(uses: list[Use], memories: int) -> list[str]:
    return [step.state for step in first_steps(uses, memories=memories)]


def overview(pages: Client) -> str:
    cache.clear()
    return " ".join(pages.get("/admin/").content.decode().split())


def local_call(owner: User, tool: str) -> None:
    AuditLine.objects.create(
        owner=owner, at=timezone.now() - timedelta(hours=1), client_id="stdio", client_name="stdio", session="",
        protocol_version="", method="tools/call" if tool else "initialize", tool=tool, memory_ids=[], memory_count=0,
        result="ok", milliseconds=1.0, query="",
    )  # fmt: skip


def test_the_steps_are_done_one_after_the_other() -> None:
    unused, told, asked = Use(0, 0), Use(0, 1), Use(1, 0)
    assert states([], 0) == ["now", "", "", ""]
    assert states([unused], 0) == ["done", "now", "", ""]
    assert states([told], 1) == ["done", "done", "now", ""]
    assert states([told, unused], 1) == ["done", "done", "now", ""]
    # As the steps say: one app only writes, and the other one only reads.
    assert states([told, asked], 1) == []


def test_the_steps_are_done_in_any_order() -> None:
    assert states([], 1) == ["now", "done", "", ""]
    assert states([Use(1, 0)], 1) == ["done", "done", "now", ""]
    assert states([Use(1, 0), Use(0, 3)], 0) == ["done", "now", "", ""]
    assert states([Use(0, 1), Use(0, 2)], 3) == ["done", "done", "now", ""]


def test_with_many_memories_and_an_app_there_is_no_guide() -> None:
    assert states([Use(5, 5)], 20) == []
    assert states([], 20) == ["now", "done", "", ""]


def test_a_new_owner_is_told_how_to_begin(pages: Client) -> None:
    page = overview(pages)
    assert "No memories yet" in page
    assert HEADING in page
    assert DONE not in page
    assert "Connect another app" not in page


def test_a_personal_token_counts_as_an_app(pages: Client, owner: User) -> None:
    make_personal_token(owner)
    assert overview(pages).count(DONE) == 1


def test_a_local_connection_counts_as_an_app(pages: Client, owner: User) -> None:
    local_call(make_user(), "remember")
    assert DONE not in overview(pages)
    local_call(owner, "")
    assert overview(pages).count(DONE) == 1
    make_memory(owner, "The owner prefers trains.")
    make_access_token(owner, app=make_app("Cursor"))
    Connection.objects.update(reads=1)
    assert overview(pages).count(DONE) == 2
    local_call(owner, "remember")
    assert HEADING not in overview(pages)


def test_the_owner_can_hide_the_guide(pages: Client) -> None:
    assert pages.get("/admin/first-steps/hide/").status_code == 405
    assert HEADING in overview(pages)
    response = pages.post("/admin/first-steps/hide/")
    assert response["Location"] == "/admin/"
    cookie = response.cookies["first_steps"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    page = overview(pages)
    assert HEADING not in page
    assert "Connect another app" in page


@pytest.mark.django_db
def test_without_login_the_guide_stays(client: Client) -> None:
    response = client.post("/admin/first-steps/hide/")
    assert response["Location"].startswith("/admin/login/")
    assert "first_steps" not in response.cookies
