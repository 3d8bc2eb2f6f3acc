"""The site as a Django app: its system checks, its commands, and the admin's own site class."""

from django.apps import AppConfig
from unfold.apps import BasicAppConfig as UnfoldConfig


class SiteConfig(AppConfig):
    name = "ownsona_site"
    label = "ownsona_site"
    verbose_name = "OwnSona"
