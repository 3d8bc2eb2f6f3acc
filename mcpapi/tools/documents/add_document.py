"""The tool `add_document`."""

from __future__ import annotations

from io import BytesIO
from typing import Literal

from pydantic import Field

from common.scopes import WRITE
from documents.drafts import DocumentDraft
from documents.writing import adding
from documents.writing.adding import AddOutcome
from mcpapi.calls.caller import Caller
from mcpapi.tools.arguments import Tags
from mcpapi.tools.base import Args, Hints, Result, tool
from mcpapi.tools.shapes import TAGS
from memories.errors import LimitExceeded
from memories.validation.text import check_storable, check_visible

MAX_ADDED_CHARS = 1_000_000
FILE_NAME = "document.md"

Message = Literal["Added", "Already there", "Awaits review by the user: do not rely on it yet"]


class AddDocumentArgs(Args):
    """The text of a document and its properties."""

    text: str = Field(description="The whole text, in Markdown if it has headings.")
    title: str | None = Field(None, description="Its title; by default from the first heading or the front matter.")
    source_url: str | None = Field(
        None, description="The web address it comes from. A text from a known address becomes a new version."
    )
    tags: Tags = Field([], description=TAGS)


class AddDocumentResult(Result):
    """The document."""

    document_id: str
    message: Message
    notice: str | None = Field(None, description="What was not stored as given, if anything.")


@tool(title="Add a document", scope=WRITE, hints=Hints(idempotent=True), takes_many_texts=True)
def add_document(caller: Caller, args: AddDocumentArgs) -> AddDocumentResult:
    """Store a longer text, such as notes, an article, a report or a transcript, so that search_documents finds its
    passages. Use it when the user asks to keep a whole text; for a single fact, use remember. Secrets in
    it, such as passwords and keys, are replaced by placeholders."""
    text = checked_text(args.text)
    draft = DocumentDraft(
        FILE_NAME,
        title=args.title,
        tags=tuple(args.tags),
        source_url=args.source_url,
        quarantined_from=quarantined_from(caller),
    )
    outcome = adding.add_document(caller.actor, draft, BytesIO(text.encode()), at_once=True)
    caller.record_documents([outcome.document.pk])
    return _result(outcome)


def checked_text(text: str) -> str:
    """Return the text of a document. Raises InvalidInput if nothing is visible, and LimitExceeded for a long one."""
    check_storable("text", text)
    check_visible("text", text)
    if len(text) > MAX_ADDED_CHARS:
        raise LimitExceeded(
            f"has {len(text)} characters; at most {MAX_ADDED_CHARS} are allowed. The user can upload a longer text as "
            "a file.",
            argument="text",
        )
    return text


def quarantined_from(caller: Caller) -> str | None:
    """Return the client whose documents await review, if the owner reviews those of the caller."""
    return caller.actor.client if caller.actor.is_quarantined else None


def _result(outcome: AddOutcome) -> AddDocumentResult:
    version = outcome.version
    sentences = [version.problem] if version.problem else []
    if version.secrets:
        sentences.append(f"Replaced by placeholders: {', '.join(version.secrets)}.")
    sentences += version.notes
    notice = {"notice": " ".join(sentences)} if sentences else {}
    return AddDocumentResult(document_id=str(outcome.document.pk), message=_message(outcome), **notice)


def _message(outcome: AddOutcome) -> Message:
    if outcome.document.quarantined_from is not None:
        return "Awaits review by the user: do not rely on it yet"
    return "Already there" if outcome.is_known else "Added"
