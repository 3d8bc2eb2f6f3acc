"""URLs of the authorization server, at the root of the site. Only the paths of pages end in a slash."""

from django.contrib.auth.views import LogoutView
from django.urls import path, re_path

from oauthserver.authorization import endpoints, views
from oauthserver.clients import registration
from oauthserver.login import login_page
from oauthserver.resource_server import metadata

app_name = "oauthserver"

urlpatterns = [
    re_path(
        r"^\.well-known/oauth-protected-resource(?P<path>|/mcp|/mcp/|/mcp/http|/mcp/sse)\Z",
        metadata.protected_resource,
        name="protected-resource",
    ),
    path(".well-known/oauth-authorization-server", metadata.authorization_server, name="authorization-server"),
    path(".well-known/openid-configuration", metadata.authorization_server, name="openid-configuration"),
    path("oauth/authorize", views.authorize, name="authorize"),
    path("oauth/token", endpoints.token, name="token"),
    # MCP 2025-03-26's default paths in the absence of metadata. The official Python SDK still refreshes tokens there
    # after a restart.
    path("authorize", views.authorize),
    path("token", endpoints.token),
    path("register", registration.register),
    path("oauth/register", registration.register, name="register"),
    path("oauth/register/<str:client_id>", registration.manage, name="manage-registration"),
    path("oauth/revoke", endpoints.revoke, name="revoke"),
    path("oauth/introspect", endpoints.introspect, name="introspect"),
    path("oauth/jwks", metadata.jwks, name="jwks"),
    path("login/", login_page.LoginView.as_view(), name="login"),
    path("login/code/", login_page.CodeView.as_view(), name="login-code"),
    path("logout/", LogoutView.as_view(next_page="/login/"), name="logout"),
]
