"""Conversations with assistants, and what is kept of them."""
