"""Tools that run workflows."""
