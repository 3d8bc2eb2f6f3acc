"""The URLs of the REST API, each with and without a trailing slash."""

from django.urls import re_path

from mcpapi.rest import views
from mcpapi.rest.agents import AgentList, AgentPrompt
from mcpapi.rest.documents import Documents
from mcpapi.rest.imports import ImportOutcomes, Imports, ImportStart, OneImport

_IMPORT = r"^imports/(?P<import_id>[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"

urlpatterns = [
    re_path(r"^imports/?\Z", Imports.as_view()),
    re_path(rf"{_IMPORT}/?\Z", OneImport.as_view()),
    re_path(rf"{_IMPORT}/start/?\Z", ImportStart.as_view()),
    re_path(rf"{_IMPORT}/report/?\Z", ImportOutcomes.as_view()),
    re_path(r"^documents/?\Z", Documents.as_view()),
    re_path(r"^tools/list/?\Z", views.ToolList.as_view()),
    re_path(r"^tools/sources/?\Z", views.SourceList.as_view()),
    re_path(r"^tools/search/?\Z", views.Search.as_view()),
    re_path(r"^tools/get/?\Z", views.Get.as_view()),
    re_path(r"^tools/(?P<name>[^/]+)/?\Z", views.NamedTool.as_view()),
    re_path(r"^agents/list/?\Z", AgentList.as_view()),
    re_path(r"^agents/(?P<name>[^/]+)/prompt/?\Z", AgentPrompt.as_view()),
    re_path(r"^(?:tools|agents|imports)(?:/|\Z)", views.UnknownPath.as_view()),
]
