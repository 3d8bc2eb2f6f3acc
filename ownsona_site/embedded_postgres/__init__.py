"""A Django database backend that brings its own PostgreSQL: the first connection starts it, the last user stops it."""
