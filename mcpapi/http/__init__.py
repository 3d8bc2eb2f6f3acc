"""The HTTP transports."""
