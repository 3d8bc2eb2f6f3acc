"""The package of Office Open XML files: relations between parts, and the properties of the document.

ECMA-376, part 2 (Open Packaging Conventions).
"""

from __future__ import annotations

import posixpath
from typing import Final, NamedTuple

from documents.extraction.archive import Archive, member_path
from documents.extraction.output import Output
from documents.extraction.xml import Element, attribute, first_text, local_name, parse_time, parse_xml

MAX_PART_BYTES: Final = 16 << 20
_CORE_PROPERTIES: Final = "docProps/core.xml"


class Relation(NamedTuple):
    """A relation of a part: the last word of its type, such as "slide", and the name of the other part."""

    kind: str
    target: str


def relations(archive: Archive, part: str) -> dict[str, Relation]:
    """Return the relations of a part inside the archive by their ids; those of the package for an empty name."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    if path not in archive:
        return {}
    return {
        element.get("Id", ""): Relation(
            element.get("Type", "").rpartition("/")[2], member_path(folder, element.get("Target", ""))
        )
        for element in parse_xml(archive.read(path, MAX_PART_BYTES))
        # An external target is an address, which is never opened.
        if local_name(element) == "Relationship" and element.get("TargetMode") != "External"
    }


def main_part(archive: Archive, default: str) -> str:
    """Return the name of the part with the document itself."""
    kinds = relations(archive, "").values()
    return next((relation.target for relation in kinds if relation.kind == "officeDocument"), default)


def related(archive: Archive, part: str, kind: str) -> list[str]:
    """Return the names of the parts of a kind that a part refers to, if they are in the archive."""
    return [
        relation.target
        for relation in relations(archive, part).values()
        if relation.kind == kind and relation.target in archive
    ]


def read_part(archive: Archive, part: str) -> Element:
    """Return the root of a part. Raises ExtractionError if it is too large, and errors of ZIP and XML."""
    return parse_xml(archive.read(part, MAX_PART_BYTES))


def add_properties(archive: Archive, output: Output) -> None:
    """Add title, author, time and keywords of the document."""
    if _CORE_PROPERTIES not in archive:
        return
    root = read_part(archive, _CORE_PROPERTIES)
    output.set_title(first_text(root, "title"))
    output.set_author(first_text(root, "creator"))
    output.set_created_at(parse_time(first_text(root, "created")))
    for name in ("subject", "keywords", "description", "category", "language"):
        output.add_metadata(name, first_text(root, name))


def value(element: Element, path: tuple[str, ...]) -> str | None:
    """Return the attribute `val` of the element below at a path of local names, one level each."""
    for name in path:
        element = next((child for child in element if local_name(child) == name), None)
        if element is None:
            return None
    return attribute(element, "val")
