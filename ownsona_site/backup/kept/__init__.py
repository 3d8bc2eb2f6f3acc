"""The archives that the job process makes and keeps in the folder of backups."""
