"""Tests of moves that need no command: to a changed prefix, and to the model that the owner chose."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from memories import tasks
from memories.access import View
from memories.embeddings import clear_embedders, store
from memories.embeddings.base import DEFAULT_MODEL
from memories.embeddings.curated import CURATED
from memories.embeddings.store import choose_model
from memories.errors import EmbeddingError
from memories.models import EmbeddingSpace, Memory, MemoryVector
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors import following
from memories.vectors.following import follow, space_to_follow
from memories.vectors.indexing import index_pending_batch
from memories.vectors.reembedding import move_to
from memories.vectors.spaces import cached_space, differently_configured_space, open_space, space_in_use
from oauthserver.models import User
from tests.support.embeddings.embedding_server import DIMENSIONS, EmbeddingServer, embedding_server
from tests.support.embeddings.models_folder import use_models_folder
from tests.support.embeddings.tiny_model import write_model
from tests.support.factories import make_memory, make_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

SMALL, OTHER = "multilingual-e5-small", "bge-small-en-v1.5"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    with embedding_server(monkeypatch) as running:
        yield running


@pytest.fixture
def remote(server: EmbeddingServer, settings: Settings) -> EmbeddingServer:
    """An endpoint with a model that has prefixes, in the settings."""
    settings.EMBEDDING_PROVIDER, settings.EMBEDDING_MODEL = "openai", "nomic-embed-text"
    settings.EMBEDDING_ENDPOINT, settings.EMBEDDING_DIMENSIONS = server.url, DIMENSIONS
    cached_space.invalidate()
    return server


@pytest.fixture
def local(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A data folder with two downloaded models, for the local provider without further settings."""
    settings.EMBEDDING_PROVIDER = "local"
    use_models_folder(settings, tmp_path / "models")
    write_model(settings.MODELS_DIR / SMALL)
    write_model(settings.MODELS_DIR / OTHER, inputs=("input_ids",))
    clear_embedders()
    cached_space.invalidate()
    yield tmp_path
    clear_embedders()


def sent_to(server: EmbeddingServer) -> list[str]:
    sent = [text for request in server.requests for text in request.inputs]
    server.requests.clear()
    return sent


def ask(user: User, text: str) -> None:
    recall(View.whole(user.pk), Query(text, mode=Mode.SEMANTIC))


def test_vectors_without_the_prefix_are_searched_without_it_until_all_are_made_anew(remote: EmbeddingServer) -> None:
    user = make_user()
    EmbeddingSpace.objects.all().delete()
    EmbeddingSpace.objects.create(
        provider="openai",
        model="nomic-embed-text",
        dimensions=DIMENSIONS,
        source=remote.url,
        in_use_since=timezone.now(),
    )
    cached_space.invalidate()
    make_memory(user, "I drink tea")
    ask(user, "which drink?")
    assert sent_to(remote) == ["I drink tea", "which drink?"]
    old = space_in_use()

    assert follow() == 0

    assert sent_to(remote) == ["search_document: I drink tea"]
    cached_space.invalidate()
    ask(user, "which drink?")
    assert sent_to(remote) == ["search_query: which drink?"]
    assert set(MemoryVector.objects.values_list("space_id", flat=True)) == {old.pk, space_in_use().pk}
    assert space_to_follow() is None
    assert follow() is None


def test_a_changed_prefix_of_questions_needs_no_new_vectors(remote: EmbeddingServer, settings: Settings) -> None:
    user = make_user()
    make_memory(user, "I drink tea")
    settings.EMBEDDING_QUERY_PREFIX = "ask: "
    sent_to(remote)
    ask(user, "which drink?")

    assert sent_to(remote) == ["ask: which drink?"]
    assert space_to_follow() is None


def test_a_setting_that_names_another_model_is_not_followed(remote: EmbeddingServer, settings: Settings) -> None:
    make_memory(make_user(), "I drink tea")
    settings.EMBEDDING_MODEL = "mxbai-embed-large"

    assert differently_configured_space() is not None
    assert space_to_follow() is None


def test_a_failing_endpoint_leaves_the_old_space_in_use_and_the_next_run_continues(
    remote: EmbeddingServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_memory(make_user(), "I drink tea")
    old = space_in_use()
    settings.EMBEDDING_PASSAGE_PREFIX = "text: "
    monkeypatch.setattr(following, "move_to", lambda *_: (_ for _ in ()).throw(EmbeddingError("it is down")))
    tasks.follow_model()
    assert space_in_use() == old

    monkeypatch.undo()
    tasks.follow_model()
    assert space_in_use().space.model == 'nomic-embed-text + "text: "'


def test_the_model_that_the_owner_chose_is_followed_and_stays_at_the_next_start(local: Path) -> None:
    user = make_user()
    for text in ("cat", "dog"):
        make_memory(user, text)
    assert space_in_use().space.model == DEFAULT_MODEL

    choose_model(SMALL)
    assert space_in_use().space.model == DEFAULT_MODEL
    assert follow() == 0

    cached_space.invalidate()
    clear_embedders()
    assert space_in_use().space.model.startswith(f"{SMALL}-")
    assert EmbeddingSpace.objects.get(in_use_since__isnull=False).source == SMALL
    assert differently_configured_space() is None
    assert recall(View.whole(user.pk), Query("dog", mode=Mode.SEMANTIC)).matches[0].memory.text == "dog"

    choose_model(DEFAULT_MODEL)
    assert follow() == 0
    cached_space.invalidate()
    assert space_in_use().space.model == DEFAULT_MODEL


def test_a_moved_data_folder_still_has_its_model(local: Path, settings: Settings) -> None:
    choose_model(SMALL)
    make_memory(make_user(), "cat")
    assert space_in_use().space.model.startswith(f"{SMALL}-")

    settings.MODELS_DIR = (local / "models").rename(local / "elsewhere")
    clear_embedders()
    cached_space.invalidate()
    space_in_use().check()


def test_the_setting_wins_over_the_choice(local: Path, settings: Settings) -> None:
    make_memory(make_user(), "cat")
    choose_model(SMALL)
    settings.EMBEDDING_MODEL = DEFAULT_MODEL

    assert space_to_follow() is None
    assert differently_configured_space() is None


def test_a_choice_that_changes_meanwhile_ends_the_move(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    for text in ("cat", "dog"):
        make_memory(user, text)
    choose_model(SMALL)
    real = open_space

    def change_of_mind(*arguments: object) -> object:
        choose_model(OTHER)
        return real(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(following, "open_space", change_of_mind)
        assert follow() is None
    assert space_in_use().space.model == DEFAULT_MODEL
    assert follow() == 0
    cached_space.invalidate()
    assert space_in_use().space.model.startswith(f"{OTHER}-")


def test_a_damaged_chosen_model_leaves_the_old_one_at_work(local: Path) -> None:
    user = make_user()
    make_memory(user, "cat")
    (local / "models" / SMALL / "tokenizer.json").unlink()
    choose_model(SMALL)

    assert follow() is None
    assert recall(View.whole(user.pk), Query("cat", mode=Mode.SEMANTIC)).matches[0].memory.text == "cat"


def test_an_unknown_or_unreadable_choice_is_no_choice(local: Path) -> None:
    for content in (b"../../etc\n", b"\xff\xfe", b""):
        (local / "models" / "chosen").write_bytes(content)
        assert store.chosen_model() == ""
    assert set(CURATED) >= {SMALL, OTHER}


def test_memories_written_during_the_move_are_in_the_new_space(local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = make_user()
    make_memory(user, "cat")
    choose_model(SMALL)
    real = move_to

    def write_too(*arguments: object) -> int:
        make_memory(user, "dog")
        left: int = real(*arguments)  # type: ignore[arg-type]
        make_memory(user, "a cat")  # This process has noticed the switch; another one may not have.
        return left

    monkeypatch.setattr(following, "move_to", write_too)
    assert follow() == 0
    index_pending_batch()
    cached_space.invalidate()
    new = space_in_use()
    assert (
        MemoryVector.objects.filter(space_id=new.pk).values("memory").distinct().count() == Memory.objects.count() == 3
    )
