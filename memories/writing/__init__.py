"""Storing, changing and forgetting memories."""
