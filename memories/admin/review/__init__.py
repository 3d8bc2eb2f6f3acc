"""The inbox and the pages of its decisions."""
