"""Execution of custom tools: their context, HTTP requests, secrets and log."""
