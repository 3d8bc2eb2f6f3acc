"""The site as a Django app: its system checks and commands, and the admin's site class."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.utils.module_loading import import_string

from common.allocation import configure_allocator
from common.timestamps import load_utc_fast
from ownsona_site.configuration import checks


class SiteConfig(AppConfig):
    name = "ownsona_site"
    label = "ownsona_site"
    verbose_name = "OwnSona"

    def ready(self) -> None:
        """Set up the memory allocator and new database connections, register the checks, and connect the apps."""
        configure_allocator()
        connection_created.connect(load_utc_fast, dispatch_uid="ownsona_site.timestamps")
        register(checks.check_settings_valid)
        register(checks.check_risky_settings)
        register(checks.check_database, Tags.database)
        # Imported by name, since it needs the models, which load after this module.
        register(import_string("ownsona_site.configuration.embedding_checks.check_embeddings"), Tags.database)
        import_string("ownsona_site.wiring.connect_apps")()


class OwnerAdminConfig(AdminConfig):
    """Django's admin with OwnerAdminSite as its site class."""

    default_site = "ownsona_site.pages.admin_site.OwnerAdminSite"
