"""The site as a Django app: its system checks and commands, and the admin's site class."""

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.utils.module_loading import import_string

from common.allocation import configure_allocator
from common.provided import supply_when_needed
from common.timestamps import load_utc_fast
from ownsona_site.configuration import checks
from ownsona_site.configuration.check_tags import START


class SiteConfig(AppConfig):
    name = "ownsona_site"
    label = "ownsona_site"
    verbose_name = "OwnSona"

    def ready(self) -> None:
        """Set up the memory allocator and new database connections, register the checks, and connect the apps."""
        configure_allocator()
        connection_created.connect(load_utc_fast, dispatch_uid="ownsona_site.timestamps")
        register(checks.check_settings_valid, START)
        register(checks.check_risky_settings, START)
        register(checks.check_setting_names, START)
        register(checks.check_database, Tags.database)
        # Imported by name, since it needs the models, which load after this module.
        register(import_string("ownsona_site.configuration.embedding_checks.check_embeddings"), Tags.database)
        supply_when_needed(_connect_apps)


def _connect_apps() -> None:
    import_string("ownsona_site.wiring.connect_apps")()


class OwnerAdminConfig(SimpleAdminConfig):
    """Django's admin with OwnerAdminSite as its site class. Only `ownsona_site.urls` loads the pages."""

    default_site = "ownsona_site.pages.admin_site.OwnerAdminSite"
