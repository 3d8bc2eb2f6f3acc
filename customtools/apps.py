"""Custom tools as a Django app."""

from django.apps import AppConfig


class CustomToolsConfig(AppConfig):
    name = "customtools"
    verbose_name = "Custom tools"
