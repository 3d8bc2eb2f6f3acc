"""The tools for documents."""
