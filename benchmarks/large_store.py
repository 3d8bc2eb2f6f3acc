"""Time of recalls among a million memories of one owner, with the time to store them and their size on disk.

    .venv/bin/python benchmarks/large_store.py

The rows are made with SQL and embedded by the fake embedder (384 dimensions), so the times of recalls contain no model.
With OWNSONA_DATA_DIR the database is kept, and a run continues where the last one ended.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.load import timing_of
from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("large-store", EMBEDDING_PROVIDER="fake", EMBEDDING_DIMENSIONS="384")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up
from django.db import connection  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.support.sample_texts import memory_texts, questions  # noqa: E402
from memories.access import View  # noqa: E402
from memories.database import fetch_rows  # noqa: E402
from memories.recall.pipeline import Mode, Query, recall  # noqa: E402
from memories.validation.text import normalized_hash  # noqa: E402
from memories.vectors.hnsw import index_of, keep_vector_indexes  # noqa: E402
from memories.vectors.reembedding import count_unfinished, fill  # noqa: E402
from memories.vectors.spaces import current_space_id, space_in_use  # noqa: E402
from oauthserver.models import User  # noqa: E402

ROWS = 5_000
INSERT = """
INSERT INTO memories_memory (owner_id, text, text_hash, tags, importance, capture_mode, stored_by)
SELECT %(owner)s, text, decode(hash, 'hex'), '{}'::text[], 0.5, 'explicit', 'bench'
FROM unnest(%(texts)s::text[], %(hashes)s::text[]) AS given(text, hash)
"""
SIZES = """
SELECT pg_table_size('memories_memory') + pg_indexes_size('memories_memory'),
       pg_table_size('memories_posting') + pg_indexes_size('memories_posting'),
       pg_table_size('memories_memoryvector'),
       pg_indexes_size('memories_memoryvector') - pg_relation_size(%(index)s), pg_relation_size(%(index)s),
       pg_database_size(current_database())
"""
SIZE_NAMES = ("memories", "postings", "vectors", "their keys", "vector index", "database")


def main() -> None:
    """Fill the database and print times and sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=1_000_000)
    parser.add_argument("--recalls", type=int, default=200, help="recalls of each mode in each of the rounds")
    parser.add_argument("--rounds", type=int, default=3, help="the machine may be busy: compare the rounds")
    arguments = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        owner, _ = User.objects.get_or_create(username="large-store")
        fill_up(owner, arguments.memories)
        print_sizes(owner)
        print_recalls(View.whole(owner.pk), arguments.recalls, arguments.rounds)
    finally:
        remove_temporary_data()


def fill_up(owner: User, count: int) -> None:
    """Store, embed and index what is missing of `count` memories."""
    existing = owner.memories.count()
    with reported("storing"):
        for first in tqdm(range(existing, count, ROWS), desc="storing", file=sys.stderr):
            store(owner, memory_texts(min(ROWS, count - first), seed=first + 1))
    space = space_in_use()
    with reported("embedding"), tqdm(total=count_unfinished(space), desc="embedding", file=sys.stderr) as bar:
        fill(space, bar.update)
    with reported("building the index"):
        keep_vector_indexes()
    with reported("VACUUM ANALYZE"), connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def store(owner: User, texts: list[str]) -> None:
    """Store memories with these texts."""
    hashes = [normalized_hash(text).hex() for text in texts]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, {"owner": owner.pk, "texts": texts, "hashes": hashes})


@contextmanager
def reported(name: str) -> Iterator[None]:
    """Print how long the block takes."""
    start = time.perf_counter()
    yield
    print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


def print_sizes(owner: User) -> None:
    """Print the sizes of the tables and indexes."""
    index = index_of(owner.pk, current_space_id())
    assert index is not None, "there are too few memories for an index"
    (sizes,) = fetch_rows(SIZES, {"index": index.name})
    print(", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in zip(SIZE_NAMES, sizes, strict=True)), flush=True)


def print_recalls(view: View, count: int, rounds: int) -> None:
    """Print p50 and p95 of recalls in each mode."""
    print("| mode | round | p50 ms | p95 ms |\n|---|---|---|---|")
    asked = questions(count)
    for mode in Mode:
        for number in range(rounds):
            p50, p95 = measured(view, mode, asked)
            print(f"| {mode} | {number + 1} | {p50:.1f} | {p95:.1f} |", flush=True)


def measured(view: View, mode: Mode, asked: list[str]) -> tuple[float, float]:
    """Return p50 and p95 of recalls, in milliseconds."""
    seconds = []
    for question in asked:
        start = time.perf_counter()
        recall(view, Query(question, mode=mode))
        seconds.append(time.perf_counter() - start)
    timing = timing_of(seconds, sum(seconds))
    return timing.p50_ms, timing.p95_ms


if __name__ == "__main__":
    main()
