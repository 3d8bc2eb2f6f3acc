"""Lists, counts and statistics of memories."""
