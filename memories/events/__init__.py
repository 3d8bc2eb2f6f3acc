"""Notifications about changed and expired memories."""
