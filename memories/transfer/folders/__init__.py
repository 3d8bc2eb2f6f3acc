"""Folders with a Markdown file for each memory: export, and edits that come back."""
