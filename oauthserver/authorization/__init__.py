"""The authorization, token, revocation and introspection endpoints."""
