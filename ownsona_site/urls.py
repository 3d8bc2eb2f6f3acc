"""All URLs of the site, which combine those of the apps."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from ownsona_site.languages.page_language import page_not_found
from ownsona_site.metrics.views import metrics
from ownsona_site.monitoring.health_view import health
from ownsona_site.pages.views import home
from ownsona_site.web.bad_requests import bad_request
from workflows.views import workflow_schema

handler400 = bad_request
handler404 = page_not_found

admin.autodiscover()

urlpatterns = [
    path("", home, name="home"),
    path("health", health, name="health"),
    path("metrics", metrics, name="metrics"),
    path("admin", RedirectView.as_view(url="/admin/")),
    path("admin/", include("memories.admin.urls")),
    path("admin/", include("agents.admin.urls")),
    path("admin/", include("mcpapi.admin.urls")),
    path("admin/", include("workflows.admin.urls")),
    path("schemas/workflow.json", workflow_schema, name="workflow_schema"),
    path("admin/", include("ownsona_site.pages.urls")),
    path("admin/", admin.site.urls),
    path("login", RedirectView.as_view(url="/login/", query_string=True)),
    path("", include("mcpapi.urls")),
    path("", include("oauthserver.urls")),
]
