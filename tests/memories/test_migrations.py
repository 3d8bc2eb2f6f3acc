"""Tests of migrating to a newer schema, and back to an older one."""

from __future__ import annotations

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from memories.models import EmbeddingSpace
from memories.writing.lifecycle import forget_memory
from memories.writing.quarantine import accept_memories
from tests.support.factories import infer, make_memory, make_user, owner_actor, quarantined

QUARANTINE = ("memories", "0003_quarantine")
UNKNOWN_SOURCE = ("memories", "0008_unknown_source")


def begin_to_go_back() -> None:
    """Undo the last operation of the migration that added quarantine."""
    loader = MigrationLoader(connection)
    state = loader.project_state(QUARANTINE)
    with connection.schema_editor() as editor:
        loader.get_migration(*QUARANTINE).operations[-1].database_backwards(QUARANTINE[0], editor, state, state)


@pytest.mark.django_db
@pytest.mark.parametrize("is_taken_back", [False, True])
def test_the_schema_without_quarantine_does_not_bring_what_is_in_it_to_light(is_taken_back: bool) -> None:
    owner = make_user()
    make_memory(owner, "Robin drinks coffee")
    held = infer(quarantined(owner), "Robin may like jazz").memory_id
    if is_taken_back:
        forget_memory(quarantined(owner), held)
    with pytest.raises(CommandError, match="In quarantine: 1, "):
        begin_to_go_back()


@pytest.mark.django_db
def test_with_nothing_in_quarantine_the_way_back_is_open() -> None:
    owner = make_user()
    held = infer(quarantined(owner), "Robin may like jazz").memory_id
    accept_memories(owner_actor(owner), [held])
    begin_to_go_back()
    infer(quarantined(owner), "Robin may like blues")
    with pytest.raises(CommandError):
        begin_to_go_back()


@pytest.mark.django_db
def test_where_a_model_is_that_was_never_noted_is_unknown_and_not_the_provider_s_own() -> None:
    for model, source in (("nomic-embed-text", ""), ("bge-m3", "http://127.0.0.1:9/v1")):
        EmbeddingSpace.objects.create(provider="openai", model=model, dimensions=768, source=source)
    loader = MigrationLoader(connection)
    state = loader.project_state(UNKNOWN_SOURCE)
    with connection.schema_editor() as editor:
        loader.get_migration(*UNKNOWN_SOURCE).operations[-1].database_forwards("memories", editor, state, state)
    noted = dict(EmbeddingSpace.objects.filter(provider="openai").values_list("model", "source"))
    assert noted == {"nomic-embed-text": None, "bge-m3": "http://127.0.0.1:9/v1"}
