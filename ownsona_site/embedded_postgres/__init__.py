"""A Django database backend with embedded PostgreSQL: the first process to use it starts it, the last one stops it."""
