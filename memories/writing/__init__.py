"""Every way in which a memory is stored, changed or forgotten."""
