"""The sections of a briefing's text, for pages that show its Markdown as headings and lists."""

from __future__ import annotations

from dataclasses import dataclass, field

HEADING, ITEM = "## ", "- "


@dataclass(slots=True)
class Section:
    """A section of a briefing. The first one may have no title, and usually has sentences in place of items."""

    title: str = ""
    sentences: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


def sections_of(briefing: str) -> list[Section]:
    """Return the sections of the text of a briefing that are not empty."""
    sections = [Section()]
    for line in filter(None, briefing.splitlines()):
        if line.startswith(HEADING):
            sections.append(Section(line.removeprefix(HEADING)))
        elif line.startswith(ITEM):
            sections[-1].items.append(line.removeprefix(ITEM))
        else:
            sections[-1].sentences.append(line)
    return [section for section in sections if section.sentences or section.items]
