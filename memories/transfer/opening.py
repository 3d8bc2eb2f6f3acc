"""Opening of imports: from files, folders and archives to entries."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from common.texts import translatable
from memories.errors import InvalidInput, MemoriesError
from memories.transfer.archive.recognition import is_backup, is_complete_archive, is_document
from memories.transfer.entries import Entry, ImportSource, Notes, UnreadableFile
from memories.transfer.files.archive import Archive, is_archive
from memories.transfer.files.folder import files_in, write_ahead_log
from memories.transfer.files.import_file import ImportFile
from memories.transfer.formats import own
from memories.transfer.formats.base import JsonFormat, Reading, TextFormat
from memories.transfer.formats.json_stream import WHOLE, items_of, shape_of, whole_document
from memories.transfer.formats.lines import count_lines, json_lines
from memories.transfer.formats.registry import is_json_lines, json_format, json_lines_format, text_format
from memories.transfer.options import Format, ImportOptions


def open_import(stream: BinaryIO, name: str, options: ImportOptions | None = None) -> ImportSource:
    """Open a file or a ZIP archive and return its entries, which can be read once while the stream is open.

    The stream must be seekable. The name is for messages. Raises UnreadableFile if nothing can be imported.
    """
    return _opened(ImportFile(stream, name), options or ImportOptions())


def open_path(path: Path, stream: BinaryIO | None = None, options: ImportOptions | None = None) -> ImportSource:
    """Open a folder, or the file at `path` whose content is `stream`. Raises UnreadableFile."""
    options = options or ImportOptions()
    if stream is None:
        notes = Notes()
        return ImportSource("folder", _entries_of_files(files_in(path), options, notes), None, notes)
    return _opened(ImportFile(stream, str(path), write_ahead_log(path)), options)


def _opened(file: ImportFile, options: ImportOptions) -> ImportSource:
    notes = Notes()
    if not is_archive(file.sample()):
        return _single(file, options, notes)
    if is_complete_archive(file.stream):
        raise UnreadableFile(
            translatable("%(name)s is a complete archive. Import it with `manage.py import_archive`.", name=file.name)
        )
    if is_backup(file.stream):
        raise UnreadableFile(
            translatable(
                "%(name)s is a backup of a whole installation. Restore it with `manage.py restore`. To move memories, "
                "import an archive of `manage.py export`.",
                name=file.name,
            )
        )
    if is_document(file.stream):
        raise UnreadableFile(
            translatable("%(name)s is a document, not an export. Add it on the page Documents.", name=file.name)
        )
    archive = Archive(file)
    return ImportSource("ZIP archive", _entries_of_files(archive.files(), options, notes), None, notes)


def _entries_of_files(files: Iterator[ImportFile | Entry], options: ImportOptions, notes: Notes) -> Iterator[Entry]:
    """Yield the entries of many files. A file that cannot be read is an entry with an error, or is left out."""
    for file in files:
        if isinstance(file, Entry):
            yield file
            continue
        try:
            nested = Archive(file).files() if is_archive(file.sample()) else None
            entries = _entries_of_files(nested, options, notes) if nested else _single(file, options, notes).entries
            for entry in entries:
                yield replace(entry, place=f"{file.name}: {entry.place}" if entry.place else file.name)
        except UnreadableFile as error:
            yield Entry(file.name, error=InvalidInput(_without_name(str(error), file.name)))


def _without_name(problem: str, name: str) -> str:
    return f"it {problem.removeprefix(name).lstrip()}" if problem.startswith(name) else problem


def _single(file: ImportFile, options: ImportOptions, notes: Notes) -> ImportSource:
    """Open a file that is not an archive. A member without memories has one entry, which is left out."""
    found = text_format(file, options.format)
    if found is not None:
        return _of_text(found, file, Reading(options, notes))
    if is_json_lines(file, options.format):
        chosen, samples = json_lines_format(file, options.format)
        if file.is_member and chosen is own.OWN and not own.has_texts(samples):
            return _without_memories(notes)
        label = "JSON Lines" if chosen is own.OWN else chosen.label
        _note(notes, chosen, label)
        entries = _converted(json_lines(file), chosen, Reading(options, notes))
        return ImportSource(label, entries, count_lines(file), notes)
    return _of_document(file, options, notes)


def _of_text(found: TextFormat, file: ImportFile, reading: Reading) -> ImportSource:
    _note(reading.notes, found, found.label)
    return ImportSource(found.label, found.read(file, reading), found.count(file), reading.notes)


def _of_document(file: ImportFile, options: ImportOptions, notes: Notes) -> ImportSource:
    shape = shape_of(file.stream, file.name)
    found = json_format(shape, options.format)
    if found is None or (file.is_member and found[0] is own.OWN and not own.has_texts(shape)):
        if file.is_member:
            return _without_memories(notes)
        if options.format not in (Format.AUTO, Format.JSON):
            raise UnreadableFile(
                translatable(
                    "%(name)s is not in the format %(format)s. Let OwnSona detect the format instead.",
                    name=file.name,
                    format=options.format,
                )
            )
        raise UnreadableFile(
            translatable('%(name)s must be a JSON list, or an object with a list under "memories".', name=file.name)
        )
    chosen, keys = found
    _note(notes, chosen, chosen.label)
    total = sum(shape.lists[key].count if key in shape.lists else 1 for key in keys)
    values = _values(file, keys, shape.lists)
    return ImportSource(chosen.label, _converted(values, chosen, Reading(options, notes)), total, notes)


def _without_memories(notes: Notes) -> ImportSource:
    return ImportSource("JSON", iter([Entry("", left_out=translatable("files without memories"))]), 1, notes)


def _values(file: ImportFile, keys: tuple[str, ...], lists: Container[str]) -> Iterator[tuple[str, object]]:
    """Yield the place and value of each item of the lists, or the whole document."""
    for key in keys:
        if key == WHOLE and WHOLE not in lists:
            yield translatable("item %(number)s", number=1), whole_document(file.stream, file.name)
            continue
        prefix = "" if key in (WHOLE, "memories") else f"{key}, "
        for number, value in enumerate(items_of(file.stream, file.name, key), start=1):
            yield prefix + translatable("item %(number)s", number=number), value


def _converted(values: Iterator[tuple[str, object]], chosen: JsonFormat, reading: Reading) -> Iterator[Entry]:
    """Yield the entries of all values. A value that cannot be converted is an entry with an error."""
    for place, value in values:
        if isinstance(value, Entry):
            yield value
            continue
        try:
            for entry in chosen.convert(value, reading):
                yield replace(entry, place=f"{place}, {entry.place}" if entry.place else place)
        except MemoriesError as error:
            yield Entry(place, error=error)


def _note(notes: Notes, chosen: JsonFormat | TextFormat, label: str) -> None:
    notes.files[label] += 1
    notes.fields.setdefault(label, chosen.fields)
