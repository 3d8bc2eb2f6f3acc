"""IP addresses, outbound requests and call limits."""
