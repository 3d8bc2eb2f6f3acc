"""Latency of the briefing at 100,000 memories.

    .venv/bin/python benchmarks/briefing.py

The memories, their vectors and 1,000 recalls are generated and inserted in bulk. Most memories have the default
importance, as in practice, so that it does not order them. With OWNSONA_DATA_DIR the database is kept, and a second run
begins at once.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.support.load import timing_of
from benchmarks.support.own_database import remove_temporary_data, set_up_django

set_up_django("briefing")

from django.core.management import call_command  # noqa: E402 - needs Django to be set up
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.support.sample_texts import memory_texts  # noqa: E402
from memories.access import View  # noqa: E402
from memories.aspects.reading import aspect_of  # noqa: E402
from memories.briefing.composition import Briefing, compose_briefing  # noqa: E402
from memories.models import Memory, PastRecall  # noqa: E402
from memories.validation.text import normalized_hash  # noqa: E402
from memories.vectors.spaces import space_in_use  # noqa: E402
from oauthserver.models import User  # noqa: E402

RECALLS, MATCHES = 1_000, 8
BATCH = 2_500
TAGS = [f"topic-{number}" for number in range(40)]
SESSIONS = 2_000
APPS = {"app-1": 60, "app-2": 25, "app-3": 10, "app-4": 4, "admin": 1}
"""The apps, with their shares of the memories in percent."""
DIMENSIONS = 384
ADD_VECTORS = f"""
INSERT INTO memories_memoryvector (owner_id, memory_id, space_id, "window", embedding)
SELECT owner_id, id, %(space)s, 0,
       (SELECT array_agg(random() - 0.5) FROM generate_series(1, {DIMENSIONS} + 0 * id))::real[]::halfvec
FROM memories_memory
"""


def main() -> None:
    """Fill the database and print p50 and p95 of briefings with different limits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=200, help="briefings in each of the rounds")
    parser.add_argument("--rounds", type=int, default=3, help="the machine may be busy: compare the rounds")
    arguments = parser.parse_args()
    try:
        call_command("migrate", verbosity=0)
        owner, _ = User.objects.get_or_create(username="briefing")
        if not Memory.objects.visible_to(View.whole(owner.pk)).exists():
            fill(owner, arguments.memories)
        print("| briefing | round | p50 ms | p95 ms |\n|---|---|---|---|")
        for name, compose in briefings(owner).items():
            for number in range(arguments.rounds):
                p50, p95 = measure(compose, arguments.runs)
                print(f"| {name} | {number + 1} | {p50:.1f} | {p95:.1f} |", flush=True)
    finally:
        remove_temporary_data()


def briefings(owner: User) -> dict[str, Callable[[], Briefing]]:
    """Return the measured briefings by name."""
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    whole = View.whole(owner.pk)
    return {
        "default": lambda: compose_briefing(whole, today),
        "2,000 tokens": lambda: compose_briefing(whole, today, max_tokens=2_000),
        "app limited to a common tag": lambda: compose_briefing(View(owner.pk, (TAGS[0],)), today),
        "app limited to a rare tag": lambda: compose_briefing(View(owner.pk, ("rare",)), today),
        "app limited to four tags": lambda: compose_briefing(View(owner.pk, (*TAGS[5:8], "rare")), today),
        "with tags": lambda: compose_briefing(whole, today, tags=[TAGS[3]]),
        "with a tag that nothing has": lambda: compose_briefing(whole, today, tags=["unused"]),
        "one session": lambda: compose_briefing(whole, today, session_id="session-7"),
    }


def measure(compose: Callable[[], Briefing], runs: int) -> tuple[float, float]:
    """Return p50 and p95 in milliseconds."""
    for _ in range(10):
        compose()
    durations = []
    for _ in range(runs):
        start = time.perf_counter()
        compose()
        durations.append(time.perf_counter() - start)
    timing = timing_of(durations, sum(durations))
    return timing.p50_ms, timing.p95_ms


def fill(owner: User, count: int) -> None:
    """Insert memories of several apps, their vectors, and recalls."""
    source = random.Random(7)
    now = timezone.now()
    texts = memory_texts(count)
    with connection.cursor() as cursor:
        # The postings play no part in a briefing, and take most of the time.
        cursor.execute("ALTER TABLE memories_memory DISABLE TRIGGER USER")
    for start in range(0, count, BATCH):
        Memory.objects.bulk_create(_memory(owner, text, source, now) for text in texts[start : start + BATCH])
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memories_memory ENABLE TRIGGER USER")
        cursor.execute(ADD_VECTORS, {"space": space_in_use().pk})
    ids = list(Memory.objects.visible_to(View.whole(owner.pk)).values_list("pk", flat=True))
    PastRecall.objects.bulk_create(_recall(owner, ids, source, now, number) for number in range(RECALLS))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _memory(owner: User, text: str, source: random.Random, now: datetime) -> Memory:
    # Zipf-like: the first tags are common, as in practice. One memory in two thousand has a rare one.
    tags = {TAGS[min(int(source.expovariate(0.15)), len(TAGS) - 1)] for _ in range(source.randint(0, 3))}
    rare = ["rare"] if source.random() < 1 / 2_000 else []
    age = timedelta(days=source.random() * 900)
    return Memory(
        owner=owner,
        text=text,
        text_hash=normalized_hash(text),
        aspect=aspect_of(text),
        tags=[*sorted(tags), *rare],
        importance=source.choices((0.5, 0.7, 0.9, 1.0, 0.3), (80, 8, 5, 2, 5))[0],
        stored_by=source.choices(list(APPS), list(APPS.values()))[0],
        session_id=f"session-{source.randrange(SESSIONS)}" if source.random() < 0.4 else None,
        created_at=now - age,
        last_confirmed_at=now - age,
        expires_at=now + timedelta(days=source.randint(1, 400)) if source.random() < 0.02 else None,
    )


def _recall(owner: User, ids: list[int], source: random.Random, now: datetime, number: int) -> PastRecall:
    # A few memories are recalled again and again, and most never.
    matches = [{"id": ids[int(len(ids) * source.random() ** 4)], "score": 0.5, "parts": {}} for _ in range(MATCHES)]
    return PastRecall(
        owner=owner, at=now - timedelta(minutes=number), client="app", tool="recall", milliseconds=5.0, query="",
        mode="hybrid", limit=MATCHES, min_score=0.0, tags=[], only_tags=[], only_keywords=False, matches=matches,
        near_misses=[],
    )  # fmt: skip


if __name__ == "__main__":
    main()
