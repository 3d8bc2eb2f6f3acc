"""The map: positions of memories and documents by meaning."""
