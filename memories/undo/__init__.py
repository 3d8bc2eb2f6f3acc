"""Undoing changes: what was changed, what undoing it would do, and doing it."""
