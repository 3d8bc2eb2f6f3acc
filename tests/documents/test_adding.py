"""Tests of adding documents and new versions of them."""

from __future__ import annotations

from io import BytesIO

import pytest

from documents.drafts import DocumentDraft, clean_file_name
from documents.models import Chunk, ChunkPosting, Document, Original, Version
from documents.originals import PART_BYTES, read_original, store_original
from documents.tasks import read_queued
from documents.writing import reading
from documents.writing.adding import add_document
from documents.writing.reading import read_version
from memories.access import Actor, View
from memories.errors import InvalidInput, LimitExceeded, SecretRejected, StorageFull
from oauthserver.models import User
from tests.documents.support import BOAT, added, make_document
from tests.support.concurrency import in_threads
from tests.support.factories import actor_for, make_user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return make_user()


def words_of(document: Document) -> set[str]:
    return set(ChunkPosting.objects.filter(chunk__document=document).values_list("term", flat=True))


def test_a_document_is_read_into_chunks_that_are_parts_of_its_text(owner: User) -> None:
    document = make_document(owner, title="The boat", tags=("home",))
    assert document.current is not None
    assert (document.current.state, document.current.media_type) == ("ready", "text/markdown")
    chunks = list(document.chunks.order_by("number"))
    assert [chunk.heading for chunk in chunks] == ["Ragnhild", "Ragnhild › Engine", "Ragnhild › Crew"]
    assert all(chunk.text == document.current.text[chunk.start_char : chunk.end_char] for chunk in chunks)
    assert chunks[1].context == "The boat › Ragnhild › Engine"
    assert all(chunk.tags == ["home"] for chunk in chunks)
    assert {"oil", "engin", "boat"} <= words_of(document)


def test_the_title_is_the_given_one_or_the_files_or_its_name(owner: User) -> None:
    front = "---\ntitle: From the file\ntags: [boats, Sea Life]\n---\n\nText."
    assert make_document(owner, front).title == "From the file"
    assert make_document(owner, front + "!", title="Given").title == "Given"
    assert make_document(owner, BOAT).title == "Ragnhild"
    assert make_document(owner, "Text.", name="notes.txt").title == "notes.txt"


def test_a_title_that_is_the_highest_heading_is_not_repeated_in_the_context(owner: User) -> None:
    contexts = make_document(owner).chunks.order_by("number").values_list("context", flat=True)
    assert list(contexts) == ["Ragnhild", "Ragnhild › Engine", "Ragnhild › Crew"]


def test_tags_of_front_matter_become_tags(owner: User) -> None:
    document = make_document(owner, "---\ntags: [Sea Life, x, books]\n---\n\nText.", tags=("home",))
    assert document.tags == ["home", "sea-life", "publishing"]
    assert document.chunks.get().tags == document.tags


def test_equal_bytes_are_one_document_with_the_tags_of_both(owner: User) -> None:
    first = added(actor_for(owner), BOAT, tags=("home",))
    second = added(actor_for(owner), BOAT, name="other.md", tags=("sea",))
    assert second.is_known
    assert second.document.pk == first.document.pk
    assert second.document.tags == ["home", "sea"]
    assert set(map(tuple, Chunk.objects.values_list("tags", flat=True))) == {("home", "sea")}
    assert Version.objects.count() == Original.objects.count() == 1


def test_changed_content_at_one_address_is_a_new_version_and_the_old_one_stays(owner: User) -> None:
    url = "https://example.com/boat"
    first = added(actor_for(owner), BOAT, source_url=url).document
    second = added(actor_for(owner), "# Ragnhild\n\nSold.\n", source_url=url).document
    assert second.pk == first.pk
    assert [version.number for version in second.versions.order_by("number")] == [1, 2]
    assert [chunk.text for chunk in second.chunks.all()] == ["Sold."]
    assert "oil" not in words_of(second)
    old = second.versions.get(number=1)
    assert b"".join(read_original(old.original)) == BOAT.encode()


def test_a_version_that_cannot_be_read_leaves_the_previous_one_in_place(owner: User) -> None:
    url = "https://example.com/boat"
    make_document(owner, source_url=url)
    outcome = added(actor_for(owner), b"%PDF-1.7 broken", name="boat.pdf", source_url=url)
    assert outcome.version.state == "failed"
    assert outcome.version.problem
    assert outcome.document.current is not None
    assert outcome.document.current.number == 1
    assert outcome.document.chunks.count() == 3


def test_other_owners_have_documents_of_their_own(owner: User) -> None:
    other = make_user()
    assert make_document(owner).pk != make_document(other).pk
    assert Original.objects.count() == 2


def test_a_limited_app_does_not_learn_that_a_document_exists(owner: User) -> None:
    hidden = make_document(owner, tags=("work",))
    outcome = added(Actor(View(owner.pk, ("home",)), "app"), BOAT)
    assert not outcome.is_known
    assert outcome.document.pk != hidden.pk
    again = added(Actor(View(owner.pk, ("home",)), "app"), BOAT)
    assert (again.is_known, again.document.pk) == (True, outcome.document.pk)
    assert outcome.document.tags == ["home"]
    hidden.refresh_from_db()
    assert hidden.tags == ["work"]


def test_secrets_are_replaced_and_named(owner: User) -> None:
    key = "ghp_" + "a1" * 18
    document = make_document(owner, f"# Deploy\n\nThe token is {key}. The server is in Lyngby.\n")
    assert document.current is not None
    assert document.current.secrets == ["a GitHub token"]
    assert key not in document.current.text
    assert "Lyngby" in document.chunks.get().text
    assert not ChunkPosting.objects.filter(term__contains="ghp").exists()


@pytest.mark.parametrize(
    ("draft", "argument"),
    [
        (DocumentDraft("a.md", title="a\x00b"), "title"),
        (DocumentDraft("a.md", title="t" * 501), "title"),
        (DocumentDraft("a.md", source_url="javascript:alert(1)"), "source_url"),
        (DocumentDraft("a.md", source_url="https://ada:secret@example.com/"), "source_url"),
        (DocumentDraft("a.md", source_url="https://["), "source_url"),
        (DocumentDraft("a.md", tags=tuple(f"tag{n}" for n in range(51))), "tags"),
    ],
)
def test_invalid_fields_are_named_and_nothing_is_stored(owner: User, draft: DocumentDraft, argument: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^{argument}: "):
        add_document(actor_for(owner), draft, BytesIO(b"text"))
    assert not Document.objects.exists()
    assert not Original.objects.exists()


def test_empty_and_too_large_files_are_refused(owner: User, settings: pytest.FixtureRequest) -> None:
    with pytest.raises(InvalidInput, match=r"^file: is empty"):
        add_document(actor_for(owner), DocumentDraft("a.md"), BytesIO())
    settings.MAX_DOCUMENT_MB = 1  # type: ignore[attr-defined]
    with pytest.raises(LimitExceeded, match=r"^file: has 1.5 MB; at most 1 MB"):
        add_document(actor_for(owner), DocumentDraft("a.md"), BytesIO(b"x" * 1_500_000))
    assert not Original.objects.exists()


def test_a_title_with_a_secret_is_refused(owner: User) -> None:
    with pytest.raises(SecretRejected, match=r"^title: "):
        added(actor_for(owner), "text", title="token " + "ghp_" + "a1" * 18)


def test_nothing_is_added_on_a_full_disk(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memories.database.is_full", lambda: True)
    with pytest.raises(StorageFull):
        added(actor_for(owner), BOAT)
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\notes\\boat.md", "boat.md"),
        ("a\x00b\u202egpj.md", "abgpj.md"),
        ("...", "document"),
        ("", "document"),
        ("n" * 4_000 + ".pdf", "n" * 251 + ".pdf"),
        ("\ud800x.md", "x.md"),
    ],
)
def test_file_names_are_made_harmless(given: str, kept: str) -> None:
    assert clean_file_name(given) == kept


def test_originals_are_stored_in_parts_and_come_back_as_they_were(owner: User) -> None:
    content = bytes(range(256)) * (PART_BYTES // 256) + b"the rest"
    original = store_original(owner.pk, BytesIO(content))
    assert original.parts.count() == 2
    assert b"".join(read_original(original)) == content
    assert store_original(owner.pk, BytesIO(content)) == original


def test_the_job_process_reads_what_is_queued_and_a_damaged_file_does_not_stop_it(owner: User) -> None:
    actor = actor_for(owner)
    broken = add_document(actor, DocumentDraft("a.pdf"), BytesIO(b"%PDF-1.7 broken")).version
    good = add_document(actor, DocumentDraft("boat.md"), BytesIO(BOAT.encode())).version
    read_queued()
    broken.refresh_from_db()
    good.refresh_from_db()
    assert (broken.state, good.state) == ("failed", "ready")


def test_a_version_stays_queued_if_the_process_dies_while_it_is_stored(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = add_document(actor_for(owner), DocumentDraft("boat.md"), BytesIO(BOAT.encode())).version

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(reading, "_chunks", die)
        with pytest.raises(KeyboardInterrupt):
            read_version(version.pk)
    version.refresh_from_db()
    assert version.state == "queued"
    assert not Chunk.objects.exists()
    read_queued()
    assert Chunk.objects.count() == 3


def test_two_processes_that_read_one_version_store_it_once(owner: User) -> None:
    version = add_document(actor_for(owner), DocumentDraft("boat.md"), BytesIO(BOAT.encode())).version
    in_threads(4, lambda _: read_version(version.pk))
    assert Chunk.objects.count() == 3
    assert not ChunkPosting.objects.exclude(chunk__in=Chunk.objects.all()).exists()


def test_one_file_added_many_times_at_once_is_one_document(owner: User) -> None:
    in_threads(4, lambda _: added(actor_for(owner), BOAT))
    assert Document.objects.count() == Version.objects.count() == Original.objects.count() == 1
    assert Chunk.objects.count() == 3


def test_different_versions_added_at_once_are_versions_of_one_document(owner: User) -> None:
    url = "https://example.com/boat"
    in_threads(4, lambda number: added(actor_for(owner), f"Version {number}", source_url=url))
    document = Document.objects.get()
    assert sorted(document.versions.values_list("number", flat=True)) == [1, 2, 3, 4]
    assert document.current is not None
    assert document.current.number == 4
    assert document.chunks.count() == 1
