"""Embedding spaces, vector storage, and search by vector."""
