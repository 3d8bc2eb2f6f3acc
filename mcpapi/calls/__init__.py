"""Calls: the caller, pagination, and what a method returns."""
