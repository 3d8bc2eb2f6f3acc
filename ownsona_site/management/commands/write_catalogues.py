"""The command `manage.py write_catalogues`, which updates the translations in `locale/`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from ownsona_site.languages.catalogue_files import problems_of, update_catalogue
from ownsona_site.languages.extraction import messages_below


class Command(BaseCommand):
    help = "Update the files in locale/ with the texts of the source code."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the codes of languages."""
        parser.add_argument(
            "languages", nargs="*", help="Codes of languages to begin, such as fr. Default: all there are."
        )

    def handle(self, *_: object, languages: list[str], **__: Any) -> None:
        """Update or begin the catalogues, and list what has no translation yet."""
        messages = messages_below(settings.BASE_DIR)
        for language in languages or [path.stem for path in sorted(settings.CATALOGUES.glob("*.po"))]:
            path = settings.CATALOGUES / f"{language}.po"
            try:
                update_catalogue(path, messages)
            except OSError as error:
                raise CommandError(f"{path.name}: {error}") from None
            problems = problems_of(path, messages)
            self.stdout.write(f"Wrote {path.name}: {len(messages)} texts, {len(problems)} to translate.")
            for problem in problems:
                self.stdout.write(f"  {problem}")
