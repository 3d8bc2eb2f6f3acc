"""The activity of an app, for its page: calls that read, changes, and the last week by day."""
