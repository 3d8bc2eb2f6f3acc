"""Tests of the page “Search models” and of the jobs behind it, with a local hub."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import Settings

from memories import tasks
from memories.embeddings import store
from memories.embeddings.base import DEFAULT_MODEL, INTEGER_MINILM
from memories.embeddings.curated import CURATED
from memories.embeddings.hub.progress import DownloadState, read_state, write_state
from memories.embeddings.store import choose_model
from memories.models import EmbeddingSpace
from memories.vectors.model_jobs import FOLLOW_MODEL, GET_MODEL
from memories.vectors.spaces import cached_space, space_in_use
from oauthserver.models import User
from tests.support.embeddings.model_hub import ModelHub
from tests.support.embeddings.tiny_hub import NAME, tiny_model_hub
from tests.support.embeddings.tiny_model import write_model
from tests.support.factories import make_memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

PAGE = "/admin/models/"
FOLLOWS = "ownsona/refresh.js"
"""The script of a page that follows what is done in the background."""


@pytest.fixture
def hub(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelHub]:
    with tiny_model_hub(settings, tmp_path, monkeypatch) as running:
        yield running


@pytest.fixture
def admin_pages(hub: ModelHub, pages: Client, owner: User) -> Client:
    """The browser of an owner who runs the server and has two memories."""
    owner.is_superuser = True
    owner.save()
    for text in ("cat", "dog"):
        make_memory(owner, text)
    return pages


def queued() -> list[tuple[str, dict[str, object]]]:
    jobs = ProcrastinateJob.objects.filter(task_name__in=[GET_MODEL, FOLLOW_MODEL], status="todo")
    return list(jobs.order_by("pk").values_list("task_name", "args"))


def shown(pages: Client, **headers: str) -> str:
    return " ".join(pages.get(PAGE, headers=headers).content.decode().split())


def test_only_those_who_run_the_server_see_the_page(pages: Client) -> None:
    assert pages.get(PAGE).status_code == 403
    assert pages.post(PAGE, {"model": NAME}).status_code == 403
    assert Client().get(PAGE).status_code == 302
    assert queued() == []


def test_the_page_lists_the_models_with_what_is_known_about_them(admin_pages: Client) -> None:
    page = shown(admin_pages)

    for model in CURATED.values():
        assert f"<b>{model.name}</b>" in page
        assert model.licence in page
    assert f'Download and use<span class="sr"> {NAME}</span>' in page
    assert f"Searches by meaning use <code>{DEFAULT_MODEL}</code>." in page
    assert FOLLOWS not in page


def test_a_click_downloads_a_model_in_the_job_process_and_moves_the_memories(
    admin_pages: Client, hub: ModelHub
) -> None:
    page = admin_pages.post(PAGE, {"model": NAME, "mirror": hub.url}, follow=True).content.decode()
    assert f"{NAME} is being downloaded." in page
    assert "Waiting for the job process" in page
    assert queued() == [(GET_MODEL, {"name": NAME, "mirror": hub.url})]
    assert FOLLOWS in shown(admin_pages)

    tasks.get_model(NAME, hub.url)

    assert (state := read_state()) is not None
    assert state.state == "done"
    assert "Memories are being embedded with" in (page := shown(admin_pages))
    assert "0 of 2. Until that is done, searches use the model above." in page
    assert "0 of 2 are done" in " ".join(admin_pages.get("/admin/").content.decode().split())
    assert (FOLLOW_MODEL, {}) in queued()

    tasks.follow_model()

    cached_space.invalidate()
    assert space_in_use().space.model.startswith(f"{NAME}-")
    assert "Memories are being embedded" not in shown(admin_pages)
    assert f'Use<span class="sr"> {DEFAULT_MODEL}</span>' in shown(admin_pages)

    admin_pages.post(PAGE, {"model": DEFAULT_MODEL})
    tasks.follow_model()
    cached_space.invalidate()
    assert space_in_use().space.model == DEFAULT_MODEL
    assert EmbeddingSpace.objects.count() == 2


def test_a_failure_of_the_download_is_shown_and_the_model_stays(admin_pages: Client, hub: ModelHub) -> None:
    hub.other_bytes["config.json"] = b"x" * len(hub.files["config.json"])
    tasks.get_model(NAME, hub.url)

    assert "sent other bytes for config.json than its metadata states" in shown(admin_pages)
    assert store.chosen_model() == ""
    assert queued() == []


def test_an_interrupted_download_can_be_started_again(admin_pages: Client) -> None:
    write_state(DownloadState(name=NAME, state="running", stored=5, total=10))
    assert "Downloading: 50 % of" in shown(admin_pages)

    state = DownloadState(name=NAME, state="running", stored=5, total=10, at=1.0)
    (store.models_folder() / "download.json").write_text(state.model_dump_json())
    assert "The download was interrupted. Start it again to continue." in (page := shown(admin_pages))
    assert f'Download and use<span class="sr"> {NAME}</span>' in page


def test_a_second_click_queues_nothing(admin_pages: Client) -> None:
    for _ in range(2):
        page = admin_pages.post(PAGE, {"model": NAME}, follow=True).content.decode()

    assert "Another download is already queued." in page
    assert len(queued()) == 1


@pytest.mark.parametrize("form", [{"model": "../../etc"}, {}, {"model": ""}])
def test_an_unknown_model_is_refused(admin_pages: Client, form: dict[str, str]) -> None:
    assert admin_pages.post(PAGE, form).status_code == 404
    assert queued() == []


def test_an_invalid_mirror_is_refused(admin_pages: Client) -> None:
    page = admin_pages.post(PAGE, {"model": NAME, "mirror": "ftp://host"}, follow=True).content.decode()

    assert "Mirror: must look like https://host" in page
    assert queued() == []


def test_a_setting_that_decides_is_named_and_there_is_no_button(admin_pages: Client, settings: Settings) -> None:
    settings.EMBEDDING_MODEL = DEFAULT_MODEL

    assert "The setting <code>EMBEDDING_MODEL</code> decides about the model." in (page := shown(admin_pages))
    assert "Download and use" not in page


@pytest.mark.parametrize(("languages", "is_shown"), [("de-DE,de;q=0.9,en", True), ("en-GB,de", False), ("", False)])
def test_a_browser_in_another_language_gets_a_hint_while_the_model_knows_english_only(
    admin_pages: Client, languages: str, is_shown: bool
) -> None:
    hint = '<div class="note after" role="note">'

    assert hint not in shown(admin_pages, **{"accept-language": languages})
    EmbeddingSpace.objects.update(model=INTEGER_MINILM, dimensions=384)
    cached_space.invalidate()
    assert (hint in shown(admin_pages, **{"accept-language": languages})) is is_shown
    write_model(store.models_folder() / NAME)
    choose_model(NAME)
    tasks.follow_model()
    cached_space.invalidate()
    assert hint not in shown(admin_pages, **{"accept-language": languages})


def test_the_model_in_use_comes_first(admin_pages: Client) -> None:
    rows = admin_pages.get(PAGE).context["rows"]
    assert [row.is_in_use for row in rows] == sorted((row.is_in_use for row in rows), reverse=True)
