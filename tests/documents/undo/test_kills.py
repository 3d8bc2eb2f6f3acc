"""Tests of undoing changes of documents when the process is killed, and when others write at the same time."""

from __future__ import annotations

import signal

import pytest
from django.db import connection, transaction

from documents.models import Chunk, Document, Version
from documents.tasks import read_queued
from documents.writing.changing import change_document
from documents.writing.forgetting import forget_document
from memories.access import Actor, View
from memories.errors import MemoriesError
from memories.models import JournalEntry, Memory
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.tag_changes import merge_tags
from memories.writing.updating import MemoryUpdate, update_memory
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.concurrency import in_threads
from tests.support.factories import make_memory, make_user, owner_actor
from tests.support.processes import eventually
from tests.support.undoing_process import is_waiting, running

pytestmark = pytest.mark.django_db(transaction=True)

URL = "https://example.com/boat"
SOLD = "# Ragnhild\n\nThe boat is sold to Nils.\n"


@pytest.fixture
def owner() -> User:
    return make_user()


def state_of(owner: User) -> list[object]:
    """Return everything that the operations change."""
    return [
        *Memory.objects.filter(owner=owner).order_by("pk").values_list("text", "tags", "deleted_at"),
        *Document.objects.filter(owner=owner).order_by("pk").values_list("title", "tags", "deleted_at", "current"),
        *Version.objects.filter(document__owner=owner).order_by("pk").values_list("number", "state"),
        *Chunk.objects.filter(owner=owner).order_by("pk").values_list("text", "tags", "deleted_at"),
        JournalEntry.objects.filter(owner=owner).count(),
    ]


@pytest.mark.parametrize("what", ["undo", "merge"])
def test_a_kill_in_the_middle_leaves_nothing_half_done(owner: User, what: str) -> None:
    app = Actor(View.whole(owner.pk), "nonsense")
    memory = make_memory(owner, "I like tea", tags=("old",))
    make_document(owner, BOAT, source_url=URL, tags=("old",))
    gone = make_document(owner, "# Tea\n\nGreen.\n", tags=("old",))
    update_memory(app, memory.pk, MemoryUpdate(text="I like gin"))
    added(app, SOLD, source_url=URL)
    forget_document(app, gone.pk)
    argument = app.change_set if what == "undo" else "old"
    before = state_of(owner)
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Documents can be read, but their passages cannot be changed.
            cursor.execute("LOCK TABLE documents_chunk IN SHARE MODE")
        with running(what, owner, argument) as process:
            process.wait_for("ready")
            assert eventually(is_waiting, 60)
            process.process.send_signal(signal.SIGKILL)
            process.process.wait()
    assert state_of(owner) == before
    # Nothing is left that would keep it from being done.
    with running(what, owner, argument) as process:
        process.wait_for("done")
    assert state_of(owner) != before


def test_undo_during_writes_loses_no_write(owner: User) -> None:
    ids = [make_document(owner, f"# Note {number}\n\nText.\n").pk for number in range(8)]
    app = Actor(View.whole(owner.pk), "nonsense")
    for pk in ids:
        change_document(app, pk, title="Nonsense")

    def work(number: int) -> None:
        if number == 0:
            undo(owner_actor(owner), Selection(change_set=app.change_set))
            return
        for pk in ids[number::4]:
            change_document(owner_actor(owner), pk, title=f"Mine {pk}")

    in_threads(4, work)
    titles = dict(Document.objects.filter(owner=owner).values_list("pk", "title"))
    written = {pk for number in (1, 2, 3) for pk in ids[number::4]}
    assert all(titles[pk] == f"Mine {pk}" for pk in written), titles
    assert all(titles[pk].startswith("Note ") for pk in set(ids) - written), titles


def test_two_undos_an_upload_and_a_merge_at_once_are_consistent(owner: User) -> None:
    document = make_document(owner, source_url=URL, tags=("old",))
    app = Actor(View.whole(owner.pk), "nonsense")
    added(app, SOLD, source_url=URL)

    def work(number: int) -> None:
        if number == 2:
            added(owner_actor(owner), "# Ragnhild\n\nBought back.\n", source_url=URL)
        elif number == 3:
            merge_tags(owner_actor(owner), ["old"], "new")
        else:
            undo(owner_actor(owner), Selection(change_set=app.change_set))

    in_threads(4, work)
    read_queued()
    document.refresh_from_db()
    numbers = list(document.versions.order_by("number").values_list("number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))
    newest = document.versions.order_by("-number").first()
    assert newest is not None
    assert (document.current_id, document.tags) == (newest.pk, ["new"])
    assert "Bought back" in newest.text
    assert set(Chunk.objects.filter(document=document).values_list("version", flat=True)) == {newest.pk}


def test_what_comes_back_and_what_is_added_again_at_once_do_not_both_exist(owner: User) -> None:
    document = make_document(owner)
    app = Actor(View.whole(owner.pk), "nonsense")
    forget_document(app, document.pk)

    def work(number: int) -> None:
        if number % 2:
            added(owner_actor(owner), BOAT)
        else:
            try:
                undo(owner_actor(owner), Selection(change_set=app.change_set))
            except MemoriesError as error:
                assert "Try again" in str(error)  # noqa: PT017

    in_threads(4, work)
    assert Document.objects.not_deleted().filter(owner=owner).count() == 1
