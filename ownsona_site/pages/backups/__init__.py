"""The pages on backups and the export."""
