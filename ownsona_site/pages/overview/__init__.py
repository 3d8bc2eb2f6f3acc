"""The overview: what needs a decision, what is new, which apps are active, and whether everything works."""
