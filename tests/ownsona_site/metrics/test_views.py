"""Tests of /metrics: access only with the token, and no private data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import Client
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, Settings

from documents.sources.changes import change_source
from documents.sources.sync import sync
from documents.writing.forgetting import forget_document
from mcpapi.observability.call_counts import counts
from memories import embeddings
from memories.errors import EmbeddingError
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from ownsona_site.metrics.collectors import ServerCollector
from tests.documents.sources.support import folder_source, make_source
from tests.documents.support import make_document
from tests.support.factories import HOST, Assistant, actor_for, make_app, make_memory, make_user
from tests.support.live_server import ROOT

TOKEN = "m-" * 20


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def prometheus() -> Client:
    return Client(headers={"host": HOST, "authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def owner(db: None) -> User:
    return make_user("mistress-of-memories")


def scraped(prometheus: Client) -> dict[str, Metric]:
    """Return the metrics by name."""
    counts.flush()
    response = prometheus.get("/metrics")
    assert response.status_code == 200, response.content
    assert response["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {family.name: family for family in text_string_to_metric_families(response.content.decode())}


def value_of(family: Metric, suffix: str = "", **labels: str) -> float:
    """Return the value of the only sample that has these labels."""

    def fits(found: Mapping[str, str]) -> bool:
        return all(found.get(name) == value for name, value in labels.items())

    (value,) = (s.value for s in family.samples if s.name.endswith(suffix) and fits(s.labels))
    return float(value)


@pytest.mark.django_db
def test_without_the_setting_there_is_no_such_page(prometheus: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert prometheus.get("/metrics").status_code == 404
    assert prometheus.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer ö"])
@pytest.mark.django_db
def test_only_who_holds_the_token_is_answered(prometheus: Client, header: str) -> None:
    response = prometheus.get("/metrics", headers={"authorization": header})
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert b"ownsona_" not in response.content


def test_neither_a_login_nor_the_token_of_an_app_opens_it(owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(is_superuser=True, is_staff=True)
    browser = Client(headers={"host": HOST})
    browser.force_login(owner)
    assert browser.get("/metrics").status_code == 401
    assert browser.get("/metrics", headers={"authorization": f"Bearer {Assistant.of(owner).token}"}).status_code == 401


@pytest.mark.django_db
def test_other_http_methods_are_refused(prometheus: Client) -> None:
    assert prometheus.post("/metrics").status_code == 405
    assert prometheus.head("/metrics").content == b""


def test_calls_are_counted_and_timed(prometheus: Client, owner: User) -> None:
    assistant = Assistant.of(owner)
    for _ in range(3):
        assistant.call("recall", query="dog")
    assistant.error_of("get_memory", id=10**9)
    found = scraped(prometheus)
    calls, times = found["ownsona_calls"], found["ownsona_call_seconds"]
    assert value_of(calls, method="tools/call", tool="recall", result="ok") == 3
    assert value_of(calls, tool="get_memory", result="NOT_FOUND") == 1
    assert value_of(times, "_count", tool="recall") == value_of(times, "_bucket", tool="recall", le="+Inf") == 3
    assert value_of(times, "_sum", tool="recall") > 0
    buckets = [sample.value for sample in times.samples if sample.labels["tool"] == "recall" and "le" in sample.labels]
    assert buckets == sorted(buckets)


def test_memories_jobs_and_parts_are_counted(prometheus: Client, owner: User) -> None:
    forget_memory(actor_for(owner), make_memory(owner, "I live in Lyon").pk)
    make_memory(owner, "I like tea")
    found = scraped(prometheus)
    states = {sample.labels["state"]: sample.value for sample in found["ownsona_memories"].samples}
    assert states == {"active": 1, "expired": 0, "quarantined": 0, "soft_deleted": 1}
    assert value_of(found["ownsona_memories_pending"]) == 0
    assert value_of(found["ownsona_part_up"], part="database") == 1
    assert value_of(found["ownsona_streams_open"]) >= 0
    assert value_of(found["ownsona_database_bytes"]) > 1_000_000
    assert found["ownsona_jobs"].type == "gauge"


def test_documents_and_sources_are_counted(prometheus: Client, owner: User, tmp_path: Path) -> None:
    make_document(owner)
    forget_document(actor_for(owner), make_document(owner, "Another.").pk)
    change_source(folder_source(owner, tmp_path / "a", "a"), is_paused=True)
    sync(folder_source(owner, tmp_path / "b", "b"))
    sync(make_source(owner, "c", path=str(tmp_path / "secret-place")))
    found = scraped(prometheus)
    documents = {sample.labels["state"]: sample.value for sample in found["ownsona_documents"].samples}
    assert documents == {"ready": 1, "unread": 0, "quarantined": 0, "forgotten": 1}
    sources = {sample.labels["state"]: sample.value for sample in found["ownsona_sources"].samples}
    assert sources == {"healthy": 1, "failing": 1, "paused": 1}
    assert "secret-place" not in prometheus.get("/metrics").content.decode()


def test_nothing_private_is_on_the_page(prometheus: Client, owner: User) -> None:
    assistant = Assistant.of(owner, app=make_app("Diary of secrets"))
    assistant.call("remember", text="My dog is called Mochi", tags=["hounds"])
    assistant.call("recall", query="What is Mochi?")
    assistant.request("tools/call", {"name": "Mochi"})
    counts.flush()
    page = prometheus.get("/metrics").content.decode()
    assert "recall" in page
    for private in ("Mochi", "hounds", "Diary", owner.username, assistant.token):
        assert private not in page


@pytest.mark.django_db
def test_a_part_that_fails_is_told_and_the_rest_is_there(prometheus: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise EmbeddingError("no model")

    monkeypatch.setattr(embeddings, "get_embedder", fail)
    monkeypatch.setattr("memories.vectors.spaces.get_embedder", fail)
    found = scraped(prometheus)
    assert value_of(found["ownsona_part_up"], part="embeddings") == 0
    assert "ownsona_memories" not in found
    assert "ownsona_jobs" in found


@pytest.mark.django_db
def test_a_database_that_does_not_answer_is_a_503(prometheus: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: ServerCollector) -> None:
        raise OperationalError("secret detail")

    monkeypatch.setattr(ServerCollector, "collect", fail)
    response = prometheus.get("/metrics")
    assert (response.status_code, response.content) == (503, b"The database does not respond.\n")


def test_the_documentation_names_each_metric(prometheus: Client, owner: User) -> None:
    Assistant.of(owner).request("ping")
    counts.flush()
    told = set(re.findall(r"^# TYPE (\w+)", prometheus.get("/metrics").content.decode(), re.MULTILINE))
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    assert told == set(re.findall(r"^\| `(\w+)`", page, re.MULTILINE))


@pytest.mark.django_db(transaction=True)
def test_a_scrape_takes_few_queries(prometheus: Client, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    scraped(prometheus)
    with django_assert_num_queries(8):
        scraped(prometheus)
