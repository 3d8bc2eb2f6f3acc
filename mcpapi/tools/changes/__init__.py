"""Tools that list and undo changes, one file each."""
