"""The owner's pages of custom tools: the list, the editor, and test runs."""
