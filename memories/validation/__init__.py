"""Checks and normalization of memory fields."""
