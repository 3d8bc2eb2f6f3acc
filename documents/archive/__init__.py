"""Documents in archives of an owner's data."""
