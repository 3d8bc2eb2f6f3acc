"""Prompts: the shipped ones, and those that owners wrote for themselves."""
