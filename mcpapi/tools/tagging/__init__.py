"""Tools that manage tags, one file each."""
