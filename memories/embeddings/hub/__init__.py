"""Installation of curated models, from a hub, a mirror, a folder or an archive."""
