"""Risky calls that wait for the word of the owner of the memories."""
