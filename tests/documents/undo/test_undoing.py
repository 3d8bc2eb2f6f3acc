"""Tests of undoing changes of documents: what comes back, what goes away, and what is left alone."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.utils import timezone

from documents.models import Chunk, Document, Version
from documents.search import search_documents
from documents.sources.changes import remove_source
from documents.tasks import read_queued
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document, hard_delete_document
from documents.writing.review import accept_document, awaiting_review
from memories.access import Actor, View
from memories.errors import NotFound
from memories.models import JournalEntry, Memory
from memories.recall.pipeline import Mode, Query
from memories.undo.documents import documents
from memories.undo.outcomes import Resolution
from memories.undo.reversal import Obstacle
from memories.undo.selection import Selection
from memories.undo.undoing import UndoOutcome, preview, undo
from oauthserver.models import User
from tests.documents.sources.support import active_keys, folder_source, synced, write
from tests.documents.support import BOAT, added, make_document
from tests.support.factories import make_memory, make_user, owner_actor, quarantined

URL = "https://example.com/boat"
SOLD = "# Ragnhild\n\nThe boat is sold to Nils.\n"


@pytest.fixture
def owner(db: None) -> User:
    return make_user()


def app(owner: User, client: str = "cursor", *tags: str) -> Actor:
    """Return an app as the actor of one call."""
    return Actor(View(owner.pk, tags), client)


def of(client: str = "cursor") -> Selection:
    return Selection(clients=[client])


def ids(outcome: UndoOutcome) -> tuple[list[UUID], list[UUID], list[UUID]]:
    """Return the restored, the removed and the conflicting documents."""
    found = outcome.documents
    restored, removed, conflicts = (
        [reversal.item_id for reversal in group] for group in (found.restored, found.removed, found.conflicts)
    )
    return restored, removed, conflicts


def undone(owner: User, selection: Selection) -> Selection:
    """Undo, read what has come back, and return the selection that undoes the undo."""
    undoing = owner_actor(owner)
    undo(undoing, selection)
    read_queued()
    return Selection(change_set=undoing.change_set)


def passages(owner: User, query: str) -> list[str]:
    found = search_documents(View.whole(owner.pk), Query(query, 5, mode=Mode.KEYWORD))
    return [passage.chunk.text for passage in found.passages]


def active(owner: User) -> list[str]:
    return sorted(Document.objects.not_deleted().filter(owner=owner).values_list("title", flat=True))


def test_what_an_app_did_to_documents_and_memories_is_undone_together(owner: User) -> None:
    mine = added(owner_actor(owner), BOAT, tags=("sea",)).document
    bad = app(owner)
    nonsense = added(bad, "# Moon\n\nIt is made of cheese.\n").document
    change_document(bad, mine.pk, title="My submarine", tags=["war"])
    memory = make_memory(owner, "I like tea")
    JournalEntry.objects.filter(memory_id=memory.pk).update(client="cursor")
    planned = preview(owner_actor(owner), of())
    assert (ids(planned), len(planned.removed)) == (([mine.pk], [nonsense.pk], []), 1)
    undoing = owner_actor(owner)
    assert ids(undo(undoing, of())) == ids(planned)
    mine.refresh_from_db()
    assert (mine.title, mine.is_title_given, mine.tags, active(owner)) == ("Ragnhild", False, ["sea"], ["Ragnhild"])
    assert set(map(tuple, Chunk.objects.filter(document=mine).values_list("tags", flat=True))) == {("sea",)}
    assert {chunk.context.split(" ")[0] for chunk in Chunk.objects.filter(document=mine)} == {"Ragnhild"}
    assert not Memory.objects.not_deleted().exists()
    assert JournalEntry.objects.filter(change_set=undoing.change_set, operation="undo").count() == 3


def test_an_earlier_version_comes_back_and_redo_brings_the_later_one(owner: User) -> None:
    document = make_document(owner, source_url=URL)
    added(app(owner), SOLD, source_url=URL)
    assert any("Nils" in text for text in passages(owner, "Who bought the boat?"))
    redo = undone(owner, of())
    document.refresh_from_db()
    assert document.current is not None
    assert (document.current.number, "harbour of Lyngby" in document.current.text) == (3, True)
    assert not any("Nils" in text for text in passages(owner, "Who bought the boat?"))
    again = undone(owner, redo)
    document.refresh_from_db()
    assert document.current is not None
    assert (document.current.number, "Nils" in document.current.text) == (4, True)
    undone(owner, again)
    document.refresh_from_db()
    assert document.current is not None
    assert "Lyngby" in document.current.text
    assert Document.objects.count() == 1


def test_until_it_is_read_neither_content_is_found(owner: User) -> None:
    document = make_document(owner, source_url=URL)
    added(app(owner), SOLD, source_url=URL)
    undo(owner_actor(owner), of())
    assert passages(owner, "boat") == []
    # The version that was undone is never taken for the newest, also if it had not been read.
    assert document.versions.order_by("-number")[0].state == Version.State.QUEUED
    read_queued()
    assert any("Lyngby" in text for text in passages(owner, "boat"))


def test_the_version_that_was_undone_can_be_added_again(owner: User) -> None:
    document = make_document(owner, source_url=URL)
    added(app(owner), SOLD, source_url=URL)
    undone(owner, of())
    outcome = added(app(owner), SOLD, source_url=URL)
    assert (outcome.document.pk, outcome.is_known, outcome.version.number) == (document.pk, False, 4)


def test_a_document_that_was_changed_since_is_a_conflict_and_stays(owner: User) -> None:
    document = added(app(owner), BOAT).document
    change_document(owner_actor(owner), document.pk, title="Mine")
    outcome = undo(owner_actor(owner), of())
    assert ids(outcome) == ([], [], [document.pk])
    assert outcome.documents.conflicts[0].obstacle == Obstacle.CHANGED_SINCE
    assert active(owner) == ["Mine"]
    assert ids(undo(owner_actor(owner), of(), {document.pk: Resolution.REVERT})) == ([], [document.pk], [])
    assert active(owner) == []


def test_another_version_since_is_a_conflict(owner: User) -> None:
    document = make_document(owner, source_url=URL)
    added(app(owner), SOLD, source_url=URL)
    added(owner_actor(owner), "# Ragnhild\n\nBought back.\n", source_url=URL)
    assert ids(preview(owner_actor(owner), of())) == ([], [], [document.pk])
    undo(owner_actor(owner), of(), default=Resolution.REVERT)
    read_queued()
    document.refresh_from_db()
    assert document.current is not None
    assert "Lyngby" in document.current.text


def test_changes_of_other_fields_are_no_conflict(owner: User) -> None:
    document = added(owner_actor(owner), BOAT, tags=("sea",)).document
    change_document(app(owner), document.pk, tags=["war"])
    change_document(owner_actor(owner), document.pk, title="Mine")
    undo(owner_actor(owner), of())
    document.refresh_from_db()
    assert (document.title, document.tags) == ("Mine", ["sea"])


def test_tags_of_the_file_are_no_conflict_with_adding_it(owner: User) -> None:
    document = added(app(owner), "---\ntags: [harbour]\n---\n# Boat\n\nIt floats.\n").document
    entry = JournalEntry.objects.filter(document_id=document.pk).earliest("pk")
    assert ids(preview(owner_actor(owner), Selection(entry_id=entry.pk))) == ([], [document.pk], [])


def test_a_forgotten_document_comes_back_unless_it_was_added_again(owner: User) -> None:
    first, second = make_document(owner), make_document(owner, "# Tea\n\nGreen.\n")
    forget_document(app(owner), first.pk, reason="Nonsense")
    forget_document(app(owner), second.pk)
    again = make_document(owner)
    outcome = undo(owner_actor(owner), of())
    assert ids(outcome) == ([second.pk], [], [first.pk])
    conflict = outcome.documents.conflicts[0]
    assert (conflict.obstacle, conflict.duplicate_id) == (Obstacle.ADDED_AGAIN, again.pk)
    assert active(owner) == ["Ragnhild", "Tea"]
    assert any("Green" in text for text in passages(owner, "green tea"))


def test_what_goes_away_makes_room_for_what_comes_back(owner: User) -> None:
    first = make_document(owner)
    forget_document(app(owner), first.pk)
    again = added(app(owner), BOAT).document
    assert ids(undo(owner_actor(owner), of())) == ([first.pk], [again.pk], [])
    assert active(owner) == ["Ragnhild"]


def test_a_version_that_is_gone_cannot_come_back(owner: User) -> None:
    document = make_document(owner, source_url=URL)
    added(app(owner), SOLD, source_url=URL)
    Version.objects.filter(document=document, number=1).delete()
    outcome = undo(owner_actor(owner), of(), default=Resolution.REVERT)
    assert [(each.item_id, each.obstacle) for each in outcome.documents.conflicts] == [
        (document.pk, Obstacle.CONTENT_GONE)
    ]
    assert any("Nils" in text for text in passages(owner, "Who bought the boat?"))


def test_a_permanently_deleted_document_stays_deleted(owner: User) -> None:
    added(app(owner), BOAT)
    gone = added(app(owner), "# Tea\n\nGreen.\n").document
    hard_delete_document(owner_actor(owner), gone.pk)
    outcome = undo(owner_actor(owner), Selection(since=timezone.now() - timedelta(hours=1)))
    assert (outcome.documents.deleted_ids, active(owner)) == ([gone.pk], [])


def test_accepting_is_undone_to_the_review(owner: User) -> None:
    known = make_document(owner, tags=("home",), source_url=URL)
    again = added(quarantined(owner), SOLD, tags=("sea",), source_url=URL, quarantined_from="guesser").document
    accepting = owner_actor(owner)
    accept_document(accepting, again.pk)
    read_queued()
    undone(owner, Selection(change_set=accepting.change_set))
    assert [document.pk for document in awaiting_review(View.whole(owner.pk))] == [again.pk]
    known.refresh_from_db()
    assert known.current is not None
    assert (known.tags, "Lyngby" in known.current.text) == (["home"], True)


def test_an_app_does_not_undo_the_owner_s_acceptance(owner: User) -> None:
    document = added(quarantined(owner), BOAT, quarantined_from="guesser").document
    accepting = owner_actor(owner)
    accept_document(accepting, document.pk)
    with pytest.raises(NotFound):
        undo(quarantined(owner), Selection(change_set=accepting.change_set))
    outcome = preview(owner_actor(owner), Selection(change_set=accepting.change_set))
    assert outcome.documents.restored[0].values == {"quarantined_from": "guesser"}


# --- Sources


def test_what_a_sync_added_stays_away_after_the_next_one(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat.", tea="The tea.")
    source = folder_source(owner, tmp_path)
    synced(source)
    outcome = preview(owner_actor(owner), of("source:notes"))
    assert documents().count_from_sources(outcome.documents.changed_ids) == 2
    undo(owner_actor(owner), of("source:notes"))
    synced(source)
    assert active_keys(source) == []


def test_a_change_in_the_source_after_an_undo_is_stored(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat is blue.")
    source = folder_source(owner, tmp_path)
    synced(source)
    write(tmp_path, boat="The boat is red.")
    synced(source)
    read_queued()
    document = Document.objects.get()
    latest = JournalEntry.objects.latest("pk").change_set
    undone(owner, Selection(change_set=latest))
    document.refresh_from_db()
    assert document.current is not None
    assert document.current.text == "The boat is blue."
    synced(source)
    read_queued()
    document.refresh_from_db()
    assert document.current.text == "The boat is blue."
    write(tmp_path, boat="The boat is green.")
    assert synced(source) == {"changed": 1}
    read_queued()
    document.refresh_from_db()
    assert document.current is not None
    assert document.current.text == "The boat is green."


def test_what_a_sync_or_the_removal_of_a_source_forgot_comes_back(owner: User, tmp_path: Path) -> None:
    write(tmp_path, boat="The boat.", tea="The tea.")
    source = folder_source(owner, tmp_path)
    synced(source)
    (tmp_path / "tea.md").unlink()
    synced(source)
    undo(owner_actor(owner), Selection(change_set=JournalEntry.objects.latest("pk").change_set))
    synced(source)
    assert active_keys(source) == ["boat.md", "tea.md"]
    remove_source(source)
    assert (
        len(
            undo(
                owner_actor(owner), Selection(change_set=JournalEntry.objects.latest("pk").change_set)
            ).documents.restored
        )
        == 2
    )
    assert active_keys(source) == ["boat.md", "tea.md"]
    assert Chunk.objects.filter(deleted_at__isnull=False).count() == 0


# --- Apps


def test_an_app_does_not_undo_what_it_cannot_see(owner: User) -> None:
    work = added(app(owner), BOAT, tags=("work",)).document
    added(app(owner), "# Tea\n\nGreen.\n", tags=("home",))
    assert ids(preview(app(owner, "claude", "work"), of())) == ([], [work.pk], [])
    with pytest.raises(NotFound, match="no such changes"):
        undo(app(owner, "claude", "garden"), of())
    undo(app(owner, "claude", "work"), of())
    assert active(owner) == ["Tea"]


def test_an_app_does_not_move_a_document_out_of_its_view_or_learn_its_past(owner: User) -> None:
    document = added(owner_actor(owner), BOAT, tags=("home",)).document
    change_document(app(owner), document.pk, tags=["work"])
    with pytest.raises(NotFound):
        undo(app(owner, "claude", "work"), of())
    change_document(app(owner), document.pk, title="A boat")
    undo(app(owner, "claude", "work"), of())
    document.refresh_from_db()
    assert (document.title, document.tags) == ("Ragnhild", ["work"])


def test_one_owner_does_not_undo_the_changes_of_another(owner: User) -> None:
    added(app(owner), BOAT)
    entry = JournalEntry.objects.get()
    for selection in (of(), Selection(change_set=entry.change_set), Selection(entry_id=entry.pk)):
        with pytest.raises(NotFound):
            undo(owner_actor(make_user()), selection)
    assert active(owner) == ["Ragnhild"]


def test_many_documents_are_undone_with_few_queries(owner: User, django_assert_max_num_queries: object) -> None:
    made = [make_document(owner, f"# Note {number}\n\nText {number}.\n").pk for number in range(30)]
    bad = app(owner)
    for document_id in made:
        forget_document(bad, document_id)
    with django_assert_max_num_queries(20):  # type: ignore[operator]  # a fixture of pytest-django
        assert len(undo(owner_actor(owner), of()).documents.restored) == 30
