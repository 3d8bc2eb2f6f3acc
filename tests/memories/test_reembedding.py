"""Moving to another model: the old one answers until the switch, no vector of one meets one of the other."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import Settings

from benchmarks.texts import memory_texts
from memories import indexing, reembedding, spaces, vector_index
from memories.database import Row, fetch_rows
from memories.drafts import Draft
from memories.embeddings import embedder_of
from memories.embeddings.base import Configuration, Embedder, Matrix, Space
from memories.embeddings.endpoint import Endpoint
from memories.embeddings.fake import FakeEmbedder
from memories.errors import EmbeddingError
from memories.indexing import index_pending_batch, pending_memories
from memories.management.commands import reembed as command
from memories.models import EmbeddingSpace, Memory, MemoryVector
from memories.recall import Mode, Query, recall
from memories.reembedding import fill, forget_other_spaces, move_to, switch_to
from memories.remembering import DedupPolicy, Request, remember_all
from memories.spaces import OpenSpace, configured_space, open_space, put_in_use, remembered_space, space_in_use
from memories.updating import Changes, update_memory
from memories.view import View
from oauthserver.models import User
from tests.concurrency import in_threads
from tests.factories import actor_for, make_memory, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]


@pytest.fixture
def owner() -> User:
    """Someone with twenty memories in the first space, of 64 dimensions."""
    user = make_user()
    requests = [Request(Draft(text), DedupPolicy.INSERT) for text in memory_texts(20)]
    remember_all(actor_for(user), requests)
    return user


def wider() -> OpenSpace:
    """A space of 96 dimensions that is not in use."""
    return open_space(embedder_of("fake", Configuration(dimensions=96)).space, "")


def found_by_meaning(user: User, text: str) -> tuple[str, float]:
    match = recall(View.whole(user.pk), Query(text, mode=Mode.SEMANTIC)).matches[0]
    return match.memory.text, round(match.score, 2)


def dimensions_in(space: OpenSpace) -> set[int]:
    return {len(vector.embedding) for vector in MemoryVector.objects.filter(space_id=space.pk)}


def wait_for_somebody_waiting() -> None:
    """Until another connection waits for a row that this transaction holds."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))")
            if cursor.fetchone():
                return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


def run(*options: str) -> str:
    out = io.StringIO()
    call_command("reembed", *options, stdout=out)
    return out.getvalue()


def test_the_old_space_answers_until_the_switch_and_the_new_one_from_then_on(owner: User) -> None:
    old, new = space_in_use(), wider()
    text = memory_texts(20)[3]
    told: list[int] = []
    assert fill(new, told.append) == 0
    assert sum(told) == 20
    assert (space_in_use(), found_by_meaning(owner, text)) == (old, (text, 1.0))

    switch_to(new)

    assert space_in_use().space.dimensions == 96
    assert found_by_meaning(owner, text) == (text, 1.0)
    assert (dimensions_in(old), dimensions_in(new)) == ({64}, {96})
    assert EmbeddingSpace.objects.exclude(in_use_since=None).count() == 1


def test_what_is_written_while_a_space_is_filled_is_in_it_too(owner: User) -> None:
    new = wider()
    index_pending_batch(0, new)
    late = make_memory(owner, "The ferry leaves at nine")
    update_memory(
        actor_for(owner), Memory.objects.filter(owner=owner).earliest("pk").pk, Changes(text="It rains in Bergen")
    )
    assert pending_memories(new).count() == 2

    fill(new, lambda count: None)
    switch_to(new)

    assert found_by_meaning(owner, late.text) == (late.text, 1.0)
    assert found_by_meaning(owner, "It rains in Bergen") == ("It rains in Bergen", 1.0)


def test_a_process_that_missed_the_switch_stores_no_vector_in_the_wrong_space(owner: User) -> None:
    behind, new = space_in_use(), wider()
    fill(new, lambda count: None)
    put_in_use(new)
    remembered_space._space, remembered_space._until = behind, float("inf")

    late = make_memory(owner, "The ferry leaves at nine")
    assert set(MemoryVector.objects.filter(memory=late).values_list("space_id", flat=True)) == {behind.pk}

    remembered_space.forget()
    assert list(pending_memories()) == [late]
    index_pending_batch()
    assert found_by_meaning(owner, late.text) == (late.text, 1.0)


def test_filling_goes_on_where_it_was_stopped(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 5)
    new = wider()

    def stop(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fill(new, stop)
    assert pending_memories(new).count() == 15

    told: list[int] = []
    assert fill(new, told.append) == 0
    assert sum(told) == 15


def test_several_processes_share_the_work_and_embed_nothing_twice(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PENDING_BATCH", 3)
    new, guard = wider(), threading.Lock()
    embedded: list[str] = []
    together = threading.Barrier(3)

    class Counting(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Matrix]:
            with guard:
                embedded.extend(texts)
            return super().embed(texts)

    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: Counting(96)))

    def work(number: int) -> int:
        together.wait(20)
        return fill(new, lambda count: None)

    assert in_threads(3, work) == [0, 0, 0]
    assert len(embedded) == len(set(embedded)) == 20
    assert MemoryVector.objects.filter(space_id=new.pk).count() == 20


def test_a_claim_ends_with_the_work_also_where_that_fails(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    new = wider()

    def fail(space: OpenSpace) -> Embedder:
        raise EmbeddingError("the provider is down")

    with monkeypatch.context() as patched:
        patched.setattr(OpenSpace, "embedder", property(fail))
        with pytest.raises(EmbeddingError):
            fill(new, lambda count: None)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()")
        assert cursor.fetchone() == (0,)
    assert fill(new, lambda count: None) == 0


def test_texts_that_the_provider_refuses_do_not_keep_the_others_from_the_switch(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = make_memory(owner, "a poisonous text")

    class Picky(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> list[Matrix]:
            if any("poisonous" in text for text in texts):
                raise EmbeddingError("refused", status=400)
            return super().embed(texts)

    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: Picky(96)))
    new = wider()
    assert fill(new, lambda count: None) == 1
    assert list(pending_memories(new)) == [refused]


def test_old_spaces_are_forgotten_with_their_indexes(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "FEW_VECTORS", 10)
    monkeypatch.setattr(reembedding, "NOTICED_SECONDS", 0.0)
    monkeypatch.setattr(reembedding, "DELETED_AT_ONCE", 7)
    old, new = space_in_use(), wider()
    fill(new, lambda count: None)
    switch_to(new)
    assert {index.space_id for index in vector_index._catalog()} == {old.pk, new.pk}
    being_filled = open_space(FakeEmbedder(128).space, "")

    assert forget_other_spaces() == {"fake: hashed-words (64)": 20}

    assert not MemoryVector.objects.filter(space_id=old.pk).exists()
    assert list(EmbeddingSpace.objects.order_by("pk").values_list("pk", flat=True)) == [new.pk, being_filled.pk]
    assert {index.space_id for index in vector_index._catalog()} == {new.pk}
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0
    for index in vector_index._catalog():
        index.drop()


def test_a_space_is_forgotten_only_when_every_process_has_noticed(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr("memories.reembedding.time.sleep", waited.append)
    new = wider()
    switch_to(new)
    forget_other_spaces()
    EmbeddingSpace.objects.filter(pk=new.pk).update(in_use_since=timezone.now() - timedelta(minutes=1))
    forget_other_spaces()
    assert 2 * spaces.REMEMBERED_SECONDS - 5 < waited[0] <= 2 * spaces.REMEMBERED_SECONDS
    assert waited[1] == 0


def test_a_space_that_somebody_fills_is_not_forgotten(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "NOTICED_SECONDS", 0.0)
    filled_elsewhere, new = open_space(FakeEmbedder(128).space, ""), wider()
    switch_to(new)
    forgotten: list[dict[str, int]] = []

    def forget_elsewhere(count: int) -> None:
        if not forgotten:
            forgotten.extend(in_threads(1, lambda number: forget_other_spaces()))

    assert move_to(filled_elsewhere, forget_elsewhere) == 0
    assert forgotten == [{"fake: hashed-words (64)": 20}]
    assert dimensions_in(space_in_use()) == {128}
    assert forget_other_spaces() == {"fake: hashed-words (96)": 0}


def test_a_space_that_is_gone_can_be_neither_filled_nor_put_in_use(owner: User) -> None:
    old, new = space_in_use(), wider()
    EmbeddingSpace.objects.get(pk=new.pk).delete()
    with pytest.raises(EmbeddingError, match=r"hashed-words \(96\) have been deleted meanwhile"):
        put_in_use(new)
    with pytest.raises(EmbeddingError, match="have been deleted meanwhile"):
        move_to(new, lambda count: None)
    remembered_space.forget()
    assert space_in_use() == old


def test_two_switches_at_once_wait_for_each_other(owner: User) -> None:
    targets = [space_in_use(), wider()]
    together = threading.Barrier(2)

    def switch_often(number: int) -> int:
        together.wait(20)
        for _ in range(40):
            put_in_use(targets[number])
        return number

    assert in_threads(2, switch_often) == [0, 1]
    assert EmbeddingSpace.objects.exclude(in_use_since=None).count() == 1


def test_writes_whose_space_is_forgotten_meanwhile_leave_their_vectors_pending(owner: User) -> None:
    known = Memory.objects.filter(owner=owner).earliest("pk")
    behind, new = wider(), space_in_use()
    EmbeddingSpace.objects.get(pk=behind.pk).delete()
    remembered_space._space, remembered_space._until = behind, float("inf")

    late = make_memory(owner, "The ferry leaves at nine")
    changed = update_memory(actor_for(owner), known.pk, Changes(text="It rains in Bergen"))

    assert changed.changed_fields == ["text"]
    assert list(pending_memories(new)) == [Memory.objects.get(pk=known.pk), late]


def test_a_space_is_forgotten_with_what_somebody_is_storing_in_it(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reembedding, "NOTICED_SECONDS", 0.0)
    old, new = space_in_use(), wider()
    move_to(new, lambda count: None)
    remembered_space._space, remembered_space._until = old, float("inf")
    is_stored, is_emptied = threading.Event(), threading.Event()

    def tell(sql: str, parameters: dict[str, object]) -> list[Row]:
        rows = fetch_rows(sql, parameters)
        if sql == reembedding._DELETE_SOME and not rows:
            is_emptied.set()
            assert is_stored.wait(20)
        return rows

    monkeypatch.setattr("memories.reembedding.fetch_rows", tell)

    def forget_or_write(number: int) -> None:
        if number == 0:
            assert forget_other_spaces() == {"fake: hashed-words (64)": 20}
            return
        assert is_emptied.wait(20)
        with transaction.atomic():
            make_memory(owner, "The ferry leaves at nine")
            is_stored.set()
            wait_for_somebody_waiting()

    in_threads(2, forget_or_write)
    remembered_space.forget()
    assert [memory.text for memory in pending_memories()] == ["The ferry leaves at nine"]
    assert not EmbeddingSpace.objects.filter(pk=old.pk).exists()


def test_only_one_space_can_be_in_use(owner: User) -> None:
    new = wider()
    with pytest.raises(IntegrityError):
        EmbeddingSpace.objects.filter(pk=new.pk).update(in_use_since=timezone.now())


# --- Settings and the space in use


def test_settings_that_name_another_model_change_nothing_by_themselves(owner: User, settings: Settings) -> None:
    text = memory_texts(20)[3]
    settings.EMBEDDING_DIMENSIONS = 96
    remembered_space.forget()
    assert (configured := configured_space()) is not None
    assert configured.space.dimensions == 96
    assert space_in_use().space.dimensions == 64
    assert found_by_meaning(owner, text) == (text, 1.0)
    make_memory(owner, "The ferry leaves at nine")
    assert dimensions_in(space_in_use()) == {64}


def test_settings_that_are_wrong_leave_the_model_in_use_at_work(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "local", "/nowhere"
    remembered_space.forget()
    assert configured_space() is None
    assert spaces.problems() == []
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0


def test_a_model_that_is_gone_is_told_and_nothing_else_takes_its_place(owner: User, settings: Settings) -> None:
    EmbeddingSpace.objects.update(provider="local", model="mine-123", source="/nowhere")
    remembered_space.forget()
    assert spaces.problems() == ["EMBEDDING_MODEL: /nowhere is not a folder with an ONNX sentence-transformer."]
    EmbeddingSpace.objects.update(source="")
    remembered_space.forget()
    (problem,) = spaces.problems()
    assert "mine-123" in problem


@pytest.mark.parametrize(("provider", "model"), [("openai", "nomic-embed-text"), ("local", "mine-123")])
def test_a_model_at_an_unknown_place_is_told_and_nothing_is_sent(
    owner: User, monkeypatch: pytest.MonkeyPatch, provider: str, model: str
) -> None:
    sent: list[bytes] = []

    def send(endpoint: Endpoint, question: dict[str, object]) -> bytes:
        sent.append(repr(question).encode())
        raise EmbeddingError("stopped")

    monkeypatch.setattr(Endpoint, "post", send)
    EmbeddingSpace.objects.update(provider=provider, model=model, source=None)
    remembered_space.forget()

    (problem,) = spaces.problems()
    assert "It is unknown where the model of the space in use" in problem
    late = make_memory(owner, "The ferry leaves at nine")
    assert recall(View.whole(owner.pk), Query("ferry")).matches[0].memory == late
    assert list(pending_memories()) == [late]
    assert sent == []


def test_the_settings_tell_where_the_model_in_use_is_while_they_name_it(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "openai", "nomic-embed-text"
    settings.EMBEDDING_DIMENSIONS, settings.EMBEDDING_ENDPOINT = 768, "http://127.0.0.1:9/v1"
    EmbeddingSpace.objects.update(provider="openai", model="nomic-embed-text", dimensions=768, source=None)
    remembered_space.forget()
    assert space_in_use().source == "http://127.0.0.1:9/v1"

    settings.EMBEDDING_PROVIDER = "fake"
    remembered_space.forget()
    assert space_in_use()._configuration().endpoint == "http://127.0.0.1:9/v1"
    assert spaces.problems() == []


def test_the_shipped_model_is_known_without_being_told(owner: User) -> None:
    EmbeddingSpace.objects.update(provider="local", model="all-MiniLM-L6-v2-int8", dimensions=384, source=None)
    remembered_space.forget()
    assert spaces.problems() == []


@pytest.mark.parametrize(("endpoint", "is_sent"), [("http://127.0.0.1:9/v1", True), ("http://127.0.0.1:8/v1", False)])
def test_the_key_of_the_settings_goes_to_their_endpoint_alone(settings: Settings, endpoint: str, is_sent: bool) -> None:
    settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_API_KEY = "http://127.0.0.1:9/v1", "secret"
    space = open_space(Space("openai", "a-model", 8), endpoint)
    assert space._configuration().api_key == ("secret" if is_sent else "")


# --- The command


def test_the_command_moves_to_the_model_of_the_settings(owner: User, settings: Settings) -> None:
    settings.EMBEDDING_DIMENSIONS = 96
    said = run()
    assert "Memories are found by fake: hashed-words (96) from now on." in said
    assert "restart" not in said
    assert space_in_use().space.dimensions == 96
    assert run() == "All memories are embedded with fake: hashed-words (96) already.\n"


def test_the_command_moves_to_the_model_of_its_options_and_says_what_to_set(owner: User) -> None:
    said = run("--provider", "fake", "--dimensions", "32")
    assert "fake: hashed-words (32) from now on" in said
    assert "The settings name another model" in said
    assert found_by_meaning(owner, memory_texts(20)[3])[1] == 1.0


def test_the_command_says_what_it_forgets_and_unfinished_moves_are_part_of_it(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "NOTICED_SECONDS", 0.0)
    index_pending_batch(0, wider())
    said = run("--dimensions", "32", "--forget-old").splitlines()
    assert said[2:4] == [
        "Deleted 20 vectors of fake: hashed-words (64).",
        "Deleted 20 vectors of fake: hashed-words (96).",
    ]
    assert EmbeddingSpace.objects.count() == 1


def test_the_command_begins_only_when_the_model_embeds_a_word(owner: User) -> None:
    with pytest.raises(CommandError, match="The model in use stays"):
        run("--provider", "local", "--model", "/nowhere")
    assert EmbeddingSpace.objects.count() == 1
    assert space_in_use().space.dimensions == 64


def test_the_command_can_be_interrupted(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(reembedding, "fill", interrupt)
    with pytest.raises(CommandError, match="Run the same again to go on") as caught:
        run("--dimensions", "32")
    assert caught.value.returncode == command.INTERRUPTED
    assert space_in_use().space.dimensions == 64
