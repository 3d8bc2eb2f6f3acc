"""Secrets that the owner keeps: the choice per kind, and the values of a memory."""
