"""Tests of the interactive mode of embedders: on for questions and single writes, off for batches and jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memories.access import View
from memories.embeddings import Embedding
from memories.embeddings.fake import FakeEmbedder
from memories.embeddings.interactive import is_interactive
from memories.models import MemoryVector
from memories.recall.pipeline import Query, recall
from memories.vectors.indexing import embed_or_leave_pending, index_pending_batch
from oauthserver.models import User
from tests.support.embeddings.embedders import use_embedder
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user()


class Noting(FakeEmbedder):
    """An embedder that records for each call whether a request waits for it."""

    awaited: list[bool]

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        self.awaited.append(is_interactive())
        return super().embed(texts)


@pytest.mark.parametrize(
    ("embed", "is_waited_for"),
    [
        (lambda owner: recall(View.whole(owner.pk), Query("tea")), True),
        (lambda owner: embed_or_leave_pending(["tea"]), True),
        (lambda owner: embed_or_leave_pending(["tea", "milk"]), False),
        (lambda owner: index_pending_batch(), False),
    ],
    ids=["question", "single write", "many", "job"],
)
def test_an_endpoint_is_hurried_only_where_somebody_waits(
    owner: User, monkeypatch: pytest.MonkeyPatch, embed: Callable[[User], object], is_waited_for: bool
) -> None:
    make_memory(owner, "The tea is in the drawer")
    MemoryVector.objects.all().delete()
    noting = Noting()
    noting.awaited = []
    use_embedder(monkeypatch, lambda: noting)
    embed(owner)
    assert noting.awaited == [is_waited_for]
    assert not is_interactive()
