"""Custom tools as tools of the protocol."""
