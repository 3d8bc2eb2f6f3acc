"""Tests of the notifications that the product's own tools send."""

from __future__ import annotations

from typing import Any

import pytest

from mcpapi.eras.request_meta import LOG_LEVEL
from memories.drafts import Draft
from memories.errors import EmbeddingError
from memories.models import Memory
from memories.writing.remembering import RememberRequest, remember_all
from oauthserver.models import User
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import Assistant, actor_for, make_memory
from tests.support.mcp.event_reader import EventReader, in_thread, run
from tests.support.mcp.stateless_client import ask
from tests.support.mcp.streamed_calls import BOTH

ITEMS = [{"text": f"Fact number {number}"} for number in range(20)]


async def told_by(assistant: Assistant, tool: str, arguments: dict[str, Any], **meta: Any) -> list[dict[str, Any]]:
    """Call a tool in 2026-07-28 and return all messages of its stream."""
    params = {"name": tool, "arguments": arguments}
    reader = EventReader(await in_thread(ask, assistant, "tools/call", params, meta=meta, headers=dict(BOTH)))
    messages = []
    while (event := await reader.next()) is not None:
        messages.append(event.message)
    await reader.close()
    return messages


@pytest.mark.parametrize(
    ("tool", "arguments"), [("remember_batch", {"items": ITEMS}), ("find_near_duplicates", {"threshold": 0.5})]
)
def test_a_long_call_tells_how_far_it_is(owner: User, assistant: Assistant, tool: str, arguments: Any) -> None:
    async def work() -> None:
        for number in range(3):
            await in_thread(make_memory, owner, f"My dog is called Mochi {number}")
        *told, answer = await told_by(assistant, tool, arguments, progressToken=1)
        shares = [message["params"]["progress"] for message in told]
        assert shares == sorted(set(shares))
        assert shares
        assert 0 <= shares[0] <= shares[-1] <= 1
        assert {message["params"]["total"] for message in told} == {1.0}
        assert answer["result"]["structuredContent"]["ok"] is True

    run(work)


@pytest.mark.parametrize(("tool", "arguments"), [("remember", ITEMS[0]), ("remember_batch", {"items": ITEMS})])
def test_a_client_that_wants_warnings_hears_of_memories_without_a_vector(
    owner: User, assistant: Assistant, monkeypatch: pytest.MonkeyPatch, tool: str, arguments: Any
) -> None:
    class Broken:
        def embed(self, texts: object) -> object:
            raise EmbeddingError("The model is away.")

    use_embedder(monkeypatch, Broken)

    async def work() -> None:
        warning, answer = await told_by(assistant, tool, arguments, **{LOG_LEVEL: "warning"})
        assert warning["method"] == "notifications/message"
        assert warning["params"]["level"] == "warning"
        stored = await in_thread(lambda: list(Memory.objects.order_by("pk").values_list("pk", flat=True)))
        assert warning["params"]["data"]["memory_ids"] == stored
        assert "Fact number" not in str(warning)
        assert answer["result"]["isError"] is False

    run(work)


def test_a_batch_that_is_stopped_on_its_way_stores_nothing(owner: User) -> None:
    class Stopped(Exception):
        pass

    told: list[float] = []

    def stop_at_last(share: float) -> None:
        told.append(share)
        if share > 0.8:
            raise Stopped

    requests = [RememberRequest(Draft(item["text"])) for item in ITEMS]
    with pytest.raises(Stopped):
        remember_all(actor_for(owner), requests, stop_at_last)
    assert (len(told), Memory.objects.count()) == (3, 0)
