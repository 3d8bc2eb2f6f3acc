"""Preparation and supervision of the processes of `manage.py serve`."""
