"""The same file, imported twice at once."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest

from memories.access import Actor, View
from memories.models import Memory
from memories.transfer.importer import ImportRun
from memories.transfer.opening import open_import
from tests.support.concurrency import in_threads
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db(transaction=True)


def test_nothing_is_stored_twice_and_every_entry_is_counted() -> None:
    owner = make_user("owner")
    rows: list[dict[str, str]] = [{"text": f"Fact {number}."} for number in range(60)]
    rows += [{"text": f"Old fact {number}.", "deleted_at": "2025-01-01T00:00:00Z"} for number in range(60)]
    content = "\n".join(map(json.dumps, rows)).encode()

    def run(_: int) -> tuple[int, int]:
        imported = ImportRun(Actor(View.whole(owner.pk), "import", is_owner=True))
        imported.run(
            open_import(io.BytesIO(content), "facts").entries, lambda place, error: pytest.fail(f"{place} {error}")
        )
        return imported.summary.inserted, imported.summary.duplicates

    results = in_threads(4, run)

    stored = Counter(Memory.objects.values_list("text", flat=True))
    assert set(stored.values()) == {1}
    assert len(stored) == 120
    assert sum(inserted for inserted, _ in results) == 120
    assert sum(duplicates for _, duplicates in results) == 3 * 120
