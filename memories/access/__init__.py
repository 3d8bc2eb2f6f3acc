"""Callers and the memories that each may see."""
