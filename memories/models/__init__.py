"""Database tables of the domain. Every row but an embedding space belongs to an owner. Ids are never reused."""

from memories.models.cleanup import CleanupLine, CleanupPlan
from memories.models.imports import ImportJob, ImportReport
from memories.models.journal import JournalEntry
from memories.models.memory import Memory, MemoryManager, MemoryQuerySet
from memories.models.recall_log import PastRecall, Verdict
from memories.models.tags import TagSynonym
from memories.models.vectors import EmbeddingSpace, MemoryVector, Posting

__all__ = [
    "CleanupLine",
    "CleanupPlan",
    "EmbeddingSpace",
    "ImportJob",
    "ImportReport",
    "JournalEntry",
    "Memory",
    "MemoryManager",
    "MemoryQuerySet",
    "MemoryVector",
    "PastRecall",
    "Posting",
    "TagSynonym",
    "Verdict",
]
