"""The command `manage.py write_tool_reference`, which generates docs/tools.md from the registry."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand

from mcpapi.tools.reference import tool_reference


class Command(BaseCommand):
    help = "Generate docs/tools.md from the tools."
    requires_system_checks = ()

    def handle(self, *_: object, **__: object) -> None:
        """Write the page."""
        path = settings.BASE_DIR / "docs" / "tools.md"
        path.write_text(tool_reference(), encoding="utf-8")
        self.stdout.write(f"Wrote {path.name}.")
