"""The tool `manage_tags`."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from common.scopes import ADMIN
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Flag, Tags
from mcpapi.tools.base import Args, Hints, Result, tool
from memories.access import Actor
from memories.errors import InvalidInput
from memories.writing.synonyms import add_synonym, remove_synonym
from memories.writing.tag_changes import (
    TagOutcome,
    delete_tags,
    merge_tags,
    one_clean_tag,
    refuse_limited,
    rename_tag,
)


class TagAction(StrEnum):
    """What to do with tags."""

    RENAME = "rename"
    MERGE = "merge"
    DELETE = "delete"
    ADD_SYNONYM = "add_synonym"
    REMOVE_SYNONYM = "remove_synonym"


_WITH_TARGET = {TagAction.RENAME, TagAction.MERGE, TagAction.ADD_SYNONYM}
_OF_ONE_TAG = {TagAction.RENAME, TagAction.ADD_SYNONYM, TagAction.REMOVE_SYNONYM}


class ManageTagsArgs(Args):
    """A change of tags."""

    action: TagAction = Field(
        description="rename one tag; merge several into one; delete removes them everywhere; "
        "add_synonym: from now on, store them as into; remove_synonym: stop that."
    )
    tags: Tags = Field(description="The tags to change: exactly one, except for merge and delete.")
    into: str | None = Field(None, description="The tag that replaces them: for rename, merge and add_synonym.")
    keep_synonyms: Flag = Field(
        True, description="After rename and merge, store the new tag wherever an app still writes an old one."
    )
    dry_run: Flag = Field(False, description="Only count what would change.")


class ManageTagsResult(Result):
    """What was changed, or with `dry_run` what would be."""

    dry_run: bool
    memories: int = Field(description="The number of memories with other tags, without forgotten ones.")
    forgotten: int = Field(description="The number of forgotten memories with other tags.")
    documents: int = Field(description="The number of documents with other tags, without forgotten ones.")
    forgotten_documents: int = Field(description="The number of forgotten documents with other tags.")
    synonyms: list[str] = Field(description="The tags that are stored as into from now on.")
    change_set: str | None = Field(description="The id of this change; undo takes it. Null with dry_run.")


@tool(title="Rename, merge or delete tags", scope=ADMIN, hints=Hints(destructive=True))
def manage_tags(caller: Caller, args: ManageTagsArgs) -> ManageTagsResult:
    """Rename, merge or delete tags of all memories and documents at once, or manage their synonyms. Use it when the
    user wants to tidy up tags: first with dry_run, then tell them how many would change. To take it back, use undo
    with the change_set."""
    refuse_limited(caller.actor)
    _check(args)
    outcome = _change(caller.actor, args)
    change_set = None if args.dry_run else str(caller.actor.change_set)
    return ManageTagsResult(
        dry_run=args.dry_run,
        memories=outcome.memories,
        forgotten=outcome.forgotten,
        documents=outcome.documents.active,
        forgotten_documents=outcome.documents.forgotten,
        synonyms=list(outcome.synonyms),
        change_set=change_set,
    )


def _check(args: ManageTagsArgs) -> None:
    """Raise InvalidInput unless the action has the arguments that it needs, and no others."""
    if args.action in _WITH_TARGET and args.into is None:
        raise InvalidInput(f"is required for {args.action.value}.", argument="into")
    if args.action not in _WITH_TARGET and args.into is not None:
        raise InvalidInput(f"is not an argument of {args.action.value}.", argument="into")
    if args.action in _OF_ONE_TAG and len(args.tags) != 1:
        raise InvalidInput(f"{args.action.value} takes exactly one tag.", argument="tags")


def _change(actor: Actor, args: ManageTagsArgs) -> TagOutcome:
    tags, into = args.tags, args.into or ""
    match args.action:
        case TagAction.RENAME:
            return rename_tag(actor, tags[0], into, keeps_synonyms=args.keep_synonyms, dry_run=args.dry_run)
        case TagAction.MERGE:
            return merge_tags(actor, tags, into, keeps_synonyms=args.keep_synonyms, dry_run=args.dry_run)
        case TagAction.DELETE:
            return delete_tags(actor, tags, dry_run=args.dry_run)
        case _:
            return _set_synonym(actor, args)


def _set_synonym(actor: Actor, args: ManageTagsArgs) -> TagOutcome:
    variant = one_clean_tag("tags", args.tags[0])
    if args.action == TagAction.REMOVE_SYNONYM:
        if not args.dry_run:
            remove_synonym(actor, variant)
        return TagOutcome(0, 0, None)
    canonical = one_clean_tag("into", args.into or "")
    if not args.dry_run:
        add_synonym(actor, variant, canonical)
    return TagOutcome(0, 0, canonical, [variant])
