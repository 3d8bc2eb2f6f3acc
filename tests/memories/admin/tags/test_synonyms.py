"""Tests of the page of tag synonyms."""

from __future__ import annotations

import pytest
from django.test import Client

from common.pages import admin_list
from memories.access import View
from memories.models import TagSynonym
from memories.tags import canonical_tags
from oauthserver.models import User
from tests.support.factories import make_user

LIST = "/admin/memories/tagsynonym/"


@pytest.fixture
def owner(db: None) -> User:
    """An owner without synonyms."""
    user = make_user("owner")
    TagSynonym.objects.filter(owner=user).delete()
    return user


@pytest.fixture
def kitty(owner: User) -> TagSynonym:
    """The owner's only synonym."""
    return TagSynonym.objects.create(owner=owner, variant="kitty", canonical="pets")


def test_a_new_synonym_is_cleaned_and_used_at_once(owner: User, pages: Client) -> None:
    pages.post(f"{LIST}add/", {"variant": " Gadget Talk ", "canonical": "Software"})
    assert canonical_tags(View.whole(owner.pk), ["gadget talk"]) == ["software"]


def test_the_message_about_a_new_synonym_names_its_tag(owner: User, pages: Client) -> None:
    page = pages.post(f"{LIST}add/", {"variant": "haus", "canonical": "home"}, follow=True).content.decode()
    assert "“haus” was added." in page


def test_a_row_stands_above_its_page_as_it_is_written(pages: Client, kitty: TagSynonym) -> None:
    heading = pages.get(f"{LIST}{kitty.pk}/change/").content.decode().partition("<h1")[2].partition("</h1>")[0]
    assert "“kitty” is stored as “pets”" in heading


def test_deleting_a_synonym_is_asked_for_in_the_words_of_its_row(pages: Client, kitty: TagSynonym) -> None:
    page = pages.get(f"/admin/memories/tagsynonym/{kitty.pk}/delete/").content.decode()
    assert "<h1>No longer store “kitty” as “pets”?</h1>" in page
    assert "→" not in page
    page = pages.post(f"/admin/memories/tagsynonym/{kitty.pk}/delete/", {"post": "yes"}, follow=True).content.decode()
    assert "“kitty” was deleted." in page


def test_a_list_says_how_many_rows_it_has(owner: User, pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [TagSynonym(owner=owner, variant=f"tag-{number}", canonical="pets") for number in range(101)]
    TagSynonym.objects.bulk_create(rows[:100])
    assert "100 in all" in pages.get(LIST).content.decode()
    TagSynonym.objects.bulk_create(rows[100:])
    assert "101 in all" in pages.get(LIST).content.decode()
    assert "101 in all" in pages.get(f"{LIST}?p=2").content.decode()
    past_the_end = pages.get(f"{LIST}?p=7").content.decode()
    assert "101 in all" in past_the_end
    assert 'href="?p=1"' in past_the_end
    monkeypatch.setattr(admin_list, "MAX_COUNTED", 101)
    assert "101 and more" in pages.get(LIST).content.decode()


def test_a_synonym_can_be_changed_and_deleted(owner: User, pages: Client, kitty: TagSynonym) -> None:
    pages.post(f"{LIST}{kitty.pk}/change/", {"variant": "kitty", "canonical": "cats"})
    assert canonical_tags(View.whole(owner.pk), ["kitty"]) == ["cats"]
    pages.post(f"{LIST}{kitty.pk}/delete/", {"post": "yes"})
    assert canonical_tags(View.whole(owner.pk), ["kitty"]) == ["kitty"]


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        (("kitty", "cats"), "variant", "is already stored as another tag"),
        (("pets", "animals"), "variant", "cannot be stored as another one"),
        (("cat", "kitty"), "canonical", "Use “pets”"),
        (("cat", "Cat"), "canonical", "must differ from the tag"),
        (("!", "pets"), "variant", "two characters"),
        (("x" * 100, "pets"), "variant", "at most 64"),
        (("half\x00way", "pets"), "variant", "Null characters"),
        (("", "pets"), "variant", "required"),
    ],
)
def test_a_synonym_that_makes_no_sense_is_refused(
    pages: Client, kitty: TagSynonym, typed: tuple[str, str], field: str, said: str
) -> None:
    variant, canonical = typed
    response = pages.post(f"{LIST}add/", {"variant": variant, "canonical": canonical})
    assert said in " ".join(response.context["adminform"].form.errors[field])
    assert list(TagSynonym.objects.filter(owner=kitty.owner)) == [kitty]


def test_synonyms_of_another_are_neither_seen_nor_changed(owner: User, pages: Client) -> None:
    foreign = TagSynonym.objects.create(owner=make_user(), variant="kitty", canonical="secret-pets")
    assert "secret-pets" not in pages.get(LIST).content.decode()
    assert pages.get(f"{LIST}{foreign.pk}/change/").status_code == 404
    pages.post(f"{LIST}add/", {"variant": "kitty", "canonical": "cats"})
    assert canonical_tags(View.whole(owner.pk), ["kitty"]) == ["cats"]
