"""Quality of recall: the share of the answering memories that are found (recall@5, @10, @50), by kind of question.

    .venv/bin/python benchmarks/recall_quality.py --dialogues locomo.json

Each collection is stored as the memories of one owner and queried through the real pipeline with the local model. The
results are compared with plain cosine, BM25, reciprocal rank fusion of both, cosine + BM25/2, and word counts, as by
grep. "Cross-fitted" weights are found on one half of the questions and scored on the other, both ways. If
OWNSONA_DATA_DIR names a folder, the memories are kept there, and a second run takes seconds.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("quality")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up
from django.utils import timezone  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.fitting.weights import FITTED, Candidates, fit, recall_at  # noqa: E402
from benchmarks.support.datasets import Dataset, Question, dialogues, in_long_memories, shipped  # noqa: E402
from memories.access import Actor, View  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.models import Memory  # noqa: E402
from memories.recall.pipeline import Mode, Query, gather_candidates, recall  # noqa: E402
from memories.recall.ranking import rank  # noqa: E402
from memories.recall.signals import HYBRID, Candidate  # noqa: E402
from memories.times.phrases import period_in  # noqa: E402
from memories.validation.text import clean_text, normalized_hash  # noqa: E402
from memories.vectors.reembedding import fill  # noqa: E402
from memories.vectors.spaces import space_in_use  # noqa: E402
from memories.writing.deduplication import DedupPolicy  # noqa: E402
from memories.writing.remembering import RememberRequest, remember_all  # noqa: E402
from oauthserver.models import User  # noqa: E402

CUTS = (1, 3, 5, 10, 50)
MOST = 50
RRF_K = 60
BATCH = 200
Ids = list[int]


def main() -> None:
    """Print a table for each dataset."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dialogues", type=Path, help="a JSON file with LoCoMo's turns and questions")
    arguments = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        if arguments.dialogues:
            measure(dialogues(arguments.dialogues))
            measure(in_long_memories(dialogues(arguments.dialogues)))
        for name in ("conversations", "facts", "documents"):
            measure(shipped(name))
        for name, count in (("facts", 20), ("documents", 6)):
            measure(in_long_memories(shipped(name), count))
    finally:
        remove_temporary_data()


def measure(dataset: Dataset) -> None:
    """Store one dataset, ask its questions, and print how much each method found."""
    owner, _ = User.objects.get_or_create(username=dataset.name)
    view = View.whole(owner.pk)
    store(view, dataset)
    by_hash = {bytes(text_hash): pk for pk, text_hash in Memory.objects.visible_to(view).values_list("pk", "text_hash")}
    ids = {text.key: by_hash[normalized_hash(clean_text(text.text))] for text in dataset.texts}
    wanted = [[ids[key] for key in asked.answers] for asked in dataset.questions]
    ways = found_by_each_way(view, dataset, wanted)
    print(f"\n## {dataset.name}: {len(dataset.texts)} memories, {len(dataset.questions)} questions\n")
    print("\n".join(table(dataset.questions, wanted, ways)), flush=True)


def store(view: View, dataset: Dataset) -> None:
    """Store the memories in order, unless they are already stored."""
    drafts = [Draft(text.text, session_id=text.session, created_at=text.at) for text in dataset.texts]
    if Memory.objects.visible_to(view).count() >= len({normalized_hash(clean_text(draft.text)) for draft in drafts}):
        return
    for start in tqdm(range(0, len(drafts), BATCH), desc=dataset.name, file=sys.stderr):
        batch = drafts[start : start + BATCH]
        remember_all(Actor(view, "benchmark"), [RememberRequest(draft, DedupPolicy.INSERT) for draft in batch])
    fill(space_in_use(), lambda count: None)


def found_by_each_way(view: View, dataset: Dataset, wanted: Sequence[Ids]) -> dict[str, list[Ids]]:
    """Return for each search method the ids that it finds for each question, best first."""
    questions = dataset.questions
    cosine = [found(view, asked, Mode.SEMANTIC) for asked in questions]
    bm25 = [found(view, asked, Mode.KEYWORD) for asked in questions]
    candidates = [gather_candidates(view, Query(asked.text, MOST)).candidates for asked in questions]
    texts = dict(Memory.objects.visible_to(view).values_list("pk", "text"))
    return {
        "grep": [grep(texts, asked.text) for asked in questions],
        "cosine": cosine,
        "BM25": bm25,
        "reciprocal rank fusion": [fused(pair) for pair in zip(cosine, bm25, strict=True)],
        "cosine + BM25/2": [plain_hybrid(items) for items in candidates],
        "OwnSona": [found(view, asked, Mode.HYBRID) for asked in questions],
        "OwnSona, asked in lower case": [
            found(view, replace(asked, text=asked.text.lower()), Mode.HYBRID) for asked in questions
        ],
        "OwnSona, cross-fitted": cross_fitted(questions, wanted, candidates),
    }


def found(view: View, asked: Question, mode: Mode) -> Ids:
    """Return the ids that recall finds, best first."""
    return [match.memory.pk for match in recall(view, Query(asked.text, MOST, mode=mode)).matches]


def grep(texts: Mapping[int, str], question: str) -> Ids:
    """Rank memories by how many of the question's words of at least four letters they contain; ties newest first."""
    words = {word for word in re.findall(r"\w+", question.lower()) if len(word) > 3}
    counts = {pk: sum(word in text.lower() for word in words) for pk, text in texts.items()}
    return sorted((pk for pk, count in counts.items() if count), key=lambda pk: (-counts[pk], -pk))[:MOST]


def fused(rankings: Sequence[Ids]) -> Ids:
    """Merge rankings by reciprocal rank fusion (Cormack et al. 2009)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, pk in enumerate(ranking, start=1):
            scores[pk] = scores.get(pk, 0.0) + 1 / (RRF_K + place)
    return sorted(scores, key=lambda pk: -scores[pk])[:MOST]


def plain_hybrid(candidates: Sequence[Candidate]) -> Ids:
    """Rank by the cosine to the whole question plus half of BM25."""
    order = sorted(candidates, key=lambda item: -((item.cosine or 0.0) + item.words / 2))
    return [item.item_id for item in order][:MOST]


def cross_fitted(
    questions: Sequence[Question], wanted: Sequence[Ids], candidates: Sequence[Sequence[Candidate]]
) -> list[Ids]:
    """Rank with weights that were fitted on the other half of the questions."""
    halves: dict[int, list[Candidates]] = {0: [], 1: []}
    for asked, answers, items in zip(questions, wanted, candidates, strict=True):
        halves[asked.half].append(as_candidates(items, answers))
    weights = {half: fit(halves[1 - half], HYBRID) for half in halves}
    print({half: str(found) for half, found in weights.items()}, file=sys.stderr)
    now = timezone.now()
    rankings = [
        rank(items, weights[asked.half], now, period_in(asked.text, now))
        for asked, items in zip(questions, candidates, strict=True)
    ]
    return [[item.candidate.item_id for item in ranking[:MOST]] for ranking in rankings]


def as_candidates(candidates: Sequence[Candidate], answers: Ids) -> Candidates:
    """Convert the candidates for one question to the form that `fit` needs."""
    names = ("similarity", *FITTED)
    return Candidates(
        np.array([[getattr(item, name) for name in names] for item in candidates]).reshape(-1, len(names)),
        np.isin([item.item_id for item in candidates], answers),
        len(set(answers)),
    )


def table(questions: Sequence[Question], wanted: Sequence[Ids], ways: Mapping[str, list[Ids]]) -> Iterator[str]:
    """Yield a table with a row for each method: recall at each cut, then recall@10 by kind."""
    kinds = sorted({asked.kind for asked in questions})
    columns = [f"@{cut}" for cut in CUTS] + [f"{kind} @10" for kind in kinds]
    yield f"| way | {' | '.join(columns)} |"
    yield f"|---|{'---|' * len(columns)}"
    for name, rankings in ways.items():
        shares = [recall_at(cut, rankings, wanted) for cut in CUTS]
        for kind in kinds:
            of_kind = [place for place, asked in enumerate(questions) if asked.kind == kind]
            shares.append(recall_at(10, [rankings[place] for place in of_kind], [wanted[place] for place in of_kind]))
        yield f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |"


if __name__ == "__main__":
    main()
