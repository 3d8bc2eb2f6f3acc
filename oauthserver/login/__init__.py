"""The login page, password changes and two-step login."""
