"""Connectors: readers of folders, git repositories, web sites and buckets."""
