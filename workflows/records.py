"""The records of the steps of one run. Each is committed at once, so that it survives the process."""

from __future__ import annotations

from typing import Any

import orjson
from django.utils import timezone

from memories.validation.text import make_storable
from workflows.models import Run, RunStep

MAX_RESULT_BYTES = 500_000
"""The largest result that is stored. A later step cannot use a larger one after a restart."""

MAX_MESSAGE_CHARS = 2_000


class Records:
    """The steps of a run that have begun, by path."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._by_path = {record.path: record for record in run.steps.all()}

    def get(self, path: str) -> RunStep | None:
        """Return the record of a step; None if it has not begun."""
        return self._by_path.get(path)

    def start(self, path: str, tool: str) -> None:
        """Record that a tool is about to be called."""
        self._save(path, tool, state=RunStep.State.STARTED, started_at=timezone.now(), ended_at=None)

    def end(
        self,
        path: str,
        tool: str,
        state: RunStep.State,
        *,
        code: str = "",
        message: str = "",
        result: Any = None,
        memory_ids: tuple[int, ...] = (),
    ) -> None:
        """Record the outcome of a step. A result that cannot be stored is left out, and the message says so."""
        if result is not None and not _is_storable(result):
            message, result = "The result was too large to be stored, or has characters that cannot be.", None
        self._save(
            path,
            tool,
            state=state,
            error_code=code,
            message=make_storable(message, MAX_MESSAGE_CHARS),
            result=result,
            memory_ids=sorted(set(memory_ids)),
            ended_at=timezone.now(),
        )

    def _save(self, path: str, tool: str, **values: Any) -> None:
        record, _ = RunStep.objects.update_or_create(run=self._run, path=path, defaults={"tool": tool, **values})
        self._by_path[path] = record


def _is_storable(result: Any) -> bool:
    encoded = orjson.dumps(result)
    # The database's JSON has no NUL. An escaped backslash before "u0000" is refused, too, which does no harm.
    return len(encoded) <= MAX_RESULT_BYTES and b"\\u0000" not in encoded
