"""The owner's pages on agents."""
