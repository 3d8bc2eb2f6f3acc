"""Networks that read two texts at once: all-MiniLM-L6-v2, with corrections of its weights for each use."""
