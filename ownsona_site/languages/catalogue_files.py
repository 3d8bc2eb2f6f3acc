"""The catalogues in `locale/`, kept in step with the source code."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import django
import polib

from ownsona_site.languages.extraction import Message

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|</?\w+[^>]*>|&\w+;")
WIDTH = 118


def update_catalogue(path: Path, messages: dict[Message, list[str]]) -> None:
    """Add the texts that a catalogue lacks, and remove those that the source code no longer has."""
    old = polib.pofile(str(path), encoding="utf-8", wrapwidth=WIDTH) if path.exists() else _new_catalogue(path.stem)
    known = {message_of(entry): entry for entry in old}
    new = polib.POFile(wrapwidth=WIDTH)
    new.metadata = old.metadata
    for message, files in messages.items():
        entry = known.get(message) or _new_entry(message, old.metadata)
        # Line numbers would change with every edit of a file.
        entry.occurrences = [(file, "") for file in files]
        new.append(entry)
    new.save(str(path))


def message_of(entry: polib.POEntry) -> Message:
    """Return the text that an entry translates."""
    return Message(entry.msgid, entry.msgid_plural or "", entry.msgctxt or "")


def problems_of(path: Path, messages: dict[Message, list[str]]) -> list[str]:
    """Return what is wrong with a catalogue: missing or fuzzy translations, and other placeholders than the source."""
    entries = polib.pofile(str(path), encoding="utf-8")
    known = {message_of(entry) for entry in entries}
    problems = [f"not in the catalogue: {message.singular!r}" for message in messages if message not in known]
    for entry in entries:
        if message_of(entry) not in messages:
            problems.append(f"not in the source code: {entry.msgid!r}")
        elif entry.fuzzy or not entry.translated():
            problems.append(f"not translated: {entry.msgid!r}")
        elif not _has_same_placeholders(entry):
            problems.append(f"other placeholders: {entry.msgid!r}")
    return problems


def _has_same_placeholders(entry: polib.POEntry) -> bool:
    sources = [_placeholders(text) for text in (entry.msgid, entry.msgid_plural) if text]
    translations = [_placeholders(text) for text in (*entry.msgstr_plural.values(), entry.msgstr) if text]
    return all(placeholders in sources for placeholders in translations)


def _placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


def _new_entry(message: Message, metadata: dict[str, str]) -> polib.POEntry:
    forms = int(re.findall(r"nplurals=(\d+)", metadata.get("Plural-Forms", ""))[0])
    return polib.POEntry(
        msgid=message.singular,
        msgid_plural=message.plural,
        msgctxt=message.context or None,
        msgstr_plural=dict.fromkeys(range(forms), "") if message.plural else {},
        flags=["python-format"] if "%(" in message.singular else [],
    )


def _new_catalogue(language: str) -> polib.POFile:
    """Return an empty catalogue with the plural forms that Django knows for the language. Raises OSError."""
    locale = Path(django.__file__).parent / "conf" / "locale"
    forms = gettext.translation("django", locale, [language]).info()["plural-forms"]
    catalogue = polib.POFile()
    catalogue.metadata = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": language,
        "MIME-Version": "1.0",
        "Plural-Forms": forms,
    }
    return catalogue
