"""Pages that belong to no app, and the admin site."""
