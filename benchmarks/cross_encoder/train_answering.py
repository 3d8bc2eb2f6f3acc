"""Train the cross-encoder that reads a question and a memory, and write the corrections of its weights.

    .venv/bin/pip install torch
    .venv/bin/python benchmarks/cross_encoder/train_answering.py

Takes about an hour on two cores. Prints how often the memory that answers a question comes first among the nearest
ones, for people whom the network has not seen. Then set the hashes in `memories/recall/answering.py`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("cross_encoder")

import torch  # noqa: E402 - Django is set up first, as in the other benchmarks
from torch.nn import functional  # noqa: E402

from benchmarks.cross_encoder.learning import Learner  # noqa: E402
from benchmarks.cross_encoder.network import CrossNetwork, Tokens  # noqa: E402
from benchmarks.support.people import Person, learned_people, unseen_people  # noqa: E402
from memories.embeddings import get_embedder  # noqa: E402
from memories.embeddings.local import TOKENIZER, shipped_network  # noqa: E402
from memories.embeddings.onnx import read_tokenizer  # noqa: E402
from memories.recall.answering import TRAINING  # noqa: E402

NEAREST, FARTHER, FOLLOWING = 3, 1, 8
"""Number of wrong memories that a question meets: the nearest ones, and some of those that follow them. They are those
of the same person: "Does the user have siblings?" is answered by the memories of anybody."""

BATCH = 6
GROUPED = 20
"""Number of batches whose questions are sorted by length, so that those of a batch have about the same."""

CERTAIN = 0.97
"""Greatest probability that is learned."""

SEED = 1


class Asked(NamedTuple):
    """A question, and memories, of which the first one answers it."""

    question: str
    memories: Sequence[str]


def main() -> None:
    """Train, report and write."""
    try:
        chance = random.Random(SEED)
        torch.manual_seed(SEED)
        network = CrossNetwork(shipped_network(), classes=1)
        asked = [each for person in learned_people() for each in asked_of(person, chance)]
        print(f"{len(asked)} questions, {sum(len(each.memories) for each in asked)} pairs", flush=True)
        train(network, asked, chance)
        arrays: dict[str, Any] = network.corrections()
        np.savez_compressed(TRAINING.corrections, **arrays)
        print(report(network, chance))
    finally:
        remove_temporary_data()


def asked_of(person: Person, chance: random.Random) -> Iterator[Asked]:
    """Yield the questions of a person, each with the memory that answers it and wrong ones near the question."""
    embedder = get_embedder()
    memories = np.stack([made.windows[0] for made in embedder.embed(person.memories)]).astype(np.float32)
    questions = np.stack(embedder.embed_queries([text for _, text in person.questions])).astype(np.float32)
    order = np.argsort(-questions @ memories.T, axis=1)[:, : NEAREST + FOLLOWING + 1]
    for (right, question), nearest in zip(person.questions, order.tolist(), strict=True):
        wrong = [person.memories[each] for each in nearest if each != right]
        following = wrong[NEAREST : NEAREST + FOLLOWING]
        met = [*wrong[:NEAREST], *chance.sample(following, min(FARTHER, len(following)))]
        yield Asked(question, [person.memories[right], *met])


def train(network: CrossNetwork, asked: Sequence[Asked], chance: random.Random) -> None:
    """Learn the corrections."""
    batches = list(_batches(asked, chance))
    learner = Learner(network, len(batches))
    for batch in batches:
        learner.learn(_loss(network, batch))


def _batches(asked: Sequence[Asked], chance: random.Random) -> Iterator[Sequence[Asked]]:
    """Return the questions in a random order, in batches of about equal lengths."""
    mixed = chance.sample(asked, len(asked))
    groups = (mixed[at : at + GROUPED * BATCH] for at in range(0, len(mixed), GROUPED * BATCH))
    batches = []
    for group in groups:
        ordered = sorted(group, key=lambda each: max(map(len, each.memories)))
        batches += [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
    chance.shuffle(batches)
    return iter(batches)


def _loss(network: CrossNetwork, batch: Sequence[Asked]) -> Any:
    """Return the loss: is each memory an answer, and which one of a question's is the best?"""
    scores = network.scores([pair for each in batch for pair in _pairs(each)], training=True)[:, 0]
    of_questions = torch.split(scores, [len(each.memories) for each in batch])
    wanted = torch.cat([functional.one_hot(torch.tensor(0), len(each)) for each in of_questions])
    alone = functional.binary_cross_entropy_with_logits(scores, wanted * (2 * CERTAIN - 1) + 1 - CERTAIN)
    best = torch.stack([functional.cross_entropy(each[None], torch.tensor([0])) for each in of_questions])
    return alone + best.mean() / 2


def _pairs(asked: Asked) -> Iterator[tuple[Tokens, Tokens]]:
    question = _tokens(asked.question, TRAINING.first_tokens)
    return ((question, _tokens(memory, TRAINING.second_tokens)) for memory in asked.memories)


@cache
def _tokens(text: str, most: int) -> Tokens:
    ids: list[int] = _tokenizer().encode(text).ids[:most]
    return ids


@cache
def _tokenizer() -> Any:
    return read_tokenizer(TOKENIZER)


def report(network: CrossNetwork, chance: random.Random) -> str:
    """Return how often the right memory comes first, of five, for people whom the network has not seen."""
    right = []
    for person in unseen_people():
        for asked in asked_of(person, chance):
            with torch.no_grad():
                right.append(network.scores(list(_pairs(asked)))[:, 0].argmax().item() == 0)
    return f"{sum(right)} of {len(right)} questions: the right one of five memories has the highest score"
