"""PrecisionMemBench of tenurehq (MIT): beliefs of a user, and cases that say what a search must and must not return."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

USER = "test-user"
"""The owner of the beliefs that most cases ask about."""

MOST_BELIEFS = 20
"""Beliefs that a search may return, unless a case says otherwise."""

OPEN_QUESTION, RELATION = "open_question", "relation"
NOT_SUPPORTED = frozenset({"shouldInclude", "orderedBefore", "minCount", "maxCount"})
"""Expectations of the format that no published case has."""


@dataclass(frozen=True, slots=True)
class Belief:
    """A belief. `is_over`: it was superseded by another one; `is_resolved`: a question that was answered."""

    key: str
    owner: str
    kind: str
    name: str
    aliases: tuple[str, ...]
    content: str
    reason: str
    scopes: tuple[str, ...]
    is_pinned: bool = False
    is_over: bool = False
    is_resolved: bool = False
    participants: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that every memory system is given to store."""
        return " ".join(part for part in (self.name, *self.aliases, self.content, self.reason) if part)


@dataclass(frozen=True, slots=True)
class Expected:
    """The beliefs that must be in each part of the result, or must not. `only`: neither more nor fewer; None: any.

    `noise` are beliefs from another topic of the session.
    """

    only: frozenset[str] | None = None
    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    not_pinned: frozenset[str] = frozenset()
    questions: frozenset[str] = frozenset()
    not_questions: frozenset[str] = frozenset()
    noise: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Case:
    """A question of an owner in some scopes. `most` bounds the beliefs returned, pinned ones included."""

    key: str
    category: str
    owner: str
    scopes: tuple[str, ...]
    query: str
    most: int
    expected: Expected


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a session: its question, and afterwards a belief to add, or aliases to add to a belief."""

    case: Case
    new_belief: Belief | None = None
    new_aliases: tuple[str, tuple[str, ...]] | None = None


def read_beliefs(folder: Path) -> list[Belief]:
    """Read `beliefs.seed.json` in the repository's folder `fixtures`."""
    return [_belief(entry) for entry in _content(folder, "beliefs.seed.json")]


def read_cases(folder: Path) -> list[Case]:
    """Read `retrieval.cases.json`. Raises ValueError for expectations that are not supported."""
    return [
        _case(entry["caseId"], entry["category"], entry["query"], entry)
        for entry in _content(folder, "retrieval.cases.json")
    ]


def read_sessions(folder: Path) -> list[list[Turn]]:
    """Read `session-retrieval.cases.json`. Raises ValueError for expectations that are not supported."""
    return [
        [_turn(session["caseId"], entry) for entry in session["turns"]]
        for session in _content(folder, "session-retrieval.cases.json")
    ]


def _content(folder: Path, name: str) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = json.loads((folder / name).read_text(encoding="utf-8"))
    return content


def _belief(entry: Mapping[str, Any]) -> Belief:
    return Belief(
        key=entry["_id"],
        owner=entry["user_id"],
        kind=entry["type"],
        name=entry["canonical_name"],
        aliases=tuple(entry.get("aliases") or ()),
        content=entry["content"],
        reason=entry.get("why_it_matters") or "",
        scopes=tuple(entry["scope"]),
        is_pinned=entry.get("pinned") is True,
        is_over=bool(entry.get("superseded_by")),
        is_resolved=bool(entry.get("resolved_at")),
        participants=tuple(entry.get("participants") or ()),
    )


def _case(key: str, category: str, query: str, entry: Mapping[str, Any]) -> Case:
    return Case(
        key=key,
        category=category,
        owner=entry.get("userId") or USER,
        scopes=tuple(entry["scope"]),
        query=query,
        most=(entry.get("budget") or {}).get("maxBeliefs", MOST_BELIEFS),
        expected=_expected(entry["expect"]),
    )


def _turn(key: str, entry: Mapping[str, Any]) -> Turn:
    case = _case(f"{key}/{entry['turnIndex']}", "session", entry["userMessage"], entry)
    created, changed = entry.get("createBeliefAtTurn"), entry.get("updateBeliefAtTurn") or {}
    added = tuple(alias.strip().lower() for alias in changed.get("addAliases") or ())
    return Turn(case, _belief(created) if created else None, (changed["beliefId"], added) if added else None)


def _expected(entry: Mapping[str, Any]) -> Expected:
    """Return the expectations. Those of the persona are left out: the benchmark itself provides the persona."""
    beliefs, pinned = entry.get("relevantBeliefs") or {}, entry.get("pinnedFacts") or {}
    questions, noise = entry.get("openQuestions") or {}, entry.get("noiseCheck") or {}
    if unknown := sorted(NOT_SUPPORTED.intersection(beliefs)):
        raise ValueError(f"Expectations that are not supported: {', '.join(unknown)}")
    only = beliefs.get("shouldOnlyInclude")
    return Expected(
        only=None if only is None else frozenset(only),
        included=frozenset(beliefs.get("mustInclude") or ()),
        excluded=frozenset(beliefs.get("mustExclude") or ()),
        pinned=frozenset(pinned.get("mustInclude") or ()),
        not_pinned=frozenset(pinned.get("mustExclude") or ()),
        questions=frozenset(questions.get("mustInclude") or ()),
        not_questions=frozenset(questions.get("mustExclude") or ()),
        noise=frozenset(noise.get("mustNotSurface") or ()),
    )
