"""Workflows: procedures of steps that assistants follow and programs run."""
