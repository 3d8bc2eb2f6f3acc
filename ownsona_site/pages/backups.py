"""The page on backups and the export: the commands, ready to be copied."""

from __future__ import annotations

import shlex
import sys
from datetime import date

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from common.disk_space import free_space
from common.pages.owner_pages import owner_page
from memories.admin.base import owners_view
from memories.models import HiddenValue, Memory
from ownsona_site.backup.last_backup import last_backup
from ownsona_site.configuration.data_directory import data_folder_setting


def data_folder() -> list[str]:
    """Return the setting without which a command would use another data folder than the server, for a shell."""
    return [f"{name}={shlex.quote(value)}" for name, value in data_folder_setting(settings.DATA_DIR).items()]


@require_safe
def backups_page(request: HttpRequest) -> HttpResponse:
    """Show how to back up, check, restore and export. Only those who run the server see its paths."""
    program = [*data_folder(), shlex.quote(sys.executable), shlex.quote(str(settings.BASE_DIR / "manage.py"))]
    today: date = timezone.localdate()
    file = f"ownsona-{today:%Y-%m-%d}.zip"
    context = {
        "runs_server": request.user.is_superuser,
        # Words, so that no line ends in the middle of an option.
        "backup": [*program, "backup", file],
        "check": [*program, "restore", "--check", file],
        "restore": [*program, "restore", file],
        "export": [*program, "export", "data.zip", "--user", shlex.quote(request.user.get_username())],
        "hidden_values": HiddenValue.objects.filter(owner_id=request.user.pk).count(),
        "last": last_backup(),
        "has_data": Memory.objects.visible_to(owners_view(request)).active().exists(),
        "data_dir": settings.DATA_DIR,
        "free": free_space(),
    }
    return owner_page(request, "owner/backups.html", context, title=gettext("Backups and export"))
