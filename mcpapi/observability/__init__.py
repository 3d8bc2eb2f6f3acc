"""The activity log and the call counts."""
