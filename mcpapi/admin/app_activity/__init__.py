"""What an app did, for its page: calls that read, changes, and the last week by day."""
