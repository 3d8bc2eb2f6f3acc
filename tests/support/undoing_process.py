"""A process that undoes changes, applies a plan or merges tags, so that a test can kill it in the middle."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.db import connection

from oauthserver.models import User
from tests.support.processes import Child, child, environment_of_a_worker

# The last statement of each operation waits for the lock that the test holds, after everything else was written.
_SCRIPT = """
import django
django.setup()
import sys
from uuid import UUID
from memories.access import Actor, View
from memories.cleanup.plans import apply_plan
from memories.undo.selection import Selection
from memories.undo.undoing import undo
from memories.writing.tag_changes import merge_tags
what, owner, argument = sys.argv[1:]
actor = Actor(View.whole(int(owner)), "admin", is_owner=True)
print("ready", flush=True)
if what == "undo":
    undo(actor, Selection(change_set=UUID(argument)))
elif what == "apply":
    apply_plan(actor, int(argument))
else:
    merge_tags(actor, [argument], "merged")
print("done", flush=True)
"""


def running(what: str, owner: User, argument: object) -> AbstractContextManager[Child]:
    """Run the `undo` of a change set, the `apply` of a plan or the `merge` of a tag in a process.

    It prints "ready" before and "done" after it.
    """
    return child("-c", _SCRIPT, what, str(owner.pk), str(argument), environment=environment_of_a_worker())


def is_waiting() -> bool:
    """Return whether a statement waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])
