"""Bearer authentication and the discovery documents."""
