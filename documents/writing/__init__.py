"""Every way in which a document is added, read, changed or forgotten."""
