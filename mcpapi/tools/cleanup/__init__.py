"""Tools that tidy up memories, one file each."""
