"""The commands of the pages on backups, for a shell. Each is a list of words, so that no line ends inside of one."""

from __future__ import annotations

import shlex
import sys
from datetime import date

from django.conf import settings
from django.utils import timezone

from ownsona_site.configuration.data_directory import data_folder_setting


def manage(*arguments: str) -> list[str]:
    """Return a command of `manage.py`, with the setting without which it would use another data folder."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in data_folder_setting(settings.DATA_DIR).items()]
    program = [shlex.quote(sys.executable), shlex.quote(str(settings.BASE_DIR / "manage.py"))]
    return [*variables, *program, *map(shlex.quote, arguments)]


def commands(username: str) -> dict[str, list[str]]:
    """Return the commands for backups and the export by their name."""
    today: date = timezone.localdate()
    file = f"ownsona-{today:%Y-%m-%d}.zip"
    return {
        "backup": manage("backup", file),
        "check": manage("restore", "--check", file),
        "restore": manage("restore", file),
        "export": manage("export", "data.zip", "--user", username),
    }
