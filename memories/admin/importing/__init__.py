"""Pages on which the owner imports files: upload, preview, progress and report."""
