"""Tests of calls that the owner's budgets allow or refuse, at /mcp and at the REST API."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from mcpapi.models import AuditLine
from mcpapi.observability.audit import audit_lines
from memories.embeddings import clear_embedders
from memories.models import Memory, MemoryVector
from memories.tasks import index_pending
from memories.vectors.indexing import pending_memories
from oauthserver.models import Budget, Connection, User
from tests.mcpapi.eras.test_batches import BATCHING
from tests.support.embeddings.embedding_server import DIMENSIONS, EmbeddingServer, embedding_server
from tests.support.factories import Assistant, make_memory, make_personal_token
from tests.support.mcp.rest_client import RestClient, assert_refused


def make_budget(owner: User, measure: str, limit: float, **details: Any) -> Budget:
    return Budget.objects.create(
        user=owner, measure=measure, period=details.pop("period", "day"), limit=Decimal(str(limit)), **details
    )


def used(budget: Budget) -> float:
    budget.refresh_from_db()
    return float(budget.used)


def refused(assistant: Assistant, method: str = "tools/call", **params: Any) -> dict[str, Any]:
    response = assistant.request(method, params or {"name": "memory_stats", "arguments": {}})
    assert response.status_code == 200
    error: dict[str, Any] = response.json()["error"]
    assert (error["code"], error["data"]["reason"]) == (-32003, "budget_exceeded")
    return error


def test_a_call_beyond_the_budget_is_told_the_limit_and_when_it_begins_anew(assistant: Assistant, owner: User) -> None:
    make_budget(owner, "calls", 1)
    assistant.call("list_tags")
    data = refused(assistant, name="list_tags", arguments={})["data"]
    assert (data["budget"], data["used"], data["limit"], data["applies_to"]) == ("calls_per_day", 1, 1, "all apps")
    assert datetime.fromisoformat(data["resets_at"]) > timezone.now()
    assert data["resets_at"].endswith("Z")
    assert f"It is reset at {data['resets_at']}." in data["details"]
    assert "1 per day" in data["details"]


def test_an_app_over_its_budget_still_connects_and_lists(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "calls", 0)
    assert assistant.result("tools/list")["tools"]
    assert assistant.result("ping") == {}
    refused(assistant, name="list_tags", arguments={})
    assert used(budget) == 0


def test_resources_and_prompts_are_calls_too(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "calls", 2)
    assistant.result("resources/read", uri="ownsona://stats")
    assistant.call("list_tags")
    assert used(budget) == 2
    refused(assistant, "resources/read", uri="ownsona://stats")
    refused(assistant, "prompts/get", name=assistant.result("prompts/list")["prompts"][0]["name"])


def test_only_changes_count_as_writes(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "writes", 1)
    memory_id = assistant.call("remember", text="My dog is called Mochi")["memory_id"]
    assistant.call("recall", query="dog")
    assistant.call("forget", id=memory_id, dry_run=True)
    assert used(budget) == 1
    refused(assistant, name="remember", arguments={"text": "My cat is called Bolota"})
    assert Memory.objects.count() == 1
    assert assistant.call("recall", query="dog")["matches"]


def test_each_call_of_a_batch_counts(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "calls", 2)
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "list_tags", "arguments": {}}}
    answers = assistant.post([{**call, "id": number} for number in range(3)], BATCHING).json()
    assert ["result" in answer for answer in answers] == [True, True, False]
    assert answers[2]["error"]["code"] == -32003
    assert used(budget) == 2


def test_a_result_that_is_too_long_is_not_returned(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi. " * 20)
    budget = make_budget(owner, "characters_returned", 1_000)
    result = assistant.result("tools/call", name="get_memory", arguments={"id": memory.pk})
    length = len(result["content"][0]["text"])
    assert used(budget) == length
    data = refused(assistant, name="get_memory", arguments={"id": memory.pk})["data"]
    assert (data["used"], data["limit"]) == (length, 1_000)
    assert "250 tokens" in data["details"]
    assert used(budget) == length
    audit_lines.flush()
    read = AuditLine.objects.filter(tool="get_memory").order_by("pk").values_list("result", "memory_count")
    assert list(read) == [("ok", 1), ("budget_exceeded", 0)]


def test_the_result_of_a_change_is_always_returned(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "characters_returned", 10)
    assert assistant.call("remember", text="My dog is called Mochi")["ok"]
    assert used(budget) > 10


def test_a_budget_of_one_app_leaves_the_others_alone(assistant: Assistant, owner: User) -> None:
    make_budget(owner, "calls", 0, connection=Connection.objects.get(user=owner))
    assert refused(assistant, name="list_tags", arguments={})["data"]["applies_to"] == "this app"
    assert Assistant(make_personal_token(owner)).call("list_tags")["ok"]


def test_a_changed_limit_counts_from_the_next_call(assistant: Assistant, owner: User) -> None:
    budget = make_budget(owner, "calls", 0)
    refused(assistant, name="list_tags", arguments={})
    Budget.objects.update(limit=1)
    assert assistant.call("list_tags")["ok"]
    budget.delete()
    assert assistant.call("list_tags")["ok"]


def test_the_rest_api_responds_with_429(owner: User) -> None:
    client = RestClient.of(owner)
    make_budget(owner, "calls", 1)
    client.post("/tools/list_tags")
    response = client.ask("/tools/list_tags")
    error = assert_refused(response, 429, "budget_exceeded")
    assert (error["budget"], error["used"], error["limit"]) == ("calls_per_day", 1, 1)
    assert datetime.fromisoformat(error["resets_at"]) > timezone.now()
    assert 0 < int(response["Retry-After"]) <= 25 * 3600


def test_the_rest_api_counts_writes_and_documents(owner: User) -> None:
    client = RestClient.of(owner)
    budget = make_budget(owner, "writes", 1)
    assert client.ask("/documents", text="A note about the garden").status_code == 202
    assert used(budget) == 1
    assert_refused(client.ask("/documents", text="Another note"), 429, "budget_exceeded")
    assert_refused(client.ask("/tools/remember", text="A fact"), 429, "budget_exceeded")


class TestEmbedding:
    """The budgets of a paid embedding endpoint."""

    @pytest.fixture(autouse=True)
    def server(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Any:
        with embedding_server(monkeypatch) as running:
            settings.EMBEDDING_PROVIDER, settings.EMBEDDING_ENDPOINT = "openai", running.url
            settings.EMBEDDING_MODEL, settings.EMBEDDING_DIMENSIONS = "some-model", DIMENSIONS
            settings.EMBEDDING_API_KEY = "key"
            yield running

    def test_characters_are_counted_when_they_are_sent(
        self, assistant: Assistant, owner: User, server: EmbeddingServer
    ) -> None:
        budget = make_budget(owner, "characters_embedded", 1_000)
        text = "My dog is called Mochi"
        assistant.call("remember", text=text)
        assert used(budget) == sum(len(sent) for request in server.requests for sent in request.inputs) > 0

    def test_a_text_that_cannot_be_paid_is_not_stored(
        self, assistant: Assistant, owner: User, server: EmbeddingServer
    ) -> None:
        make_budget(owner, "characters_embedded", 10)
        refused(assistant, name="remember", arguments={"text": "My dog is called Mochi"})
        assert not server.requests
        assert not Memory.objects.exists()

    def test_a_question_that_cannot_be_paid_is_refused(
        self, assistant: Assistant, owner: User, server: EmbeddingServer
    ) -> None:
        make_budget(owner, "embedding_cost", 0, price=Decimal("0.02"))
        refused(assistant, name="recall", arguments={"query": "What is my dog called?"})
        assert assistant.call("recall", query="dog", mode="keyword")["ok"]

    def test_the_job_process_waits_for_the_budget_of_all(
        self, assistant: Assistant, owner: User, server: EmbeddingServer
    ) -> None:
        make_memory(owner, "My dog is called Mochi")
        MemoryVector.objects.all().delete()
        # The text is cached, and would not be sent again.
        clear_embedders()
        budget = make_budget(owner, "characters_embedded", 5)
        sent = len(server.requests)
        index_pending()
        assert (len(server.requests), pending_memories().count()) == (sent, 1)

        Budget.objects.update(limit=1_000)
        index_pending()
        assert pending_memories().count() == 0
        assert used(budget) > 0
