"""Tidying up: plans of changes that the owner reviews, and findings that suggest them."""
