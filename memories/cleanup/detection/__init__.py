"""Rules that find memories and tags to tidy up: one module for each kind of finding."""
