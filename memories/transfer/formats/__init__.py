"""Formats of memories, one module each, and their detection."""
