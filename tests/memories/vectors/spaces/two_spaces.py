"""A second embedding space beside the one in use, and searches in both."""

from __future__ import annotations

from memories.access import View
from memories.embeddings import embedder_of
from memories.embeddings.base import EmbedderConfig
from memories.models import MemoryVector
from memories.recall.pipeline import Mode, Query, recall
from memories.vectors.spaces import OpenSpace, open_space
from oauthserver.models import User


def wider() -> OpenSpace:
    """Open a space of 96 dimensions that is not in use."""
    return open_space(embedder_of("fake", EmbedderConfig(dimensions=96)).space, "")


def found_by_meaning(user: User, text: str) -> tuple[str, float]:
    match = recall(View.whole(user.pk), Query(text, mode=Mode.SEMANTIC)).matches[0]
    return match.memory.text, round(match.score, 2)


def dimensions_in(space: OpenSpace) -> set[int]:
    return {len(vector.embedding) for vector in MemoryVector.objects.filter(space_id=space.pk)}
