"""Tests of messages that are stored or raised in English, and translated when a page shows them."""

from __future__ import annotations

from pathlib import Path

import polib
import pytest
from django.test import Client
from django.utils import timezone
from django.utils.translation import override
from pytest_django import Settings

from common.texts import translatable
from customtools.models import ToolLogLine
from documents.extraction.media_types import SUPPORTED
from documents.models import Source
from mcpapi.models import Approval
from memories.cleanup.actions import Action, ProposedChange
from memories.cleanup.plans import propose_plan
from memories.models import CleanupFinding, CleanupSearch
from oauthserver.models import Connection
from ownsona_site.languages import messages
from ownsona_site.languages.extraction import in_module, messages_below
from ownsona_site.languages.messages import MESSAGE, translated_message
from tests.support.factories import HOST, Assistant, actor_for, make_memory, make_user

ROOT = Path(__file__).parents[3]


def german(text: str) -> str:
    with override("de"):
        return translated_message(text, "de")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The file is empty.", "Die Datei ist leer."),
        ("/n/a.md cannot be read. Allow OwnSona's user to read it.", "/n/a.md kann nicht gelesen werden. Erlaube"),
        ("Only the first 1,000 of 2,345 pages were read.", "Nur die ersten 1.000 von 2.345 Seiten wurden gelesen."),
        ("It is larger than 2,000 bytes, the limit for one document.", "Es ist größer als 2.000 bytes, die Grenze"),
        (
            "text: has 20,000 characters; at most 16,000 are allowed.",
            "text: hat 20.000 Zeichen; höchstens 16.000 sind erlaubt.",
        ),
        ("text: must not be empty.", "text: darf nicht leer sein."),
        (
            "text: this seems to contain a PIN. Secrets are never stored. Remove it and try again.",
            "text: das scheint eine PIN zu enthalten. Geheimnisse werden nie gespeichert.",
        ),
        ("The result has more than 100,000 values.", "Das Ergebnis hat mehr als 100.000 Werte."),
        ("Must be an absolute path, or begin with ~/.", "Muss ein absoluter Pfad sein oder mit ~/ beginnen."),
        (
            "path: There is no such folder. If it is on a disk or a share, connect it.",
            "path: Diesen Ordner gibt es nicht.",
        ),
        ("limits.items: must be at least 1.", "limits.items: muss mindestens 1 sein."),
        ("It must be a text.", "Es muss ein Text sein."),
        (
            "3 pages in a row cannot be read. There is no server named a.example.",
            "3 Seiten hintereinander können nicht gelesen werden. Es gibt keinen Server namens a.example.",
        ),
        (
            "a.example is not a server on the public internet. If you trust this server in your own network, "
            "switch on “Allow servers in your own network”.",
            "a.example ist kein Server im öffentlichen Internet. Wenn du diesem Server im eigenen Netz vertraust",
        ),
        ("line 3", "Zeile 3"),
        ("There is no memory with id 999999.", "Es gibt keine Erinnerung mit der Nummer 999999."),
        (
            "line 2: context.get: There is no memory with id 7.",
            "Zeile 2: context.get: Es gibt keine Erinnerung mit der",
        ),
        (
            f"Files of this format are not supported. Supported are {SUPPORTED}.",
            "Dateien in diesem Format werden nicht unterstützt. Unterstützt werden PDF, Word (.docx), PowerPoint "
            "(.pptx), Excel (.xlsx), OpenDocument-Text (.odt), EPUB, HTML, Markdown, reiner Text",
        ),
        (
            "{weather} is not an argument. Add it to the arguments, or write {{name}} for literal braces.",
            "{weather} ist kein Argument. Füge es zu den Argumenten hinzu",
        ),
        ("The time for which it holds ended on 2026-03-01.", "Die Zeit, für die sie gilt, endete am 1. März 2026."),
        ("The time for which it holds ended on 2026-02-30.", "Die Zeit, für die sie gilt, endete am 2026-02-30."),
        ("Something unknown. The file is empty.", "Something unknown. Die Datei ist leer."),
        ("The file is empty. Something unknown.", "Die Datei ist leer. Something unknown."),
    ],
)
def test_a_message_is_found_with_its_values(text: str, shown: str) -> None:
    assert german(text).startswith(shown)
    assert translated_message(text, "en") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Robin likes tea.",
        "It is winter.",
        "Robin has moved. It was time.",
        "%(name)s",
        "a" * 5_000,
        "must be",
        "100 % %s %(x)d",
    ],
)
def test_what_is_no_message_stays_as_it_is(text: str) -> None:
    assert german(text) == text


def test_a_value_may_contain_anything() -> None:
    name = "%(name)s {x} <b>\\1 50%"
    text = translatable("%(name)s is encrypted. Save it without a password.", name=name)
    assert german(text) == f"{name} ist verschlüsselt. Speichere es ohne Passwort."


def test_a_language_without_a_catalogue_shows_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(messages, "compiled_path", lambda language: tmp_path / language)
    assert translated_message("The file is empty.", "xx") == "The file is empty."


def test_templates_are_in_the_catalogue_with_their_context() -> None:
    (found,) = in_module('raise Problem(translatable("%(name)s is " "empty.", name=name))')
    assert found == ("%(name)s is empty.", "", MESSAGE)
    templates = {message.singular for message in messages_below(ROOT) if message.context == MESSAGE}
    assert len(templates) > 300


def test_each_message_of_the_catalogue_is_found_again_as_itself() -> None:
    """No more general template takes a message away from its own."""
    for entry in polib.pofile(str(ROOT / "locale" / "de.po")):
        if entry.msgctxt == MESSAGE and "%(" not in entry.msgid:
            assert german(entry.msgid) == entry.msgstr


def test_pages_show_stored_reasons_in_the_language_of_the_reader(db: None, settings: Settings) -> None:
    owner = make_user("owner")
    pages = Client(headers={"host": HOST, "accept-language": "de"})
    pages.force_login(owner)
    problem = "path: There is no such folder. If it is on a disk or a share, connect it."
    source = Source.objects.create(owner=owner, name="notes", kind="folder", settings={"path": "/x"}, problem=problem)
    assert "Diesen Ordner gibt es nicht." in pages.get(f"/admin/documents/source/{source.pk}/change/").content.decode()
    assert "Diesen Ordner gibt es nicht." in pages.get("/admin/documents/source/").content.decode()
    memory = make_memory(owner, "Yes, that is right.")
    CleanupSearch.objects.create(owner=owner)
    reason = "It is an answer without its question."
    CleanupFinding.objects.create(
        owner=owner, kind="fragment", memory_ids=[memory.pk], reason=reason, details={}, strength=1, key=b"1"
    )
    page = pages.get("/admin/cleanup/").content.decode()
    assert "Es ist eine Antwort ohne ihre Frage." in page
    assert reason not in page


def test_the_reason_of_ones_own_plan_is_translated_and_that_of_an_app_is_not(db: None) -> None:
    owner = make_user("owner")
    pages = Client(headers={"host": HOST, "accept-language": "de"})
    pages.force_login(owner)
    memories = [make_memory(owner, f"A memory of {name}") for name in ("tea", "jazz")]
    finding = CleanupFinding.objects.create(
        owner=owner, kind="fragment", memory_ids=[memories[0].pk], reason="It is an answer without its question.",
        details={}, strength=1, key=b"1",
    )  # fmt: skip
    pages.post("/admin/cleanup/", {"decision": "plan", "findings": [finding.pk]})
    change = ProposedChange(Action.FORGET, [memories[1].pk], reason="The file is empty.")
    propose_plan(actor_for(owner), [change], "Memories whose time is over.")
    page = pages.get("/admin/cleanup/").content.decode()
    assert "Erinnerungen, die für sich allein nicht verständlich sind." in page
    assert "Es ist eine Antwort ohne ihre Frage." in page
    assert "Memories whose time is over." in page
    assert "The file is empty." in page
    review = pages.get("/admin/review/").content.decode()
    assert "Erinnerungen, die für sich allein nicht verständlich sind." in review
    assert "Memories whose time is over." in review


def test_a_refused_secret_is_named_in_the_language_of_the_page(db: None) -> None:
    pages = Client(headers={"host": HOST, "accept-language": "de"})
    pages.force_login(make_user("owner"))
    page = pages.post("/admin/add/", {"text": "My key is sk-abcdefghijklmnopqrstuvwx"}).content.decode()
    assert "as scheint einen API-Schlüssel zu enthalten." in page


def test_what_an_app_wants_to_do_is_asked_in_the_language_of_the_owner(db: None) -> None:
    owner = make_user("owner")
    pages = Client(headers={"host": HOST, "accept-language": "de"})
    pages.force_login(owner)
    memory = make_memory(owner, "The cat is called Mimi.")
    assistant = Assistant.of(owner)
    Connection.objects.update(approvals=["hard_delete", "export"])
    assistant.call("forget", id=memory.pk, hard_delete=True)
    assistant.call("export_memories")
    page = pages.get("/admin/mcpapi/approval/").content.decode()
    assert f"Erinnerung {memory.pk} mit ihrem Verlauf endgültig löschen?" in page
    assert "Exportieren: alle Erinnerungen, die die App sieht, auch vergessene?" in page
    assert f"Erinnerung {memory.pk} mit ihrem Verlauf" in pages.get("/admin/review/").content.decode()
    Approval.objects.update(state="rejected")
    assert f"Erinnerung {memory.pk} mit ihrem Verlauf" in pages.get("/admin/mcpapi/approval/").content.decode()


def test_the_log_of_custom_tools_translates_failures_and_not_what_tools_write(db: None) -> None:
    owner = make_user("owner")
    pages = Client(headers={"host": HOST, "accept-language": "de"})
    pages.force_login(owner)
    for level in ("info", "error"):
        ToolLogLine.objects.create(owner=owner, tool="x", at=timezone.now(), level=level, text="The file is empty.")
    rows = [row for _, _, row in pages.get("/admin/customtools/toollogline/").context["rows"]]
    assert [row.text for row in rows] == ["Die Datei ist leer.", "The file is empty."]
    found = pages.get("/admin/customtools/toollogline/?level=info").context["rows"]
    assert [row.text for _, _, row in found] == ["The file is empty."]
