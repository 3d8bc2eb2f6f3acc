"""What `manage.py serve` prepares and runs."""
