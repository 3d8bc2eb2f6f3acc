"""Moves of all memories to the space that the owner chose, without a further command."""

from __future__ import annotations

import logging

from django.conf import settings

from memories.embeddings.base import DEFAULT_MODEL, SHIPPED_MODELS, Space
from memories.embeddings.prefixes import model_and_prefix
from memories.embeddings.store import configured_model, is_choice_configured
from memories.vectors.reembedding import Report, move_to
from memories.vectors.spaces import ConfiguredSpace, configured_space, open_space, space_in_use_or_none

logger = logging.getLogger(__name__)


def space_to_follow() -> ConfiguredSpace | None:
    """Return the space that the job process fills and puts in use, or None if the right one is in use.

    There is one in two cases: the owner chose another model with `get_model`, or the prefix of passages has changed for
    the model in use. A changed EMBEDDING_* setting that names another model is followed only by `reembed`.
    """
    in_use = space_in_use_or_none()
    if in_use is None:
        return None
    is_chosen = is_choice_configured()
    named = configured_model() or DEFAULT_MODEL
    # Shipped models are compared by name: the job process need not load the libraries that they run on.
    if (
        settings.EMBEDDING_PROVIDER == "local"
        and named in SHIPPED_MODELS
        and (not is_chosen or in_use.space.model == named)
    ):
        return None
    configured = configured_space()
    if configured is None or configured.space == in_use.space:
        return None
    return configured if is_chosen or _differ_in_prefix(configured.space, in_use.space) else None


def follow(report: Report = lambda count: None) -> int | None:
    """Fill the space to follow and put it in use; return how many memories are left without vectors in it.

    Return None if there is nothing to do, or if the owner chooses otherwise meanwhile. Not within a transaction. Raises
    EmbeddingError and StorageFull; what was done until then is kept, and the next call continues.
    """
    wanted = space_to_follow()
    if wanted is None:
        return None
    logger.info(
        "Memories are being embedded with %s; until that is done, searches use the previous model.", wanted.space
    )

    def report_unless_outdated(count: int) -> None:
        if space_to_follow() not in {wanted, None}:
            raise _Outdated
        report(count)

    try:
        left = move_to(open_space(wanted.space, wanted.source), report_unless_outdated)
    except _Outdated:
        return None
    logger.info("Searches use %s from now on.", wanted.space)
    return left


class _Outdated(Exception):
    """A space is being filled that is no longer the one to follow."""


def _differ_in_prefix(first: Space, second: Space) -> bool:
    """Return whether two different spaces have the same model."""
    return (first.provider, first.dimensions, model_and_prefix(first.model)[0]) == (
        second.provider,
        second.dimensions,
        model_and_prefix(second.model)[0],
    )
