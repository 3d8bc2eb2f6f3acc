"""Template tags of the owner's pages."""
