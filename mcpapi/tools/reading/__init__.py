"""Tools that read memories, one file each."""
