"""Date and time formats of the pages, one folder per language."""
