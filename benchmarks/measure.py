"""The measurement of the running server that the environment names, with the figures as JSON on stdout."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
django.setup()

from django.conf import settings  # noqa: E402 - needs Django to be set up
from django.db import connection  # noqa: E402
from tqdm import tqdm  # noqa: E402

from benchmarks.auth import access_timings  # noqa: E402
from benchmarks.run import CLIENTS, Row, as_row  # noqa: E402
from benchmarks.support.baselines import model_baseline, sql_baselines  # noqa: E402
from benchmarks.support.load import Call, run_load  # noqa: E402
from benchmarks.support.sample_texts import memory_texts, questions  # noqa: E402
from memories.access import Actor, View  # noqa: E402
from memories.drafts import Draft  # noqa: E402
from memories.models import Memory  # noqa: E402
from memories.vectors.hnsw import INDEX_CACHE_SECONDS, keep_vector_indexes  # noqa: E402
from memories.writing.deduplication import DedupPolicy  # noqa: E402
from memories.writing.remembering import RememberRequest, remember_all  # noqa: E402
from oauthserver.models import User  # noqa: E402
from tests.support.factories import make_access_token  # noqa: E402

FILL_BATCH = 500
BATCH_ITEMS = 200


def main() -> None:
    """Fill the server to each size named on the command line and measure it."""
    seconds, sizes = float(sys.argv[1]), [int(size) for size in sys.argv[2:]]
    user = User.objects.get(username=os.environ["OWNSONA_LOGIN_USERNAME"])
    token = make_access_token(user)
    rows = [as_row(0, "floor: embed one text", 1, model_baseline(seconds))]
    rows += [as_row(0, what, 1, timing) for what, timing in access_timings(user, seconds)]
    for size in sizes:
        fill(user, size)
        rows += measure_size(user, token, size, seconds)
    json.dump(rows, sys.stdout)


def fill(user: User, size: int) -> None:
    """Fill up the user's memories to `size`, through the domain API."""
    texts = memory_texts(size)
    missing = texts[Memory.objects.visible_to(View.whole(user.pk)).filter(text__endswith=" b1)").count() :]
    for start in tqdm(range(0, len(missing), FILL_BATCH), desc=f"filling to {size}", file=sys.stderr):
        drafts = [Draft(text) for text in missing[start : start + FILL_BATCH]]
        remember_all(
            Actor(View.whole(user.pk), "bench"), [RememberRequest(draft, DedupPolicy.INSERT) for draft in drafts]
        )
    # Otherwise the job process would do the first within a minute, and PostgreSQL the second within a few.
    keep_vector_indexes()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    # For this time the server may still have cached that there is no index.
    time.sleep(INDEX_CACHE_SECONDS)


def measure_size(user: User, token: str, size: int, seconds: float) -> Iterator[Row]:
    """Measure at the current size. Reads come first, since writes make the table grow."""
    for what, timing in sql_baselines(user.pk, seconds):
        yield as_row(size, f"floor: {what}", 1, timing)
    asked = questions(500)
    fresh = count()

    def recall(number: int) -> Call:
        return "recall", {"query": asked[number % 500]}

    def recall_by_meaning(number: int) -> Call:
        return "recall", {"query": asked[number % 500], "mode": "semantic"}

    def text_search(number: int) -> Call:
        return "text_search", {"text": f"page {number % 900 + 100} b1)"}

    def remember(_: int) -> Call:
        return "remember", {"text": f"{new_text(size, next(fresh))}"}

    def remember_batch(_: int) -> Call:
        return "remember_batch", {"items": [{"text": new_text(size, next(fresh))} for _ in range(BATCH_ITEMS)]}

    calls: list[tuple[str, Any]] = [
        ("recall", recall),
        ("recall, semantic", recall_by_meaning),
        ("text_search", text_search),
        ("remember", remember),
    ]
    for what, make_call in calls:
        for clients in CLIENTS:
            run_load(settings.PORT, token, clients, min(1.0, seconds), make_call)
            yield as_row(size, what, clients, run_load(settings.PORT, token, clients, seconds, make_call))
    timing = run_load(settings.PORT, token, 1, seconds, remember_batch)
    row = as_row(size, f"remember_batch of {BATCH_ITEMS}, items/s", 1, timing)
    yield {**row, "per_second": round(timing.per_second * BATCH_ITEMS, 1)}
    Memory.objects.visible_to(View.whole(user.pk)).filter(text__startswith="New at").delete()


def new_text(size: int, number: int) -> str:
    """Return a text that is not stored yet and is no near-duplicate of another."""
    return f"New at {size}: {memory_texts(1, seed=size * 1_000_000 + number)[0]}"


if __name__ == "__main__":
    main()
