"""The owner's pages on workflows and their runs."""
