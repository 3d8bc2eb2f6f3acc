"""Labelled data: what today's rules say about duplicates, contradictions, secrets described in words, and languages.

    .venv/bin/python benchmarks/labelled.py

The pairs, sentences and translations in `data/` were written for this project, without knowledge of the code. Half of
the pairs and sentences are held out: look at them only to report a result, never to find a rule. `data/related` has
1,250 rows of a fact, two paraphrases, a change, a further fact about its subject, and a similar fact about another one.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("labelled")

from memories.comparisons.cross_encoder import read as read_pairs  # noqa: E402 - needs Django to be set up
from memories.comparisons.judging import is_change, is_readable, is_repeat  # noqa: E402
from memories.embeddings import get_embedder  # noqa: E402
from memories.errors import SecretRejected  # noqa: E402
from memories.relations.comparison import are_near_duplicates, contradict, corrects  # noqa: E402
from memories.relations.statements import Statement  # noqa: E402
from memories.validation.text import refuse_secrets  # noqa: E402
from memories.vectors.near_pairs import similarity_between  # noqa: E402

HALVES = ("development", "held out")
RELATED = ("paraphrase", "second paraphrase", "change", "further fact", "similar fact")
"""The columns of a file in `data/related` after the first one, which has the fact that they are about."""
DATA = Path(__file__).parent / "data"
Pair = dict[str, Any]


def main() -> None:
    """Print a report on each kind of data."""
    try:
        for lines in (duplicates(), contradictions(), related(), secrets(), languages()):
            print("\n".join(lines), flush=True)
    finally:
        remove_temporary_data()


def duplicates() -> Iterator[str]:
    """Yield precision and recall of near-duplicates, as `remember` reports them."""
    yield "## Duplicates in other words\n"
    yield "| half | precision | recall |\n|---|---|---|"
    for half, pairs in halves("duplicates"):
        for title, is_reported in (("rules", by_rules), ("rules or network", by_rules_or_network)):
            reported = [pair for pair in pairs if is_reported(pair)]
            right = sum(pair["label"] == "duplicate" for pair in reported)
            total = sum(pair["label"] == "duplicate" for pair in pairs)
            yield f"| {half}, {title} | {right / max(len(reported), 1):.2f} | {right / total:.2f} |"


def contradictions() -> Iterator[str]:
    """Yield the share of each class that `conflicts_with` links."""
    yield "\n## Pairs that `conflicts_with` links by rules, and by rules or the network, and near-duplicates by rules\n"
    yield "| half | class | linked by rules | or the network | near-duplicates |\n|---|---|---|---|---|"
    for half, pairs in halves("relations"):
        linked = Counter(pair["label"] for pair in pairs if is_linked(pair))
        read = Counter(pair["label"] for pair in pairs if is_linked(pair) or is_read_as_change(pair))
        same = Counter(
            pair["label"] for pair in pairs if are_near_duplicates(pair["first"], pair["second"], cosine(pair))
        )
        for label, total in sorted(Counter(pair["label"] for pair in pairs).items()):
            shares = (of[label] / total for of in (linked, read, same))
            yield f"| {half} | {label} | {' | '.join(f'{share:.2f}' for share in shares)} |"
        precisions = (of["contradiction"] / of.total() for of in (linked, read))
        yield f"| {half} | precision | {' | '.join(f'{share:.2f}' for share in precisions)} | |"


def related() -> Iterator[str]:
    """Yield what the rules say about a fact and each related one, for each file of rows."""
    yield "\n## Facts and related ones: the shares of near-duplicates, and of those that are linked\n"
    yield f"| rows | number | {' | '.join(RELATED)} |\n|---|---|{'---|' * len(RELATED)}"
    for path in sorted((DATA / "related").glob("*.tsv")):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        embedded = [[each.windows for each in get_embedder().embed(row)] for row in rows]
        shares = []
        for column in range(1, len(RELATED) + 1):
            same = linked = 0
            for row, vectors in zip(rows, embedded, strict=True):
                near = similarity_between(vectors[0], vectors[column])
                same += are_near_duplicates(row[0], row[column], near)
                linked += are_linked(row[0], row[column], near)
            shares.append(f"{same / len(rows):.2f}, {linked / len(rows):.2f}")
        yield f"| {path.stem} | {len(rows)} | {' | '.join(shares)} |"


def secrets() -> Iterator[str]:
    """Yield the share of secrets and of harmless sentences that are refused, for each half: every second sentence."""
    data = read("secrets")
    yield "\n## Secrets described in words\n\n| half | kind | sentences | refused |\n|---|---|---|---|"
    for half, name in enumerate(HALVES):
        given_away, harmless = data["secrets"][half::2], data["harmless"][half::2]
        for kind, total in sorted(Counter(secret["kind"] for secret in given_away).items()):
            refused = sum(is_refused(secret["text"]) for secret in given_away if secret["kind"] == kind)
            yield f"| {name} | {kind} | {total} | {refused / total:.0%} |"
        yield f"| {name} | harmless | {len(harmless)} | {sum(map(is_refused, harmless)) / len(harmless):.2%} |"


def languages() -> Iterator[str]:
    """Yield how often the fact that answers a question is the nearest one, for each pair of languages."""
    data = read("languages")
    names = data["languages"]
    embedder = get_embedder()
    facts = {
        name: np.stack([embedding.windows[0] for embedding in embedder.embed(data["facts"][name])]) for name in names
    }
    questions = {name: np.stack(embedder.embed_queries(data["questions"][name])) for name in names}
    yield f"\n## Languages: the right fact is the nearest of {len(data['facts']['en'])}\n"
    yield f"| questions \\ facts | {' | '.join(names)} |\n|---|{'---|' * len(names)}"
    for asked in names:
        shares = [
            np.mean((questions[asked] @ facts[told].T).argmax(axis=1) == np.arange(len(facts[told]))) for told in names
        ]
        yield f"| {asked} | {' | '.join(f'{share:.0%}' for share in shares)} |"


def halves(name: str) -> Iterator[tuple[str, Sequence[Pair]]]:
    """Yield both halves of the pairs."""
    pairs = read(name)["pairs"]
    for half, half_name in enumerate(HALVES):
        yield half_name, [pair for pair in pairs if pair["half"] == half]


def by_rules(pair: Pair) -> bool:
    """Return whether the rules call the pair near-duplicates."""
    return are_near_duplicates(pair["first"], pair["second"], cosine(pair))


def by_rules_or_network(pair: Pair) -> bool:
    """Return whether `remember` would report the pair as near-duplicates."""
    both = pair["first"], pair["second"]
    if not all(map(is_readable, both)):
        return by_rules(pair)
    near, reading = cosine(pair), read_pairs([both])[0]
    return is_repeat(*both, near, reading) or (by_rules(pair) and not is_change(near, reading))


def is_read_as_change(pair: Pair) -> bool:
    """Return whether the network says that the statements cannot be current together."""
    both = pair["first"], pair["second"]
    return all(map(is_readable, both)) and is_change(cosine(pair), read_pairs([both])[0])


def is_linked(pair: Pair) -> bool:
    """Return whether recall would link the pair, the second statement of which is newer."""
    return are_linked(pair["first"], pair["second"], cosine(pair))


def are_linked(older_text: str, newer_text: str, near: float) -> bool:
    """Return whether recall would link two texts with the cosine `near`."""
    older, newer = Statement.of(older_text), Statement.of(newer_text)
    return corrects(newer, older, near) or contradict(newer, older, near)


def cosine(pair: Pair) -> float:
    """Return how near the texts of a pair are to each other."""
    first, second = get_embedder().embed([pair["first"], pair["second"]])
    return similarity_between(first.windows, second.windows)


def is_refused(text: str) -> bool:
    """Return whether `remember` would refuse the text as a secret."""
    try:
        refuse_secrets("text", text)
    except SecretRejected:
        return True
    return False


def read(name: str) -> dict[str, Any]:
    """Return the content of a file in `data/`."""
    content: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return content


if __name__ == "__main__":
    main()
