"""Extraction of text and structure from files, in a separate process with limits."""
