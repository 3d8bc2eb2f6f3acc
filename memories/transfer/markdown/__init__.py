"""Markdown: notes, memory files of assistants, and lists that were pasted."""
