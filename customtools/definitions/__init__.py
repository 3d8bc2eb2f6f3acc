"""Definitions of custom tools: declarations, JSON Schemas of parameters, and HTTP templates. No input or output."""
