"""Comparison of a memory with those nearest to it by a network that reads both texts at once."""
