"""Tools that change memories, one file each."""
