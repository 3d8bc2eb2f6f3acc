"""The owner's decisions about documents, one or many at a time."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from django import forms
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from common.pages.relative_times import number
from common.texts import ngettext_noop
from documents.models import Document
from documents.writing.forgetting import forget_document, hard_delete_document, restore_document
from documents.writing.retrying import retry_reading
from documents.writing.review import accept_document
from memories.access import Actor


@dataclass(frozen=True, slots=True)
class Decision:
    """A kind of decision: its texts on the page and its effect. `name` is part of the URL.

    `question`, `done` and `explanation` are for one document, and for several. `apply` returns the document that has
    taken the place of the given one, if another has.
    """

    name: str
    verb: str
    question: tuple[str, str]
    done: tuple[str, str]
    explanation: tuple[str, str]
    apply: Callable[[Actor, uuid.UUID, str], Document | None]
    asks_why: bool = False
    is_permanent: bool = False

    def explained(self, count: int) -> str:
        """Return the explanation for `count` documents."""
        return ngettext(*self.explanation, count)

    def asked(self, count: int) -> str:
        """Return the question whether to do this with `count` documents."""
        return ngettext(*self.question, count) % {"number": number(count)}

    def reported(self, count: int) -> str:
        """Return what was done with `count` documents."""
        return ngettext(*self.done, count) % {"number": number(count)}


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
    verb=gettext_noop("Forget"),
    question=ngettext_noop("Forget this document?", "Forget %(number)s documents?"),
    done=ngettext_noop("One document forgotten.", "%(number)s documents forgotten."),
    explanation=ngettext_noop(
        "Apps no longer find it. It stays among your forgotten documents, and you can restore it.",
        "Apps no longer find them. They stay among your forgotten documents, and you can restore them.",
    ),
    apply=_forget,
    asks_why=True,
)
RESTORE = Decision(
    name="restore",
    verb=gettext_noop("Restore"),
    question=ngettext_noop("Restore this document?", "Restore %(number)s documents?"),
    done=ngettext_noop("One document restored.", "%(number)s documents restored."),
    explanation=ngettext_noop("Apps find it again.", "Apps find them again."),
    apply=_restore,
)
RETRY = Decision(
    name="retry",
    verb=gettext_noop("Retry reading"),
    question=ngettext_noop("Read this document again?", "Read %(number)s documents again?"),
    done=ngettext_noop("One document queued.", "%(number)s documents queued."),
    explanation=ngettext_noop(
        "The file is read again, which helps after you have installed tesseract or updated OwnSona.",
        "The files are read again, which helps after you have installed tesseract or updated OwnSona.",
    ),
    apply=_retry,
)
ACCEPT = Decision(
    name="accept",
    verb=gettext_noop("Accept"),
    question=ngettext_noop("Accept this document?", "Accept %(number)s documents?"),
    done=ngettext_noop("One document accepted.", "%(number)s documents accepted."),
    explanation=ngettext_noop(
        "Apps can search it from now on. If you already have this document, the two are merged.",
        "Apps can search them from now on. If you already have one of these documents, the two are merged.",
    ),
    apply=_accept,
)
DELETE = Decision(
    name="delete-permanently",
    verb=gettext_noop("Delete permanently"),
    question=ngettext_noop("Permanently delete this document?", "Permanently delete %(number)s documents?"),
    done=ngettext_noop("One document permanently deleted.", "%(number)s documents permanently deleted."),
    explanation=ngettext_noop(
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
        label=gettext_lazy("Reason"),
        required=False,
        widget=forms.Textarea({"rows": 2}),
        help_text=gettext_lazy("Optional. It is shown on the page of the document."),
    )


def url_name(decision: Decision) -> str:
    """Return the name of the URL of a decision's page, without the namespace."""
    return f"documents_document_{decision.name.replace('-', '_')}"
