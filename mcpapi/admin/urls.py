"""URLs of pages that belong to no single model. Include them before the admin's own URLs."""

from django.contrib import admin
from django.urls import path

from mcpapi.admin.custom_tools.pages import add_page, delete_page, list_page, tool_page

urlpatterns = [
    path("custom-tools/", admin.site.admin_view(list_page), name="custom_tools"),
    path("custom-tools/add/", admin.site.admin_view(add_page), name="custom_tool_add"),
    path("custom-tools/<int:pk>/", admin.site.admin_view(tool_page), name="custom_tool"),
    path("custom-tools/<int:pk>/delete/", admin.site.admin_view(delete_page), name="custom_tool_delete"),
]
