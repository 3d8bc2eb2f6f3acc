"""Documents: files and pages that the owner has collected, in searchable passages."""
