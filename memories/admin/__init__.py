"""The owner's pages on memories, their history and their tags."""

from memories.admin.journal import JournalEntryAdmin
from memories.admin.memory import MemoryAdmin
from memories.admin.synonyms import TagSynonymAdmin

__all__ = ["JournalEntryAdmin", "MemoryAdmin", "TagSynonymAdmin"]
