"""Confidence of recall: does it tell questions that the memories answer from those that they do not?

    .venv/bin/python benchmarks/confidence.py --dialogues locomo.json --dialogues realtalk.json

Questions without an answer are those about another collection, those with invented names, those of the week's benchmark
that nothing answers, and those about four people from whose memories the answer is taken away. All estimates are
cross-fitted: those of one data set use coefficients that only the others have influenced. At the end, the coefficients
of all data sets together are printed, for `memories/recall/relevance.py`.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("confidence")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up
from django.utils import timezone  # noqa: E402

from benchmarks import week  # noqa: E402
from benchmarks.fitting.logistic_regression import Column, auroc, cross_fitted, fit, probabilities  # noqa: E402
from benchmarks.recall_quality import store  # noqa: E402
from benchmarks.support.datasets import Dataset, dialogues, shipped  # noqa: E402
from benchmarks.support.people import ENGLISH_STORES, unseen_people  # noqa: E402
from benchmarks.support.stored import new_view, store_drafts  # noqa: E402
from benchmarks.wordings import ASKED_AT, CHATS, drafts  # noqa: E402
from memories.access import Actor, View  # noqa: E402
from memories.models import Memory  # noqa: E402
from memories.recall import relevance  # noqa: E402
from memories.recall.answers import with_signals_of_texts  # noqa: E402
from memories.recall.corrections import CONSIDERED_MATCHES  # noqa: E402
from memories.recall.pipeline import WEIGHTS, Mode, Query, gather_candidates  # noqa: E402
from memories.recall.ranking import Ranked, rank  # noqa: E402
from memories.recall.relevance import (  # noqa: E402
    MIN_CONFIDENCE,
    MIN_RELEVANCE,
    Precision,
    match_features,
    question_features,
)
from memories.times.phrases import period_in  # noqa: E402
from memories.validation.text import clean_text, normalized_hash  # noqa: E402
from oauthserver.models import User  # noqa: E402

INVENTED = ("Zdenka", "Ragnvald", "Oluchi", "Thibault", "Kaimana", "Brunhild", "Ozan", "Philippa")
OWN_COUNT, FOREIGN_COUNT, INVENTED_COUNT = 200, 150, 60
"""Most questions of each kind that are asked of one collection."""

PERSON_COUNT = 60
"""Number of questions about a person, each of which is asked with and without its answer. Together they are a fifth of
all: what nobody has said can hardly be distinguished from what was said in other words, so more of them blur the
estimates for questions that are about something else."""

LIMIT = 10
NAME = re.compile(r"(?<=[\w,] )\b[A-Z][a-z]{2,}\b")
Rated = Sequence[tuple[float, bool]]
"""The estimated relevance of each match of a question, and whether it is an answer."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to recall, and its calibration. `is_read`: a network reads the first candidates."""

    mode: Mode
    calibration: relevance.Calibration
    is_read: bool = False


WAYS = {
    "hybrid": Way(Mode.HYBRID, relevance.READ, is_read=True),
    "hybrid, not read": Way(Mode.HYBRID, relevance.HYBRID),
    "semantic": Way(Mode.SEMANTIC, relevance.SEMANTIC),
    "keyword": Way(Mode.KEYWORD, relevance.KEYWORD),
}


@dataclass(frozen=True, slots=True)
class Collection:
    """Memories of one owner, and the questions about them with the ids of their answers."""

    name: str
    view: View
    questions: Sequence[tuple[str, Sequence[int]]]
    asked_at: datetime
    is_person: bool = False

    @property
    def group(self) -> str:
        """The name of the data set that it is a part of."""
        return self.name.rstrip("01")


class Question(NamedTuple):
    """A question, its kind, the ids of its answers, and those of the memories that are taken away."""

    kind: str
    text: str
    answers: frozenset[int] = frozenset()
    taken_away: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the first candidates for it, the first matches, and the ids of its answers, if it has any."""

    group: str
    kind: str
    ranked: Sequence[Ranked]
    found: Sequence[Ranked]
    unknown_name: bool
    answers: frozenset[int]

    @property
    def is_answerable(self) -> bool:
        """Whether the memories answer the question."""
        return bool(self.answers)

    @property
    def is_answered(self) -> bool:
        """Whether an answer was found."""
        return any(item.candidate.item_id in self.answers for item in self.found)


def main() -> None:
    """Print the quality of the estimates in each way, and the coefficients."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=Path, action="append", default=[], help="LoCoMo's or REALTALK's turns")
    arguments = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        collections = list(all_collections(arguments.dialogues))
        for name, way in WAYS.items():
            print("\n".join(report(name, way, ask_all(collections, way))), flush=True)
    finally:
        remove_temporary_data()


def all_collections(paths: Sequence[Path]) -> Iterator[Collection]:
    """Store all data sets. Dialogues are stored in two halves, so that each is asked about the other's people."""
    for path in paths:
        for part in halves(dialogues(path)):
            yield stored(replace(part, name=f"{path.stem}{part.name[-1]}"))
    for name in ("conversations", "facts", "documents"):
        yield stored(shipped(name))
    owner, _ = User.objects.get_or_create(username="confidence-week")
    content = week.read("week")
    outcomes = week.store(Actor(View.whole(owner.pk), "benchmark"), content["facts"], week.MONDAY)
    asked = [*content["questions"], *content["blind_questions"]]
    questions = [(each["text"], [outcomes[number].memory_id for number in each["answers"]]) for each in asked]
    yield Collection("week", View.whole(owner.pk), questions, week.WEEK_END)
    for name, person in zip(ENGLISH_STORES, unseen_people(), strict=True):
        view = new_view(f"confidence-{name}")
        ids = store_drafts(view, list(drafts(person, in_sessions=name == CHATS)), name)
        about = [(text, [pk]) for place, text in person.questions if (pk := ids[place]) is not None]
        yield Collection(f"a person: {name}", view, about, ASKED_AT, is_person=True)


def halves(dataset: Dataset) -> Iterator[Dataset]:
    """Yield the even and the odd conversations of a data set."""
    conversations = sorted({text.key.partition("/")[0] for text in dataset.texts})
    for half in (0, 1):
        mine = set(conversations[half::2])
        yield Dataset(
            f"{dataset.name}{half}",
            [text for text in dataset.texts if text.key.partition("/")[0] in mine],
            [question for question in dataset.questions if question.answers[0].partition("/")[0] in mine],
        )


def stored(dataset: Dataset) -> Collection:
    """Store a data set as the memories of an owner of its own."""
    owner, _ = User.objects.get_or_create(username=f"confidence-{dataset.name}")
    view = View.whole(owner.pk)
    store(view, dataset)
    by_hash = {bytes(text_hash): pk for pk, text_hash in Memory.objects.visible_to(view).values_list("pk", "text_hash")}
    ids = {text.key: by_hash[normalized_hash(clean_text(text.text))] for text in dataset.texts}
    questions = [(asked.text, [ids[key] for key in asked.answers]) for asked in dataset.questions]
    return Collection(dataset.name, view, questions, timezone.now())


def ask_all(collections: Sequence[Collection], way: Way) -> list[Asked]:
    """Ask each collection its own questions, some of the others, and some with invented names."""
    asked = [
        ask(collection, way, question)
        for collection in collections
        for question in questions_for(collection, collections)
    ]
    return [each for each in asked if each.found]


def questions_for(collection: Collection, collections: Sequence[Collection]) -> Iterator[Question]:
    """Yield the questions for a collection."""
    chance = random.Random(collection.name)
    own = collection.questions
    if collection.is_person:
        for text, answers in chance.sample(own, PERSON_COUNT):
            yield Question("own", text, frozenset(answers))
            yield Question("answer taken away", text, taken_away=frozenset(answers))
        return
    others = [
        text
        for other in collections
        if other is not collection and not other.is_person
        for text, answers in other.questions
        if answers
    ]
    for text, answers in chance.sample(own, min(OWN_COUNT, len(own))):
        yield Question("own" if answers else "nothing known", text, frozenset(answers))
    for text in chance.sample(others, min(FOREIGN_COUNT, len(others))):
        yield Question("another collection", text)
    renamed = [NAME.sub(lambda _: chance.choice(INVENTED), text) for text, _ in own if NAME.search(text)]
    for text in chance.sample(renamed, min(INVENTED_COUNT, len(renamed))):
        yield Question("invented names", text)


def ask(collection: Collection, way: Way, question: Question) -> Asked:
    """Ask one question."""
    text = question.text
    gathered = gather_candidates(collection.view, Query(text, LIMIT, mode=way.mode, asked_at=collection.asked_at))
    candidates = [each for each in gathered.candidates if each.item_id not in question.taken_away]
    period = period_in(text, collection.asked_at)
    found = ranked = rank(candidates, WEIGHTS[way.mode], collection.asked_at, period)[:CONSIDERED_MATCHES]
    if way.mode is Mode.HYBRID:
        texts = Memory.objects.in_bulk([item.candidate.item_id for item in ranked])
        found = with_signals_of_texts(
            text, ranked, {pk: memory.text for pk, memory in texts.items()}, is_read=way.is_read
        )
    return Asked(
        collection.group, question.kind, ranked[:LIMIT], found[:LIMIT], gathered.words.unknown_name, question.answers
    )


def report(name: str, way: Way, asked: Sequence[Asked]) -> Iterator[str]:
    """Yield the lines of the report of one way."""
    names = _names(way.calibration.confidence)
    features = np.array([[_question(each)[name] for name in names] for each in asked])
    answerable = np.array([float(each.is_answerable) for each in asked])
    groups = [each.group for each in asked]
    # A question whose answer was not found says nothing about the confidence that it should get.
    usable = np.array([each.is_answered or not each.is_answerable for each in asked])
    confidence = cross_fitted(features, answerable, groups)
    yield f"\n## {name}: {len(asked)} questions, {int(answerable.sum())} with an answer\n"
    yield "| data set | AUROC |\n|---|---|"
    for group in sorted(set(groups)):
        mine = usable & np.array([each == group for each in groups])
        yield f"| {group} | {auroc(confidence[mine], answerable[mine]):.3f} |"
    yield f"| all | {auroc(confidence[usable], answerable[usable]):.3f} |"
    yield from reliability(probabilities(confidence[usable]), answerable[usable])
    weights = fit(features[usable], answerable[usable])
    yield f"\nconfidence: {_coefficients(names, weights)}"
    yield from matches(way, asked, confidence, fitted=features @ weights[1:] + weights[0])


def matches(way: Way, asked: Sequence[Asked], confidence: Column, fitted: Column) -> Iterator[str]:
    """Yield what each precision keeps, and the coefficients of the relevance of matches."""
    names = _names(way.calibration.relevance)
    rows = [(place, item) for place, each in enumerate(asked) for item in each.found]

    def table(logits: Column) -> Column:
        return np.array(
            [
                [match_features(item, asked[place].found[0].rank, float(logits[place]))[name] for name in names]
                for place, item in rows
            ]
        )

    labels = np.array([float(item.candidate.item_id in asked[place].answers) for place, item in rows])
    estimates = probabilities(cross_fitted(table(confidence), labels, [asked[place].group for place, _ in rows]))
    by_question: list[list[tuple[float, bool]]] = [[] for _ in asked]
    for (place, _), value, label in zip(rows, estimates, labels, strict=True):
        by_question[place].append((float(value), bool(label)))
    yield "\n| precision | recall@10 kept | irrelevant matches removed | unanswerable questions with a match |"
    yield "|---|---|---|---|"
    for precision in Precision:
        yield f"| {precision} | {' | '.join(kept(precision, asked, probabilities(confidence), by_question))} |"
    yield f"\nrelevance: {_coefficients(names, fit(table(fitted), labels))}"


def kept(
    precision: Precision,
    asked: Sequence[Asked],
    confidence: Column,
    by_question: Sequence[Sequence[tuple[float, bool]]],
) -> Iterator[str]:
    """Yield the shares that one precision keeps and removes, the last one for each kind of question."""
    before = after = 0.0
    irrelevant = removed = 0
    with_match: dict[str, list[bool]] = {}
    for each, sure, rated in zip(asked, confidence, by_question, strict=True):
        stays = [pair for pair in rated if sure >= MIN_CONFIDENCE[precision] and pair[0] >= MIN_RELEVANCE[precision]]
        irrelevant += sum(not right for _, right in rated)
        removed += sum(not right for _, right in rated) - sum(not right for _, right in stays)
        if each.is_answerable:
            before += sum(right for _, right in rated) / len(each.answers)
            after += sum(right for _, right in stays) / len(each.answers)
        else:
            with_match.setdefault(each.kind, []).append(bool(stays))
    every = [value for values in with_match.values() for value in values]
    yield f"{after / before:.1%}"
    yield f"{removed / irrelevant:.0%}"
    kinds = ", ".join(f"{kind} {np.mean(values):.0%}" for kind, values in sorted(with_match.items()))
    yield f"{np.mean(every):.0%} ({kinds})"


def reliability(estimates: Column, labels: Column) -> Iterator[str]:
    """Yield the reliability diagram as a table: estimated and real shares of answered questions."""
    yield "\n| confidence | questions | mean | answered |\n|---|---|---|---|"
    for low in np.arange(0, 1, 0.1):
        within = (estimates >= low) & (estimates < low + 0.1 + 1e-9 * (low > 0.85))
        if within.any():
            share = labels[within].mean()
            bar = "█" * round(20 * share)
            yield f"| {low:.1f}–{low + 0.1:.1f} | {within.sum()} | {estimates[within].mean():.2f} | {share:.2f} {bar} |"


def _question(asked: Asked) -> Mapping[str, float]:
    return question_features(asked.ranked, asked.found, unknown_name=asked.unknown_name)


def _names(coefficients: Mapping[str, float]) -> list[str]:
    return [name for name in coefficients if name != "bias"]


def _coefficients(names: Sequence[str], weights: Column) -> dict[str, float]:
    return {name: round(float(weight), 2) for name, weight in zip(["bias", *names], weights, strict=True)}


if __name__ == "__main__":
    main()
