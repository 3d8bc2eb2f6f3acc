"""Management commands of documents."""
