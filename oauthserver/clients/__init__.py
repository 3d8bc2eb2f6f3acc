"""Client registration, client documents and client authentication."""
