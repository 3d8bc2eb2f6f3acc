"""Stored recalls, the owner's judgements of them, and evaluation."""
