"""Parts of connectors: limits, paths, patterns, and the protocols and formats of sources."""
