"""Django app configuration of the authorization server."""

from django.apps import AppConfig


class OAuthServerConfig(AppConfig):
    name = "oauthserver"
    verbose_name = "Access"
