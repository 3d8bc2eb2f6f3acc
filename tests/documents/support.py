"""Documents for tests."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from documents.drafts import DocumentDraft
from documents.models import Document
from documents.writing.adding import AddOutcome, add_document
from memories.access import Actor
from oauthserver.models import User
from tests.support.factories import actor_for

BOAT = """# Ragnhild

The boat is in the harbour of Lyngby.

## Engine

Change the oil after every hundred hours. The filter is behind the ladder.

## Crew

Ada steers, and Bo cooks.
"""


def added(actor: Actor, text: str | bytes, name: str = "boat.md", **details: Any) -> AddOutcome:
    """Add and read a text as a document."""
    content = text.encode() if isinstance(text, str) else text
    return add_document(actor, DocumentDraft(name, **details), BytesIO(content), at_once=True)


def make_document(owner: User, text: str | bytes = BOAT, **details: Any) -> Document:
    """Create a document of the owner that has been read."""
    return added(actor_for(owner), text, **details).document
