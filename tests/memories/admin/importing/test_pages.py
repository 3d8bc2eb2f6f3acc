"""Tests of the pages on which the owner imports files."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from django.utils.formats import date_format
from pytest_django import DjangoAssertNumQueries, Settings

from memories.access import View
from memories.admin.base import acting_owner
from memories.errors import StorageFull
from memories.models import ImportJob, Memory
from memories.transfer.archive.exporting import export_archive
from memories.transfer.background.stored_files import folder, path_of
from memories.transfer.background.turns import run_imports
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.vectors.indexing import index_pending_batch
from oauthserver.models import User
from ownsona_site.web.body_sizes import IMPORT_PATH, max_bytes
from tests.support.factories import HOST, make_memory, make_user
from tests.support.import_files import delete_import_files

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("empty_queue")]

PAGE = "/admin/import/"
CHATGPT = [
    {
        "id": "c1",
        "title": "<b>Holiday</b>",
        "current_node": "n2",
        "mapping": {
            "n1": {"id": "n1", "parent": None, "children": ["n2"], "message": None},
            "n2": {
                "id": "n2",
                "parent": "n1",
                "children": [],
                "message": {
                    "id": "m",
                    "author": {"role": "user"},
                    "create_time": 1700000000.0,
                    "content": {"content_type": "text", "parts": ["I am allergic to peanuts. Can you plan a trip?"]},
                    "metadata": {},
                },
            },
        },
    }
]


@pytest.fixture(autouse=True)
def no_files(transactional_db: None) -> Iterator[None]:
    yield
    delete_import_files()


def send(pages: Client, content: bytes | str, name: str = "facts.jsonl", **choices: Any) -> str:
    """Send a file, or a text, and return the page that the browser comes to."""
    sent = {"text": content} if isinstance(content, str) else {"file": SimpleUploadedFile(name, content)}
    response = pages.post(PAGE, {**sent, "conversations": "skip", "format": "auto", "tags": "", **choices}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def job_of(owner: User) -> ImportJob:
    return ImportJob.objects.filter(owner=owner).latest("created_at")


def act(pages: Client, job: ImportJob, action: str, **choices: Any) -> str:
    chosen = {"conversations": "skip", "format": "auto", "tags": "", **choices}
    response = pages.post(f"{PAGE}{job.pk}/", {**chosen, "action": action}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def squeezed(page: str) -> str:
    return " ".join(re.sub("<[^>]*>", "", page).split())


def test_a_file_is_previewed_imported_and_undone(owner: User, pages: Client) -> None:
    make_memory(owner, "Likes tea.")
    rows = [
        {"text": "Likes tea."},
        {"text": "Has <i>two</i> cats.", "tags": ["Pets", "dev"], "mood": 1},
        {"text": "The key is sk-ant-" + "a" * 30},
    ]
    page = send(pages, "\n".join(map(json.dumps, rows)).encode(), "<script>.jsonl")
    assert "1 memory would be imported" in squeezed(page)
    assert "1 duplicate is left out. 1 cannot be imported." in squeezed(page)
    assert "Has &lt;i&gt;two&lt;/i&gt; cats." in page
    assert "dev → software" in squeezed(page)
    assert "sk-ant" not in page
    assert "&lt;script&gt;.jsonl" in page
    assert "JSON Lines" in page
    assert "Fields that are not imported: mood" in page
    job = job_of(owner)
    assert Memory.objects.count() == 1

    page = act(pages, job, "start")
    assert "Waiting for the job process" in page
    assert '<meta http-equiv="refresh"' in page
    run_imports()
    page = pages.get(f"{PAGE}{job.pk}/").content.decode()
    assert "1 memory imported. 1 duplicate was left out. 1 could not be imported." in squeezed(page)
    assert "<bdi>line 3</bdi><small>This seems to contain an API key." in page
    assert "sk-ant" not in page
    assert f"/admin/undo/?change_set={job.change_set}" in page
    imported = re.search(r'href="(/admin/memories/journalentry/[0-9]+/change/)">See what was imported', page)
    assert imported
    assert "An import added" in pages.get(imported[1]).content.decode()
    assert "refresh" not in page
    undo = pages.get(f"/admin/undo/?change_set={job.change_set}").content.decode()
    assert "1 memory will be forgotten" in squeezed(undo)
    report = pages.get(f"{PAGE}{job.pk}/report/")
    assert report.headers["Content-Disposition"].startswith("attachment")
    lines = [json.loads(line) for line in report.getvalue().splitlines()]
    assert [line["outcome"] for line in lines] == ["duplicate", "inserted", "failed"]
    assert "Imported1 memory" in squeezed(pages.get(PAGE).content.decode())


def imported(owner: User, pages: Client, text: str) -> ImportJob:
    """Import a pasted text, and return the finished import."""
    send(pages, text)
    job = job_of(owner)
    act(pages, job, "start")
    run_imports()
    return job


def test_an_import_that_was_undone_says_so_and_offers_no_undo(owner: User, pages: Client) -> None:
    job = imported(owner, pages, "- Robin owns a kayak.\n- Robin owns a bike.")
    undo(acting_owner(owner.pk), Selection(change_set=job.change_set))
    page = pages.get(f"{PAGE}{job.pk}/").content.decode()
    assert "Undone" in squeezed(page)
    assert "2 memories imported. This has been undone." in squeezed(page)
    assert "Undo this import" not in page
    assert "Undone2 memories" in squeezed(pages.get(PAGE).content.decode())


def test_the_page_says_that_the_meaning_cannot_be_searched_only_until_it_can(owner: User, pages: Client) -> None:
    job = imported(owner, pages, "Robin owns a kayak.")
    hint = "for their meaning in a few minutes"
    assert hint in pages.get(f"{PAGE}{job.pk}/").content.decode()
    index_pending_batch()
    assert hint not in pages.get(f"{PAGE}{job.pk}/").content.decode()


def test_the_parts_of_an_archive_are_named_in_words(owner: User, pages: Client, tmp_path: Path) -> None:
    make_memory(owner, "Likes tea.")
    export_archive(View.whole(owner.pk), tmp_path / "data.zip")
    send(pages, (tmp_path / "data.zip").read_bytes(), "data.zip")
    run_imports()
    page = pages.get(f"{PAGE}{job_of(owner).pk}/").content.decode()
    made = date_format(timezone.localtime(), "DATE_FORMAT")
    assert f"made on {made}, " in squeezed(page)
    assert "Memories1Changes in the journal1Tag synonyms" in re.sub("<[^>]*>|\n", "", page)
    for technical in ("judged_recalls", "Judged recalls", "document_chunks", "tag_synonyms"):
        assert technical not in page
    act(pages, job_of(owner), "start")
    run_imports()
    page = squeezed(pages.get(f"{PAGE}{job_of(owner).pk}/").content.decode())
    assert "Nothing was added." in page
    assert "Memories1 already there" in page
    assert "Agents" not in page


def test_the_result_says_why_entries_were_not_imported(owner: User, pages: Client) -> None:
    lines = [*(json.dumps({"text": f"Fact {number} <b>"}) for number in range(3)), *['{"tags": ["failed"]}'] * 30]
    send(pages, "\n".join(lines).encode(), "facts.jsonl")
    job = job_of(owner)
    act(pages, job, "start")
    run_imports()
    page = pages.get(f"{PAGE}{job.pk}/").content.decode()
    assert "Not imported</h2>" in page
    assert "<bdi>line 4</bdi><small>text: is required.</small>" in page
    assert page.count("text: is required.") == 20
    assert "line 3<" not in page
    german = pages.get(f"{PAGE}{job.pk}/", headers={"accept-language": "de"}).content.decode()
    assert "<bdi>Zeile 4</bdi>" in german
    assert "is required" not in german


def test_the_result_says_only_what_happened(owner: User, pages: Client) -> None:
    for said in ("2 memories imported.", "Nothing was imported. 2 duplicates were left out."):
        send(pages, b"I like tea\nI like jazz", "facts.txt")
        run_imports()
        job = ImportJob.objects.latest("created_at")
        act(pages, job, "start")
        run_imports()
        page = squeezed(pages.get(f"{PAGE}{job.pk}/").content.decode())
        assert f"{said} You can" in page or f"{said} Download" in page
        assert "0 " not in said
        assert "Not imported" not in page


def test_what_was_refused_is_said_in_words_with_technical_details(owner: User, pages: Client) -> None:
    memory = make_memory(owner, "I like tea")
    notes = [
        f"cleanup_plans.jsonl, line 1: changes.2.text: memory {memory.pk} already has this text. "
        "Forget one of the two instead.",
        "agents.jsonl, line 7: <b>It</b> is unknown.",
        "The archive is of another version.",
    ]
    counts = {"archive": {"plans": {"added": 0, "present": 0, "refused": 1}}, "notes": notes}
    job = ImportJob.objects.create(
        owner=owner, name="data.zip", state=ImportJob.State.DONE, counts=counts, size_bytes=9
    )
    page = pages.get(f"{PAGE}{job.pk}/").content.decode()
    lead = "A clean-up plan was left out, because one of its changes is not possible now:"
    assert f"{lead} memory {memory.pk} already has this text. Forget one of the two instead." in page
    assert f'href="/admin/memories/memory/{memory.pk}/change/">Show it</a>' in page
    assert ">cleanup_plans.jsonl, line 1, changes.2.text</p>" in page
    assert "An agent was left out: &lt;b&gt;It&lt;/b&gt; is unknown." in page
    assert "The archive is of another version." in page
    german = pages.get(f"{PAGE}{job.pk}/", headers={"accept-language": "de"}).content.decode()
    assert f"Erinnerung {memory.pk} hat" in german
    assert ">cleanup_plans.jsonl, Zeile 1, changes.2.text</p>" in german


def test_places_formats_and_what_is_left_out_are_in_the_language_of_the_page(owner: User, pages: Client) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("conversations.json", json.dumps(CHATGPT))
        archive.writestr("user.json", "{}")
    send(pages, content.getvalue(), "chatgpt.zip", conversations="about-me")
    run_imports()
    page = squeezed(pages.get(f"{PAGE}{job_of(owner).pk}/", headers={"accept-language": "de"}).content.decode())
    for german in ("conversations.json: Eintrag 1, Nachricht 1", "Export von ChatGPT", "Dateien anderer Art (1)"):
        assert german in page
    assert "ImportierenVerwerfen" in page.replace(" ", "")


@pytest.mark.parametrize("action", ["check", "start"])
def test_an_import_without_its_file_says_that_it_must_be_sent_again(owner: User, pages: Client, action: str) -> None:
    send(pages, "Likes tea.\n")
    job = job_of(owner)
    path_of(job.pk).unlink()  # As after a restore of a backup, which has no files of imports.
    act(pages, job, action)
    run_imports()
    page = pages.get(f"{PAGE}{job.pk}/").content.decode()
    assert "is no longer in the data folder. Upload it again." in page


def test_a_pasted_answer_of_an_assistant_is_recognized(owner: User, pages: Client) -> None:
    page = send(pages, "Here is what I know:\n\n## Work\n[2024-05-01] - Works as a nurse.\n[unknown] - Plays chess.\n")
    assert "2 memories would be imported" in squeezed(page)
    assert job_of(owner).name == "pasted text"


def test_the_owner_chooses_what_becomes_of_conversations(owner: User, pages: Client) -> None:
    page = send(pages, json.dumps(CHATGPT).encode(), "conversations.json")
    assert "There is nothing to import with these choices." in squeezed(page)
    assert "they were left out (conversations: 1, messages: 1)" in page
    assert 'value="start"' not in page
    job = job_of(owner)
    page = act(pages, job, "check", conversations="about-me")
    assert "1 memory would be imported" in squeezed(page)
    # Other choices than those of the preview lead to another preview.
    page = act(pages, job, "start", conversations="messages")
    assert "This is the new preview." in page
    assert Memory.objects.count() == 0
    act(pages, job, "start", conversations="messages")
    run_imports()
    assert Memory.objects.get().tags == ["conversation"]


def test_a_large_file_is_checked_in_the_background(owner: User, pages: Client) -> None:
    page = send(pages, b"".join(b'{"text": "Fact number %d."}\n' % number for number in range(10_000)))
    assert "Reading the file" in page
    job = job_of(owner)
    progress = pages.get(f"{PAGE}{job.pk}/progress/").json()
    assert progress == {"state": "checking", "words": "Reading the file", "position": 0, "total": None, "problem": ""}
    run_imports()
    assert pages.get(f"{PAGE}{job.pk}/progress/").json()["state"] == "ready"
    assert "10,000 memories would be imported" in squeezed(pages.get(f"{PAGE}{job.pk}/").content.decode())


def test_an_import_is_discarded(owner: User, pages: Client) -> None:
    send(pages, b'{"text": "Likes tea."}\n')
    page = act(pages, job_of(owner), "cancel")
    assert "Nothing was imported." in page
    assert not path_of(job_of(owner).pk).exists()
    assert "Load it again" in act(pages, job_of(owner), "start")


def test_nothing_or_both_is_refused(owner: User, pages: Client) -> None:
    assert "Choose a file, or paste a text." in send(pages, "  ")
    assert "Choose a file or paste a text, not both." in send(pages, b"Likes tea.", text="Likes tea.")
    assert "Is empty." in send(pages, b"") or "is empty" in send(pages, b"")
    assert "select a valid choice" in send(pages, "Likes tea.", format="pdf").casefold()
    assert not ImportJob.objects.exists()


def test_a_full_disk_is_reported(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StorageFull

    monkeypatch.setattr("memories.admin.importing.upload_page.create_import", full)
    assert "The disk of the server is full" in send(pages, "Likes tea.")


def bomb() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("facts.txt", b"0" * (64 << 20))
    return content.getvalue()


def traversal() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("../../facts.txt", b"Likes evil.")
        archive.writestr("notes/fine.txt", b"Likes tea.\nLikes rain.\n")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "name", "expected"),
    [
        (bomb(), "bomb.zip", "compressed too much"),
        (traversal(), "evil.zip", "leads out of the archive"),
        ("Grüße aus Köln\nCafé am See\n".encode("utf-16"), "facts.txt", "UTF-16"),
        ("Grüße aus Köln\nCafé am See\nMünchen\n".encode("cp1252"), "facts.txt", "not UTF-8"),
        (b'[{"text": "Likes tea."}, {"text": "cut', "facts.json", "facts.json"),
        (b"PK\x03\x04\x00\x00", "cut.zip", "damaged ZIP archive"),
        (b"[" * 100_000, "deep.json", "deep.json"),
        (b'"text"\n' + b'"' + b"x" * 200_000, "facts.csv", "facts.csv"),
    ],
)
def test_a_hostile_file_has_a_clear_answer_and_stores_nothing(
    owner: User, pages: Client, content: bytes, name: str, expected: str
) -> None:
    send(pages, content, name)
    run_imports()
    page = pages.get(f"{PAGE}{job_of(owner).pk}/").content.decode()
    assert expected in page
    assert job_of(owner).state in ("failed", "ready")
    assert str(folder()) not in page
    assert not Memory.objects.exists()


def test_nobody_sees_the_imports_of_others(owner: User, pages: Client) -> None:
    send(pages, b'{"text": "Likes tea."}\n', "secret-name.jsonl")
    job = job_of(owner)
    other = Client(headers={"host": HOST})
    other.force_login(make_user())
    for path in ("", "progress/", "report/"):
        assert other.get(f"{PAGE}{job.pk}/{path}").status_code == 404
    assert other.post(f"{PAGE}{job.pk}/", {"action": "cancel"}).status_code == 404
    assert "secret-name" not in other.get(PAGE).content.decode()
    assert job_of(owner).state == "ready"
    assert (
        pages.post(f"{PAGE}{job.pk}/", {"action": "explode", "conversations": "skip", "format": "auto"}).status_code
        == 404
    )


def test_a_form_of_another_site_imports_nothing(owner: User) -> None:
    client = Client(headers={"host": HOST}, enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(PAGE, {"text": "Likes tea."}).status_code == 403
    assert not ImportJob.objects.exists()


def test_large_files_are_accepted_at_this_path_only(settings: Settings) -> None:
    settings.MAX_IMPORT_MB = 700
    assert max_bytes(IMPORT_PATH) == 701_000_000
    assert max_bytes(f"{IMPORT_PATH}x/") < 300_000


def test_the_list_needs_few_queries(
    owner: User, pages: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        send(pages, f"Fact number {number}.")
    with django_assert_max_num_queries(12):
        pages.get(PAGE)


def test_an_empty_file_is_refused_in_a_sentence(owner: User, pages: Client) -> None:
    page = squeezed(send(pages, b"", "empty.txt"))
    assert "The file is empty." in page
    assert "file: " not in page


def test_an_import_that_failed_leads_back_to_the_form(owner: User, pages: Client) -> None:
    send(pages, b"PK\x03\x04 no archive", "broken.zip")
    run_imports()
    page = pages.get(f"{PAGE}{job_of(owner).pk}/").content.decode()
    assert f'<a class="btn" href="{PAGE}">Choose another file</a>' in page
