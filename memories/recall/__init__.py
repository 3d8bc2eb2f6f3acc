"""The recall pipeline, from a question to ranked memories."""
