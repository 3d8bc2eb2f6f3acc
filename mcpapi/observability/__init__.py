"""The activity log and call counts."""
