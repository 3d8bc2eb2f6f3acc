"""Connected apps: what each may do, its use and its failures."""
