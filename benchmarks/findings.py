"""Time of a search for findings over many memories, and of recalls during it; time of changing a tag of all of them.

Run with `.venv/bin/python benchmarks/findings.py`. The rows are made with SQL and embedded by the fake embedder. The
search runs in the job process, as the page starts it; the recalls run in a process of their own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.live_server import live_server

FILL_AND_MEASURE = """
import random, statistics, time
from django.db import connection
from benchmarks.support.sample_texts import memory_texts, questions
from memories.access import Actor, View
from memories.cleanup.search import search_soon
from memories.models import CleanupFinding, CleanupSearch
from memories.recall.pipeline import Query, recall
from memories.undo.selection import Selection
from memories.undo.undoing import preview, undo
from memories.validation.text import normalized_hash
from memories.vectors.hnsw import INDEX_CACHE_SECONDS, keep_vector_indexes
from memories.vectors.indexing import index_pending_batch
from memories.writing.tag_changes import merge_tags
from oauthserver.models import User

COUNT = {memories}
owner = User.objects.get().pk
texts = memory_texts(COUNT - COUNT // 100)
texts += [text.replace("page", "sheet") for text in texts[: COUNT // 100]]
start = time.perf_counter()
with connection.cursor() as cursor:
    for first in range(0, COUNT, 5000):
        part = texts[first : first + 5000]
        cursor.execute(
            "INSERT INTO memories_memory (owner_id, text, text_hash, tags, importance, capture_mode, stored_by) "
            "SELECT %s, text, decode(hash, 'hex'), CASE WHEN place %% 10 = 0 THEN '{{}}'::text[] "
            "ELSE ARRAY['work', 'tag' || place %% 30] END, 0.5, 'explicit', 'bench' "
            "FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS given(text, hash, place)",
            [owner, part, [normalized_hash(text).hex() for text in part]])
last = 0
while batch := index_pending_batch(last):
    last = batch.last_id
keep_vector_indexes()
with connection.cursor() as cursor:
    cursor.execute("VACUUM ANALYZE")
print(f"filled with {{COUNT}} in {{time.perf_counter() - start:.0f}} s", flush=True)
time.sleep(INDEX_CACHE_SECONDS + 5)
view, asked = View.whole(owner), questions(200)

def recall_times(until):
    times = []
    while not until(len(times)):
        start = time.perf_counter()
        recall(view, Query(asked[len(times) % 200]))
        times.append(time.perf_counter() - start)
        time.sleep(0.02)
    return statistics.median(times) * 1000, len(times)

recall_times(lambda done: done >= 50)
quiet, _ = recall_times(lambda done: done >= 300)
print(f"quiet recall p50: {{quiet:.1f}} ms", flush=True)
start = time.perf_counter()
search_soon(owner)
is_done = lambda done: done % 10 == 0 and CleanupSearch.objects.get().finished_at is not None
busy, count = recall_times(is_done)
print(f"search: {{time.perf_counter() - start:.1f}} s; recall p50 during it: {{busy:.1f}} ms = "
      f"{{busy / quiet:.2f}} times, of {{count}}", flush=True)
kinds = CleanupFinding.objects.values_list("kind", flat=True)
print({{kind: list(kinds).count(kind) for kind in set(kinds)}}, flush=True)

def timed(name, work):
    start = time.perf_counter()
    result = work()
    print(f"{{name}}: {{time.perf_counter() - start:.1f}} s", flush=True)
    return result

owner_actor = lambda: Actor(View.whole(owner), "admin", is_owner=True)
actor = owner_actor()
timed("count of a merge of tags", lambda: merge_tags(owner_actor(), ["work"], "job-things", dry_run=True))
done = timed("merge of tags", lambda: merge_tags(actor, ["work"], "job-things"))
print(f"{{done.memories}} memories changed", flush=True)
timed("its undo", lambda: undo(owner_actor(), Selection(change_set=actor.change_set)))
"""


def main() -> None:
    """Fill a new server and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    with live_server() as server:
        print(server.run(FILL_AND_MEASURE.format(**vars(parser.parse_args()))))


if __name__ == "__main__":
    main()
