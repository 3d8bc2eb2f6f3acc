"""Changes of documents, as PostgreSQL publishes them: `LISTEN ownsona_documents`.

A trigger on the table sends them, as for memories (`memories.events.changes`). The payload is a JSON object:

- `user`, `document`: ids;
- `before`, `after`: a digest of each tag that the document had before and has now; null while apps cannot see it: it is
  forgotten, awaits review or does not exist.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Self

from memories.access import View
from memories.events.changes import ChangeKind, TagDigests, kind_of_change, read_payload

CHANNEL = "ownsona_documents"


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A change of one document. `before` and `after` are digests of its tags; None while apps cannot see it."""

    owner_id: int
    document_id: uuid.UUID
    before: TagDigests | None
    after: TagDigests | None

    @classmethod
    def read(cls, payload: str) -> Self:
        """Parse the payload of a notification."""
        told, before, after = read_payload(payload)
        return cls(told["user"], uuid.UUID(told["document"]), before, after)

    def kind(self, view: View) -> ChangeKind | None:
        """Return the effect of the change on `view`; None if the document was and is not visible in it."""
        return kind_of_change(view, self.owner_id, self.before, self.after)
