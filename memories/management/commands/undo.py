"""The command `undo`."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.access import Actor
from memories.admin.base import acting_owner
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view
from memories.undo import undoing
from memories.undo.outcomes import Outcome, Resolution
from memories.undo.parts import in_parts
from memories.undo.reversal import Id
from memories.undo.selection import Selection, checked_session, clients_of_app
from memories.undo.undoing import UndoOutcome
from memories.undo.versions import later_than

_AGO = re.compile(r"(\d{1,4})([mhd])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
SHOWN = 20


class Command(BaseCommand):
    """A command that undoes changes of memories and documents."""

    help = (
        "Undo changes of memories and documents: one change set, what an app did, everything since a time, or restore "
        "a version of a memory."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--change-set", type=UUID, metavar="ID", help="undo this change set")
        parser.add_argument("--app", metavar="NAME", help="undo changes by this app: its name or client id")
        parser.add_argument("--session", metavar="ID", help="undo changes of this session")
        parser.add_argument("--memory", type=int, metavar="ID", help="restore a version of this memory")
        parser.add_argument("--version-number", type=int, metavar="N", help="the version of --memory to restore")
        parser.add_argument("--since", type=_since, metavar="TIME", help="an ISO 8601 time, or 90m, 2h, 3d for “ago”")
        parser.add_argument(
            "--on-conflict",
            type=Resolution,
            choices=list(Resolution),
            default=Resolution.KEEP,
            help="what to do with memories and documents that were changed again since; default: keep",
        )
        parser.add_argument("--dry-run", action="store_true", help="only show what would happen")
        parser.add_argument(
            "--in-parts", action="store_true", help="undo 10000 memories at a time, for more than fit into one undo"
        )

    def handle(self, *args: object, **options: Any) -> None:
        actor = acting_owner(chosen_view(options["user"]).owner_id)
        is_anything_done = False
        try:
            for outcome in _outcomes(actor, _selection(actor, options), options):
                self._print(outcome)
                is_anything_done |= outcome.changes_something
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        if not options["dry_run"] and is_anything_done:
            self.stdout.write(f"To take this back: manage.py undo --change-set {actor.change_set}")

    def _print(self, outcome: UndoOutcome) -> None:
        self._print_items(outcome, "memories")
        self._print_items(outcome.documents, "documents")
        if outcome.synonyms:
            self.stdout.write(f"Tag synonyms restored: {outcome.synonyms}")
        self.stdout.write(f"Already as before: {outcome.unchanged + outcome.documents.unchanged}")

    def _print_items(self, outcome: Outcome[Id], noun: str) -> None:
        groups = {
            "Set back": outcome.restored,
            "Forgotten": outcome.removed,
            "Left as they are, because of later changes or rules": outcome.conflicts,
        }
        for name, group in groups.items():
            if group:
                ids = ", ".join(str(reversal.item_id) for reversal in group[:SHOWN])
                self.stdout.write(f"{name}: {len(group)} ({noun} {ids}{', …' if len(group) > SHOWN else ''})")
        if outcome.deleted_ids:
            self.stdout.write(f"Deleted permanently, cannot come back: {len(outcome.deleted_ids)} {noun}")


def _outcomes(actor: Actor, selection: Selection, options: dict[str, Any]) -> Iterator[UndoOutcome]:
    if options["in_parts"]:
        yield from in_parts(actor, selection, options["on_conflict"], dry_run=options["dry_run"])
        return
    run = undoing.preview if options["dry_run"] else undoing.undo
    yield run(actor, selection, default=options["on_conflict"])


def _selection(actor: Actor, options: dict[str, Any]) -> Selection:
    """Return the changes that the options name. Raises CommandError and MemoriesError."""
    ways = [name for name in ("change_set", "app", "session", "memory") if options[name] is not None]
    if len(ways) > 1 or not (ways or options["since"]):
        raise CommandError("Give one of --change-set, --app, --session and --memory, or --since alone.")
    if (options["memory"] is None) is not (options["version_number"] is None):
        raise CommandError("Give --memory and --version-number together.")
    if options["memory"] is not None:
        return later_than(actor, options["memory"], options["version_number"])
    return Selection(
        change_set=options["change_set"],
        clients=None if options["app"] is None else clients_of_app(actor, options["app"]),
        session_id=None if options["session"] is None else checked_session(options["session"]),
        since=options["since"],
    )


def _since(given: str) -> datetime:
    if ago := _AGO.fullmatch(given):
        return timezone.now() - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise ArgumentTypeError(f"{given!r} is neither an ISO 8601 time nor a number with m, h or d.") from None
    return moment if moment.tzinfo else timezone.make_aware(moment)
