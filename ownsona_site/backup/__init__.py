"""Backup and restore: one consistent archive of the database and its keys."""
