"""Train the cross-encoder, and write the corrections of its weights.

    .venv/bin/pip install torch
    .venv/bin/python benchmarks/cross_encoder/train_comparing.py

Takes about an hour on two cores. Prints, after each pass over the pairs, what the network says about the labelled
pairs of the development half, which it has not seen. Then set the hashes in `memories/comparisons/cross_encoder.py`.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("cross_encoder")

import torch  # noqa: E402 - Django is set up first, as in the other benchmarks
from torch.nn import functional  # noqa: E402

from benchmarks.cross_encoder.learning import Learner  # noqa: E402
from benchmarks.cross_encoder.network import CrossNetwork, Tokens  # noqa: E402
from benchmarks.cross_encoder.statements import (  # noqa: E402
    CHANGE,
    DATA,
    RELATED,
    SAME,
    STATEMENTS,
    LabelledPair,
    pairs_of,
    read,
)
from memories.comparisons.cross_encoder import READ_TOKENS, TRAINING  # noqa: E402
from memories.embeddings.local import TOKENIZER, integer_model, shipped_network  # noqa: E402
from memories.embeddings.onnx import OnnxEmbedder, read_tokenizer  # noqa: E402

PASSES, BATCH = 2, 32
GROUPED = 20
"""Number of batches whose pairs are sorted by length, so that those of a batch have about the same."""

SMOOTHING = 0.05
SEED = 1


def main() -> None:
    """Train, report and write."""
    try:
        tokenizer, chance = read_tokenizer(TOKENIZER), random.Random(SEED)
        torch.manual_seed(SEED)
        network = CrossNetwork(shipped_network(), classes=3)
        pairs = training_pairs(chance)
        print(f"{len(pairs)} pairs", Counter(pair.label for pair in pairs), flush=True)

        def tokens(text: str) -> Tokens:
            ids: list[int] = tokenizer.encode(text).ids[:READ_TOKENS]
            return ids

        train(network, [((tokens(older), tokens(newer)), label) for older, newer, label in pairs], chance, tokens)
        arrays: dict[str, Any] = network.corrections()
        np.savez_compressed(TRAINING.corrections, **arrays)
    finally:
        remove_temporary_data()


def training_pairs(chance: random.Random) -> list[LabelledPair]:
    """Return the pairs of all rows in English."""
    embedder = OnnxEmbedder(integer_model())

    def embed(texts: Sequence[str]) -> Any:
        return np.stack([made.windows[0] for made in embedder.embed(texts)])

    made = []
    for folder, columns in (("related", RELATED), ("statements", STATEMENTS)):
        for path in sorted((DATA / folder).glob("*.tsv")):
            if path.stem != "languages":
                made += pairs_of(read(path), columns, embed, chance)
    return made


def train(network: CrossNetwork, pairs: Sequence[Any], chance: random.Random, tokens: Any) -> None:
    """Learn the corrections from pairs of tokens with their labels."""
    learner = Learner(network, PASSES * -(-len(pairs) // BATCH))
    for _ in range(PASSES):
        for batch in _batches(pairs, chance):
            scores = network.scores([both for both, _ in batch], training=True)
            wanted = torch.tensor([label for _, label in batch])
            learner.learn(functional.cross_entropy(scores, wanted, label_smoothing=SMOOTHING))
        print("\n".join(report(network, tokens)), flush=True)


def _batches(pairs: Sequence[Any], chance: random.Random) -> Iterator[Sequence[Any]]:
    """Return the pairs in a new order, in batches of about equal lengths."""
    mixed = chance.sample(pairs, len(pairs))
    groups = (mixed[at : at + GROUPED * BATCH] for at in range(0, len(mixed), GROUPED * BATCH))
    batches = []
    for group in groups:
        ordered = sorted(group, key=lambda pair: len(pair[0][0]) + len(pair[0][1]))
        batches += [ordered[at : at + BATCH] for at in range(0, len(ordered), BATCH)]
    chance.shuffle(batches)
    return iter(batches)


def report(network: CrossNetwork, tokens: Any) -> Iterator[str]:
    """Yield precision and recall on the development half of the labelled pairs, for some least probabilities."""
    for name, positive, at in (("duplicates", "duplicate", SAME), ("relations", "contradiction", CHANGE)):
        labelled = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["pairs"]
        half = [pair for pair in labelled if pair["half"] == 0]
        with torch.no_grad():
            scores = network.scores([(tokens(pair["first"]), tokens(pair["second"])) for pair in half])
        found = functional.softmax(scores, 1).numpy()[:, at]
        right = np.array([pair["label"] == positive for pair in half])
        for least in (0.5, 0.7, 0.9):
            taken = found >= least
            precision, recall = right[taken].mean() if taken.any() else 1, right[taken].sum() / right.sum()
            yield f"{name}, {least:.1f}: precision {precision:.2f}, recall {recall:.2f}"


if __name__ == "__main__":
    main()
