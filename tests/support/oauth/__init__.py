"""The parties of an OAuth flow, for tests."""
