"""Database tables of the domain. Every row but an embedding space belongs to an owner. Ids are never reused."""

from memories.models.cleanup import CleanupFinding, CleanupLine, CleanupPlan, CleanupSearch
from memories.models.comparisons import Comparison
from memories.models.imports import ImportJob, ImportReport
from memories.models.journal import JournalEntry
from memories.models.kept_secrets import HiddenValue, SecretSettings
from memories.models.map import MemoryMap
from memories.models.memory import Memory, MemoryManager, MemoryQuerySet
from memories.models.recall_log import PastRecall, RecalledMemory, Verdict
from memories.models.tags import TagSynonym
from memories.models.undo_jobs import UndoJob
from memories.models.vectors import EmbeddingSpace, MemoryVector, Posting

__all__ = [
    "CleanupFinding",
    "CleanupLine",
    "CleanupPlan",
    "CleanupSearch",
    "Comparison",
    "EmbeddingSpace",
    "HiddenValue",
    "ImportJob",
    "ImportReport",
    "JournalEntry",
    "Memory",
    "MemoryManager",
    "MemoryMap",
    "MemoryQuerySet",
    "MemoryVector",
    "PastRecall",
    "Posting",
    "RecalledMemory",
    "SecretSettings",
    "TagSynonym",
    "UndoJob",
    "Verdict",
]
