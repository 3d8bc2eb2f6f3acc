"""Imports that run in the job process: created, checked, started, continued after a restart, and reported on."""
