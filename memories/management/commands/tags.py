"""The command `tags`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.pages.relative_times import plural
from memories.access import Actor
from memories.admin.base import acting_owner
from memories.errors import MemoriesError
from memories.management.owners import add_user_argument, chosen_view
from memories.models import TagSynonym
from memories.writing.synonyms import add_synonym, remove_synonym
from memories.writing.tag_changes import TagOutcome, delete_tags, merge_tags, one_clean_tag, rename_tag
from memories.writing.tag_uses import tag_uses


class Command(BaseCommand):
    """A command that lists, renames, merges and deletes tags, and sets their synonyms."""

    help = "List, rename, merge or delete tags, or set a synonym. Each change can be undone."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="only show what would change")
        parser.add_argument("--no-synonyms", action="store_true", help="do not keep the old tags as synonyms")
        actions = parser.add_mutually_exclusive_group()
        actions.add_argument("--rename", nargs=2, metavar=("TAG", "NAME"), help="give a tag another name")
        actions.add_argument("--merge", nargs="+", metavar="TAG", help="replace these tags with the one of --into")
        actions.add_argument(
            "--delete", nargs="+", metavar="TAG", help="remove these tags from all memories and documents"
        )
        actions.add_argument("--synonym", nargs=2, metavar=("VARIANT", "TAG"), help="store TAG instead of VARIANT")
        actions.add_argument("--remove-synonym", metavar="VARIANT", help="store VARIANT as it is again")
        parser.add_argument("--into", metavar="TAG", help="the tag that --merge keeps")

    def handle(self, *args: object, **options: Any) -> None:
        if (options["merge"] is None) is not (options["into"] is None):
            raise CommandError("Give --merge and --into together.")
        actor = acting_owner(chosen_view(options["user"]).owner_id)
        try:
            outcome = _change(actor, options)
            is_changed = outcome is not None or _set_synonym(actor, options)
        except MemoriesError as error:
            raise CommandError(str(error)) from None
        if not is_changed:
            self._list(actor)
            return
        if outcome is not None:
            verb = "Would change" if options["dry_run"] else "Changed"
            self.stdout.write(f"{verb} {outcome.memories} active and {outcome.forgotten} forgotten memories.")
            documents = outcome.documents
            if documents.all:
                self.stdout.write(f"{verb} {documents.active} active and {documents.forgotten} forgotten documents.")
        if not options["dry_run"]:
            self.stdout.write(f"To take this back: manage.py undo --change-set {actor.change_set}")

    def _list(self, actor: Actor) -> None:
        for used in tag_uses(actor.view):
            self.stdout.write(f"{used.memories:8,} {used.tag}{_documents(used.documents)}")
        synonyms = TagSynonym.objects.filter(owner_id=actor.owner_id).order_by("canonical", "variant")
        for synonym in synonyms:
            self.stdout.write(f"synonym  {synonym.variant} → {synonym.canonical}")


def _documents(count: int) -> str:
    return f" (and {plural(count, 'document')})" if count else ""


def _change(actor: Actor, options: dict[str, Any]) -> TagOutcome | None:
    """Rename, merge or delete; return None if the options name none of these."""
    dry_run, keeps_synonyms = options["dry_run"], not options["no_synonyms"]
    if options["rename"]:
        tag, name = options["rename"]
        return rename_tag(actor, tag, name, keeps_synonyms=keeps_synonyms, dry_run=dry_run)
    if options["merge"]:
        return merge_tags(actor, options["merge"], options["into"], keeps_synonyms=keeps_synonyms, dry_run=dry_run)
    return delete_tags(actor, options["delete"], dry_run=dry_run) if options["delete"] else None


def _set_synonym(actor: Actor, options: dict[str, Any]) -> bool:
    """Set or remove a synonym, unless it is a dry run. Return whether the options name one."""
    if options["synonym"]:
        variant, canonical = (
            one_clean_tag(name, given) for name, given in zip(("VARIANT", "TAG"), options["synonym"], strict=True)
        )
        if not options["dry_run"]:
            add_synonym(actor, variant, canonical)
        return True
    if options["remove_synonym"] is not None:
        if not options["dry_run"]:
            remove_synonym(actor, one_clean_tag("VARIANT", options["remove_synonym"]))
        return True
    return False
