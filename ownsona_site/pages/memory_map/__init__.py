"""The page with the map of memories and documents."""
