"""The owner's pages on memories, their history, their tags and their recalls."""

from memories.admin.journal import JournalEntryAdmin
from memories.admin.memory import MemoryAdmin
from memories.admin.recalls import PastRecallAdmin
from memories.admin.tags.synonyms import TagSynonymAdmin

__all__ = ["JournalEntryAdmin", "MemoryAdmin", "PastRecallAdmin", "TagSynonymAdmin"]
