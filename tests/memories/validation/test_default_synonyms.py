"""Tests of the tag synonyms of a new owner."""

from __future__ import annotations

import pytest

from memories.models import TagSynonym
from memories.tags import DEFAULT_SYNONYMS
from tests.support.factories import make_memory, make_user

pytestmark = pytest.mark.django_db


def synonyms_of(owner_id: int) -> dict[str, str]:
    return dict(TagSynonym.objects.filter(owner_id=owner_id).values_list("variant", "canonical"))


def test_a_new_user_has_the_default_synonyms() -> None:
    user = make_user()

    assert synonyms_of(user.pk) == DEFAULT_SYNONYMS
    assert make_memory(user, "Writes Python.", tags=("coding", "Dev")).tags == ["software"]


def test_what_the_owner_changed_stays_when_the_user_is_saved_again() -> None:
    user = make_user()
    TagSynonym.objects.filter(owner=user, variant="tech").delete()

    user.save()

    assert "tech" not in synonyms_of(user.pk)


def test_each_user_has_synonyms_of_their_own() -> None:
    first, second = make_user(), make_user()
    TagSynonym.objects.filter(owner=first).delete()

    assert synonyms_of(second.pk) == DEFAULT_SYNONYMS
