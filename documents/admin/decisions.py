"""The owner's decisions about documents, one or many at a time."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from unfold.widgets import UnfoldAdminTextareaWidget

from documents.models import Document
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from documents.writing.retrying import retry_reading
from documents.writing.review import accept_document
from memories.access import Actor


@dataclass(frozen=True, slots=True)
class Decision:
    """A kind of decision: its texts on the page and its effect. `name` is part of the URL.

    `explanation` is what it means for one document, and for several. `apply` returns the document that has taken the
    place of the given one, if another has.
    """

    name: str
    verb: str
    question: str
    done: str
    explanation: tuple[str, str]
    apply: Callable[[Actor, uuid.UUID, str], Document | None]
    asks_why: bool = False
    is_permanent: bool = False

    def explained(self, count: int) -> str:
        """Return the explanation for `count` documents."""
        one, several = self.explanation
        return one if count == 1 else several


def _forget(actor: Actor, document_id: uuid.UUID, reason: str) -> None:
    forget_document(actor, document_id, reason=reason or None)


def _restore(actor: Actor, document_id: uuid.UUID, _: str) -> None:
    restore_document(actor, document_id)


def _delete(actor: Actor, document_id: uuid.UUID, _: str) -> None:
    hard_delete_document(actor, document_id)


def _retry(actor: Actor, document_id: uuid.UUID, _: str) -> None:
    retry_reading(actor, document_id)


def _accept(actor: Actor, document_id: uuid.UUID, _: str) -> Document:
    return accept_document(actor, document_id)


FORGET = Decision(
    name="forget",
    verb="Forget",
    question="Forget {}?",
    done="forgotten",
    explanation=(
        "Apps no longer find it. It stays among your forgotten documents, and you can restore it.",
        "Apps no longer find them. They stay among your forgotten documents, and you can restore them.",
    ),
    apply=_forget,
    asks_why=True,
)
RESTORE = Decision(
    name="restore",
    verb="Restore",
    question="Restore {}?",
    done="restored",
    explanation=("Apps find it again.", "Apps find them again."),
    apply=_restore,
)
RETRY = Decision(
    name="retry",
    verb="Retry reading",
    question="Read {} again?",
    done="queued",
    explanation=(
        "The file is read again, which helps after you have installed tesseract or updated OwnSona.",
        "The files are read again, which helps after you have installed tesseract or updated OwnSona.",
    ),
    apply=_retry,
)
ACCEPT = Decision(
    name="accept",
    verb="Accept",
    question="Accept {}?",
    done="accepted",
    explanation=(
        "Apps can search it from now on. If you have this document already, the two become one.",
        "Apps can search them from now on. If you have one of these documents already, the two become one.",
    ),
    apply=_accept,
)
DELETE = Decision(
    name="delete-permanently",
    verb="Delete permanently",
    question="Permanently delete {}?",
    done="permanently deleted",
    explanation=(
        "This cannot be undone. The original file, its text and all its versions are removed. Existing backups still "
        "contain it.",
        "This cannot be undone. The original files, their texts and all their versions are removed. Existing backups "
        "still contain them.",
    ),
    apply=_delete,
    is_permanent=True,
)
DECISIONS = (FORGET, RESTORE, RETRY, ACCEPT, DELETE)


class ReasonForm(forms.Form):
    """A form for the optional reason of forgetting."""

    reason = forms.CharField(
        label="Reason",
        required=False,
        widget=UnfoldAdminTextareaWidget({"rows": 2}),
        help_text="Optional. It is shown on the page of the document.",
    )


def url_name(decision: Decision) -> str:
    """Return the name of the URL of a decision's page, without the namespace."""
    return f"documents_document_{decision.name.replace('-', '_')}"
