"""Parts that all admin pages share: base classes, rows of lists, fields and times."""
