"""Time of previews, undos, histories and lists of changes with a large journal.

Run with `.venv/bin/python benchmarks/undo.py`. The rows are made with SQL, which takes a minute or two.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.live_server import live_server

FILL_AND_MEASURE = """
import time
from django.db import connection
from memories.access import Actor, View
from memories.undo.change_sets import list_change_sets
from memories.undo.selection import Selection
from memories.undo.undoing import preview, undo
from memories.undo.versions import versions_of
from oauthserver.models import User

MEMORIES, ENTRIES, UNDONE = {memories}, {entries}, {undone}
owner = User.objects.get().pk
with connection.cursor() as cursor:
    cursor.execute(
        "INSERT INTO memories_memory (owner_id, text, text_hash, tags, importance, capture_mode, stored_by) "
        "SELECT %s, 'Fact number ' || n, sha256(('fact number ' || n)::bytea), ARRAY['work'], 0.5, 'explicit', 'mine' "
        "FROM generate_series(1, %s) n", [owner, MEMORIES])
    cursor.execute(
        "INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, change_set, at) "
        "SELECT owner_id, id, 'remember', '{{}}', jsonb_build_object('text', text, 'tags', tags, 'importance', 0.5, "
        "'capture_mode', 'explicit', 'last_confirmed_at', last_confirmed_at), 'mine', gen_random_uuid(), "
        "now() - interval '30 days' FROM memories_memory ORDER BY id")
    cursor.execute(
        "INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, change_set, at) "
        "SELECT %s, id, 'update', jsonb_build_object('importance', 0.5), jsonb_build_object('importance', 0.5), "
        "'app ' || round, gen_random_uuid(), now() - interval '20 days' "
        "FROM generate_series(1, %s) round, memories_memory", [owner, ENTRIES // MEMORIES - 1])
    cursor.execute(
        "WITH changed AS (UPDATE memories_memory SET text = text || ' (nonsense)', "
        "text_hash = sha256((lower(text) || ' (nonsense)')::bytea), importance = 0.9 "
        "WHERE id IN (SELECT id FROM memories_memory ORDER BY id DESC LIMIT %s) RETURNING *) "
        "INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, change_set, at) "
        "SELECT owner_id, id, 'update', "
        "jsonb_build_object('text', replace(text, ' (nonsense)', ''), 'importance', 0.5), "
        "jsonb_build_object('text', text, 'importance', 0.9), 'bad app', gen_random_uuid(), now() FROM changed",
        [UNDONE])
    cursor.execute("VACUUM ANALYZE memories_memory, memories_journalentry")

def timed(name, work):
    times = []
    for _ in range(1 if name.startswith("undo") else 5):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    print(f"{{name}}: {{sorted(times)[len(times) // 2] * 1000:.0f}} ms", flush=True)
    return result

actor = Actor(View.whole(owner), "admin", is_owner=True)
bad = Selection(clients=["bad app"])
some = User.objects.get().memories.order_by("pk").first().pk
timed("preview of {undone}", lambda: preview(actor, bad))
timed("history of a memory", lambda: versions_of(actor, some))
timed("list of changes, first page", lambda: list_change_sets(actor, Selection(), limit=20))
timed("list of changes by one app", lambda: list_change_sets(actor, Selection(clients=["app 3"]), limit=20))
first = timed("undo of {undone}", lambda: undo(actor, bad))
assert len(first.restored) == UNDONE, first
timed("list of changes after it", lambda: list_change_sets(actor, Selection(), limit=20))
again = Actor(View.whole(owner), "admin", is_owner=True)
timed("undo of the undo", lambda: undo(again, Selection(change_set=actor.change_set)))
"""


def main() -> None:
    """Fill a new server and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--undone", type=int, default=10_000)
    sizes = vars(parser.parse_args())
    with live_server() as server:
        print(server.run(FILL_AND_MEASURE.format(**sizes)))


if __name__ == "__main__":
    main()
