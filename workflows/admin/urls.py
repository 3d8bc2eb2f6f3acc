"""URLs of the pages of workflows. Include them before the admin's own URLs."""

from django.contrib import admin
from django.urls import path

from workflows.admin import pages

urlpatterns = [
    path("workflows/", admin.site.admin_view(pages.list_page), name="workflows"),
    path("workflows/add/", admin.site.admin_view(pages.add_page), name="workflow_add"),
    path("workflows/run/<uuid:run_id>/", admin.site.admin_view(pages.run_page), name="workflow_run"),
    path("workflows/workflow/<slug:name>/", admin.site.admin_view(pages.workflow_page), name="workflow"),
    path("workflows/workflow/<slug:name>/change/", admin.site.admin_view(pages.change_page), name="workflow_change"),
    path("workflows/workflow/<slug:name>/delete/", admin.site.admin_view(pages.delete_page), name="workflow_delete"),
    path(
        "workflows/workflow/<slug:name>/download/", admin.site.admin_view(pages.download_page), name="workflow_download"
    ),
]
