"""Tests of the recognition of secrets."""
