"""Utilities shared by the apps: no models, no settings, no imports from the apps."""
