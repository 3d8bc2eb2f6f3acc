"""Backups: one consistent archive of the database and its keys, and the way back from it."""
