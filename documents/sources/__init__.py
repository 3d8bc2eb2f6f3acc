"""Sources: how they are stored, synced and listed."""
