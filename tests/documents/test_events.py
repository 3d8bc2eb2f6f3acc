"""Tests of the notifications of changes of documents, by every kind of change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import transaction

from documents.events import CHANNEL, DocumentChange
from documents.sources.changes import change_source, remove_source
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from documents.writing.review import accept_document
from memories.access import View
from memories.events.changes import ChangeKind
from oauthserver.models import User
from tests.documents.sources.support import folder_source, synced, write
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import actor_for, make_user, owner_actor, quarantined
from tests.support.notifications import Heard, listening

pytestmark = pytest.mark.django_db(transaction=True)

URL = "https://example.com/boat"


@pytest.fixture
def heard() -> Iterator[Heard]:
    with listening(CHANNEL) as payloads:
        yield payloads


@pytest.fixture
def owner() -> User:
    return make_user()


def kinds(payloads: list[str], view: View) -> list[ChangeKind | None]:
    return [change.kind(view) for change in map(DocumentChange.read, payloads)]


def test_each_kind_of_change_is_published(heard: Heard, owner: User) -> None:
    actor, view = actor_for(owner), View.whole(owner.pk)
    document = make_document(owner, BOAT, source_url=URL)
    payloads = heard()
    assert {DocumentChange.read(payload).document_id for payload in payloads} == {document.pk}
    assert kinds(payloads, view)[0] == ChangeKind.ADDED
    assert set(kinds(payloads, view)[1:]) == {ChangeKind.UPDATED}
    for change, expected in (
        (lambda: change_document(actor, document.pk, title="Our boat"), ChangeKind.UPDATED),
        (lambda: change_document(actor, document.pk, tags=["sea"]), ChangeKind.UPDATED),
        (lambda: make_document(owner, "Sold.", source_url=URL), ChangeKind.UPDATED),
        (lambda: forget_document(actor, document.pk), ChangeKind.REMOVED),
        (lambda: restore_document(actor, document.pk), ChangeKind.ADDED),
        (lambda: hard_delete_document(actor, document.pk), ChangeKind.REMOVED),
    ):
        change()
        *earlier, last = kinds(heard(), view)
        assert last == expected
        # Before its row, a deletion removes the versions, of which one is the current one.
        assert set(earlier) <= {ChangeKind.UPDATED}


def test_a_payload_has_no_words_of_the_document(heard: Heard, owner: User) -> None:
    make_document(owner, BOAT, title="Sailing manual", tags=["sea"])
    assert not {word for payload in heard() for word in ("Sailing", "sea", "boat", "engine") if word in payload}


def test_nothing_is_published_for_what_changes_nothing_or_is_rolled_back(heard: Heard, owner: User) -> None:
    document = make_document(owner, BOAT, source_url=URL)
    heard()
    make_document(owner, BOAT, source_url=URL)
    forget_document(actor_for(owner), document.pk, dry_run=True)
    with transaction.atomic():
        forget_document(actor_for(owner), document.pk)
        transaction.set_rollback(True)
    assert heard() == []
    forget_document(actor_for(owner), document.pk)
    heard()
    forget_document(actor_for(owner), document.pk, reason="Sold.")
    hard_delete_document(actor_for(owner), document.pk)
    assert heard() == []


def test_a_document_that_awaits_review_appears_when_it_is_accepted(heard: Heard, owner: User) -> None:
    document = added(quarantined(owner), BOAT, title="Guess", quarantined_from="guesser").document
    change_document(owner_actor(owner), document.pk, title="Boat")
    assert heard() == []
    accept_document(owner_actor(owner), document.pk)
    assert kinds(heard(), View.whole(owner.pk)) == [ChangeKind.ADDED]


def test_a_limited_view_and_other_owners_are_not_told_of_what_they_cannot_see(heard: Heard, owner: User) -> None:
    sea, other = View(owner.pk, ("sea",)), View.whole(make_user().pk)
    document = make_document(owner, BOAT, tags=["home"])
    payloads = heard()
    assert set(kinds(payloads, sea)) == set(kinds(payloads, other)) == {None}
    change_document(actor_for(owner), document.pk, tags=["home", "sea"])
    assert kinds(heard(), sea) == [ChangeKind.ADDED]
    change_document(actor_for(owner), document.pk, tags=["home"])
    assert kinds(heard(), sea) == [ChangeKind.REMOVED]


def test_syncs_publish_what_they_change(heard: Heard, owner: User, tmp_path: Path) -> None:
    view, source = View.whole(owner.pk), folder_source(owner, tmp_path)
    write(tmp_path, boat="The boat.", tea="Tea.")
    synced(source)
    assert kinds(heard(), view).count(ChangeKind.ADDED) == 2
    synced(source)
    assert heard() == []
    change_source(source, tags=["sea"])
    assert kinds(heard(), view) == [ChangeKind.UPDATED] * 2
    remove_source(source)
    assert kinds(heard(), view) == [ChangeKind.REMOVED] * 2
