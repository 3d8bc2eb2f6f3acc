"""Change notifications to clients that listen."""
