"""Every URL of the site: the only place where the apps meet."""

from django.contrib import admin
from django.urls import include, path

from ownsona_site.views import health, home

urlpatterns = [
    path("", home, name="home"),
    path("health", health, name="health"),
    path("admin/", admin.site.urls),
    path("", include("mcpapi.urls")),
    path("", include("oauthserver.urls")),
]
