"""URLs of the pages of agents. Include them before the admin's own URLs."""

from django.contrib import admin
from django.urls import path

from agents.admin import pages

urlpatterns = [
    path("agents/", admin.site.admin_view(pages.list_page), name="agents"),
    path("agents/add/", admin.site.admin_view(pages.add_page), name="agent_add"),
    path("agents/import/", admin.site.admin_view(pages.import_page), name="agent_import"),
    path("agents/agent/<slug:name>/", admin.site.admin_view(pages.agent_page), name="agent"),
    path("agents/agent/<slug:name>/change/", admin.site.admin_view(pages.change_page), name="agent_change"),
    path("agents/agent/<slug:name>/switch/", admin.site.admin_view(pages.switch_page), name="agent_switch"),
    path("agents/agent/<slug:name>/delete/", admin.site.admin_view(pages.delete_page), name="agent_delete"),
    path("agents/agent/<slug:name>/download/", admin.site.admin_view(pages.download_page), name="agent_download"),
]
