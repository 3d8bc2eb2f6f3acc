"""The parts of an archive: how each kind of data is written and restored."""
