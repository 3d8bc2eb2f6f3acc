"""Tags of system checks."""

START = "start"
"""Checks of what users may set. Every command runs them, and `manage.py check` all: the others concern the code."""
