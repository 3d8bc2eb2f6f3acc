"""Tests of the readers and the scoring of PrecisionMemBench, with small files in its format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.public.precision import USER, Belief, Case, read_beliefs, read_cases, read_sessions
from benchmarks.public.precision_scoring import Context, Score, compose, figures, score, score_turn

Files = dict[str, list[dict[str, Any]]]


def belief(key: str, **fields: object) -> dict[str, Any]:
    plain = {
        "_id": key,
        "user_id": USER,
        "type": "entity",
        "canonical_name": key,
        "aliases": [],
        "content": f"About {key}.",
        "why_it_matters": "",
        "scope": ["domain:boats"],
        "pinned": False,
        "resolved_at": None,
        "superseded_by": None,
    }
    return plain | fields


BELIEFS = [
    belief("sails", aliases=["canvas", "jib"], content="Red sails.", why_it_matters="Colours matter."),
    belief("engine"),
    belief("crew", type="relation", participants=["engine", "cook", "captain", "other"]),
    belief("captain", pinned=True),
    belief("former-captain", pinned=True, superseded_by="captain"),
    belief("route", type="open_question", pinned=True),
    belief("answered", type="open_question", pinned=True, resolved_at="2026-01-01T00:00:00Z"),
    belief("cook", scope=["domain:kitchen"]),
    belief("other", user_id="other-user", pinned=True),
]
CASES = [
    {
        "caseId": "one",
        "category": "Alias resolution",
        "scope": ["domain:boats"],
        "query": "jib?",
        "expect": {
            "personaPrelude": {"nonEmpty": True},
            "relevantBeliefs": {"shouldOnlyInclude": ["sails"], "mustExclude": ["other"]},
            "pinnedFacts": {"mustInclude": ["captain"], "mustExclude": ["former-captain"]},
            "openQuestions": {"mustInclude": ["route"], "mustExclude": ["answered"]},
        },
    },
    {
        "caseId": "two",
        "category": "Budget eviction and capacity",
        "userId": "other-user",
        "scope": ["domain:boats"],
        "query": " ",
        "budget": {"maxBeliefs": 2},
        "expect": {"relevantBeliefs": {"mustInclude": ["other"]}},
    },
]
SESSIONS = [
    {
        "caseId": "voyage",
        "turns": [
            {
                "turnIndex": 0,
                "scope": ["domain:boats"],
                "userMessage": "Engine noise",
                "createBeliefAtTurn": belief("radio"),
                "updateBeliefAtTurn": {"beliefId": "engine", "addAliases": [" Motor ", "diesel"]},
                "expect": {
                    "relevantBeliefs": {"shouldOnlyInclude": ["engine"]},
                    "noiseCheck": {"mustNotSurface": ["sails"]},
                },
            }
        ],
    }
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files: Files = {
        "beliefs.seed.json": BELIEFS,
        "retrieval.cases.json": CASES,
        "session-retrieval.cases.json": SESSIONS,
    }
    for name, content in files.items():
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


@pytest.fixture
def beliefs(folder: Path) -> dict[str, Belief]:
    return {item.key: item for item in read_beliefs(folder)}


@pytest.fixture
def case(folder: Path) -> Case:
    return read_cases(folder)[0]


def composed(beliefs: dict[str, Belief], case: Case, *found: str) -> Context:
    return compose(beliefs, case, lambda asked: found)


def test_the_text_of_a_belief_is_its_name_aliases_content_and_reason(beliefs: dict[str, Belief]) -> None:
    assert beliefs["sails"].text == "sails canvas jib Red sails. Colours matter."
    assert beliefs["engine"].text == "engine About engine."


def test_cases_are_read(folder: Path) -> None:
    one, two = read_cases(folder)
    assert (one.owner, one.scopes, one.most) == (USER, ("domain:boats",), 20)
    assert one.expected.only == frozenset({"sails"})
    assert (two.owner, two.most, two.expected.only) == ("other-user", 2, None)
    assert two.expected.included == {"other"}


def test_turns_are_read_with_what_they_change(folder: Path) -> None:
    turn = read_sessions(folder)[0][0]
    assert turn.case.query == "Engine noise"
    assert turn.case.expected.noise == {"sails"}
    assert turn.new_belief is not None
    assert turn.new_belief.key == "radio"
    assert turn.new_aliases == ("engine", ("motor", "diesel"))


def test_an_unknown_expectation_is_refused(folder: Path) -> None:
    entry = CASES[0] | {"expect": {"relevantBeliefs": {"minCount": 1}}}
    (folder / "retrieval.cases.json").write_text(json.dumps([entry]), encoding="utf-8")
    with pytest.raises(ValueError, match="minCount"):
        read_cases(folder)


def test_the_context_has_pinned_beliefs_and_open_questions_of_the_scope(beliefs: dict[str, Belief], case: Case) -> None:
    context = composed(beliefs, case, "sails", "captain", "sails", "unknown")
    assert context == Context(["captain"], ["sails"], ["route"])


def test_a_relation_brings_its_participants_in_scope(beliefs: dict[str, Belief], case: Case) -> None:
    assert composed(beliefs, case, "crew").relevant == ["crew", "engine"]


def test_pinned_beliefs_use_up_the_budget(folder: Path, beliefs: dict[str, Belief]) -> None:
    entry = CASES[0] | {"budget": {"maxBeliefs": 2}}
    (folder / "retrieval.cases.json").write_text(json.dumps([entry]), encoding="utf-8")
    assert composed(beliefs, read_cases(folder)[0], "sails", "engine").relevant == ["sails"]


def test_nothing_is_searched_for_an_empty_question(folder: Path, beliefs: dict[str, Belief]) -> None:
    context = composed(beliefs, read_cases(folder)[1], "sails")
    assert context == Context(["other"], [], [])


@pytest.mark.parametrize(
    ("found", "result"),
    [
        (["sails"], (True, 1.0, 1.0)),
        (["sails", "engine"], (False, 0.5, 1.0)),
        (["engine"], (False, 0.0, 0.0)),
        ([], (False, 0.0, 0.0)),
    ],
)
def test_a_case_passes_only_with_exactly_what_is_wanted(
    beliefs: dict[str, Belief], case: Case, found: Sequence[str], result: tuple[bool, float, float]
) -> None:
    scored = score(case, composed(beliefs, case, *found), {"captain"})
    assert (scored.is_passed, scored.precision, scored.recall) == result


@pytest.mark.parametrize(
    "context",
    [
        Context([], ["sails"], ["route"]),
        Context(["captain", "former-captain"], ["sails"], ["route"]),
        Context(["captain"], ["sails"], []),
        Context(["captain"], ["sails"], ["route", "answered"]),
        Context(["captain", "other"], ["sails"], ["route"]),
    ],
)
def test_every_other_expectation_must_be_met(case: Case, context: Context) -> None:
    assert score(case, Context(["captain"], ["sails"], ["route"]), ()).is_passed
    assert not score(case, context, ()).is_passed


def test_where_nothing_is_wanted_and_nothing_was_found_there_is_no_precision(folder: Path) -> None:
    two = read_cases(folder)[1]
    scored = score(two, Context(["other"], [], []), {"other"})
    assert (scored.is_passed, scored.precision, scored.recall) == (True, None, None)
    assert scored.pass_type == "structural"


def test_a_turn_drifts_by_what_is_not_wanted(folder: Path) -> None:
    turn = read_sessions(folder)[0][0]
    clean, noisy, empty = (
        score_turn(turn.case, Context([], found, [])) for found in (["engine"], ["engine", "crew"], [])
    )
    assert (clean.is_passed, clean.drift) == (True, 0)
    assert (noisy.is_passed, noisy.drift) == (False, 0.5)
    assert (empty.is_passed, empty.drift, empty.precision) == (False, 0, None)
    assert not score_turn(turn.case, Context(["sails"], ["engine"], [])).is_passed


def test_the_figures_count_the_types_of_passes() -> None:
    scores = [
        Score("Alias resolution", True, 1.0, 1.0),
        Score("Alias resolution", True, None, None),
        Score("Ranking stability", True, None, None),
        Score("Alias resolution", False, 0.5, 1.0),
    ]
    turns = [Score("session", True, 1.0, 1.0), Score("session", False, None, 0.0)]
    assert figures(scores, turns) == {
        "active passes": 1,
        "structural": 1,
        "empty": 1,
        "passes": "3/4",
        "mean precision": 0.75,
        "mean recall": 1.0,
        "turns passed": "1/2",
        "mean drift": 0.0,
        "mean precision of turns": 1.0,
    }
