#!/usr/bin/env python
"""Runs Django's commands for OwnSona."""

import os
import sys

from ownsona_site.startup.command_line import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ownsona_site.settings")
    run(sys.argv)
