"""Lower bounds for the benchmarks: the SQL of the tools through plain psycopg, and the model alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import Any

import psycopg
from django.db import connection
from pgvector.psycopg import register_vector

from benchmarks.support.load import Timing, timing_of
from benchmarks.support.sample_texts import memory_texts, questions
from memories.access import View
from memories.database import SEARCH_SETTINGS
from memories.embeddings import get_embedder
from memories.recall.pipeline import Query, recall

Statement = tuple[str, Any]


def time_repeatedly(seconds: float, work: Callable[[int], object]) -> Timing:
    """Measure `work`, repeated for `seconds`."""
    durations = []
    began = time.perf_counter()
    for number in count():
        start = time.perf_counter()
        if start - began > seconds:
            break
        work(number)
        durations.append(time.perf_counter() - start)
    return timing_of(durations, time.perf_counter() - began)


def bare_connection() -> psycopg.Connection[tuple[object, ...]]:
    """Open a psycopg connection to the server's database, without Django."""
    connection.ensure_connection()
    bare = psycopg.connect(connection.connection.info.dsn, autocommit=True, prepare_threshold=2)
    register_vector(bare)
    bare.execute(SEARCH_SETTINGS)
    return bare


def statements_of(work: Callable[[], object]) -> list[Statement]:
    """Run `work` and return the SQL statements that it executed, so that they can be replayed."""
    statements: list[Statement] = []

    def note(execute: Callable[..., object], sql: str, params: Any, many: bool, context: object) -> object:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        work()
    return statements


def sql_baselines(owner_id: int, seconds: float) -> Iterator[tuple[str, Timing]]:
    """Measure the plain SQL of recall, text_search and remember, one after the other."""
    view = View.whole(owner_id)
    recalls = [statements_of(partial(recall, view, Query(question))) for question in questions(200)]
    with bare_connection() as bare:

        def ask_again(number: int) -> None:
            with bare.transaction():
                for sql, params in recalls[number % 200]:
                    bare.execute(sql, params)

        def text_search(number: int) -> None:
            bare.execute(
                "SELECT id, text FROM memories_memory WHERE owner_id = %s AND deleted_at IS NULL "
                "AND upper(text) LIKE upper(%s) ORDER BY created_at DESC, id DESC LIMIT 20",
                [owner_id, f"%page {number % 900 + 100} b1)%"],
            ).fetchall()

        def insert(number: int) -> None:
            bare.execute(
                "INSERT INTO memories_journalentry (owner_id, memory_id, operation, before, after, client, change_set) "
                "VALUES (%s, 0, 'confirm', '{}', '{}', 'bench', gen_random_uuid())",
                [owner_id],
            )

        yield "recall", time_repeatedly(seconds, ask_again)
        yield "text_search", time_repeatedly(seconds, text_search)
        yield "remember (one committed insert)", time_repeatedly(seconds, insert)


def model_baseline(seconds: float) -> Timing:
    """Measure the configured embedder alone, one text at a time."""
    embedder, texts = get_embedder(), memory_texts(500, seed=7)
    return time_repeatedly(seconds, lambda number: embedder.embed_query(texts[number % 500]))
