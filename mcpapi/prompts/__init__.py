"""Prompts: those that everyone has, and those that people wrote for themselves."""
