"""Reading of the first candidates together with the question: candidates that a network takes for answers move
forward."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence, Set

from memories.embeddings.combined.question_language import question_language
from memories.errors import EmbeddingError
from memories.recall.answering import read_answers
from memories.recall.ranking import Ranked

logger = logging.getLogger(__name__)

READ = 4
"""Maximum number of candidates that are read. Each takes about 4 ms of a core. With six, no more answers come first."""

MAX_DISTANCE = 0.15
"""Greatest distance in rank to the first candidate. A candidate that is farther behind rarely overtakes it and is not
read."""


def answers_among(
    question: str, ranked: Sequence[Ranked], texts: Mapping[int, str], others: Set[int] = frozenset()
) -> dict[int, float]:
    """Return how likely each of the first candidates answers the question, 0–1, by its id.

    Those that rank too far behind the first one are not read. Nothing is read, and the result is empty, if any text is
    not in English, or if the network cannot be loaded.

    - `ranked`: the candidates, most relevant first.
    - `texts`: the texts of those that still exist.
    - `others`: those that are about another subject. They are not read: the network hardly notices names.
    """
    found = [item for item in ranked if item.candidate.item_id in texts.keys() - others][:READ]
    ids = [item.candidate.item_id for item in found if found[0].rank - item.rank < MAX_DISTANCE]
    read = [texts[pk] for pk in ids]
    if not read or any(question_language(text) == "other" for text in read):
        return {}
    try:
        return dict(zip(ids, read_answers(question, read), strict=True))
    except EmbeddingError as error:
        logger.warning("Answers cannot be read for now: %s", error)
        return {}
