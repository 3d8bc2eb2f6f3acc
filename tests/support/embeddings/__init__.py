"""Embedders, models and embedding servers for tests."""
