"""The pages of custom tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods, require_POST

from customtools import files
from customtools.models import CustomTool
from customtools.storing import add_tool, change_tool, delete_tool
from mcpapi.admin.custom_tools.examples import EXAMPLES
from mcpapi.admin.custom_tools.forms import ToolForm, values_of
from mcpapi.admin.custom_tools.test_run import run_test
from memories.admin.base import owner_id
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError

KINDS = dict(CustomTool.Kind.choices)


@require_http_methods(["GET", "HEAD"])
def list_page(request: HttpRequest) -> HttpResponse:
    """Show the owner's tools, and the problems of files."""
    files.sync_if_changed()
    tools = list(CustomTool.objects.filter(owner_id=owner_id(request)).order_by("name", "-file_name"))
    from_files = {tool.name for tool in tools if tool.file_name and tool.declaration is not None}
    shown = [{"tool": tool, "is_replaced": not tool.file_name and tool.name in from_files} for tool in tools]
    # The files belong to the owner of the installation.
    folder = settings.TOOLS_DIR if request.user.is_superuser else None
    return _page(request, "list.html", "Custom tools", shown=shown, folder=folder)


@require_http_methods(["GET", "HEAD", "POST"])
def add_page(request: HttpRequest) -> HttpResponse:
    """Show the editor with an example (GET), run a test, or store the new tool (POST)."""
    kind = request.GET.get("kind", CustomTool.Kind.LUA)
    if kind not in KINDS:
        raise Http404
    first: dict[str, object] = {"source": EXAMPLES[kind], "is_enabled": True, "arguments": "{}", "version": 0}
    return _edit(request, kind, None, first, lambda form: add_tool(owner_id(request), form.draft(kind)))


@require_http_methods(["GET", "HEAD", "POST"])
def tool_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the editor of a tool (GET), run a test, or store the change (POST)."""
    files.sync_if_changed()
    tool = get_object_or_404(CustomTool, owner_id=owner_id(request), pk=pk)

    def store(form: ToolForm) -> CustomTool:
        return change_tool(owner_id(request), pk, form.draft(tool.kind))

    return _edit(request, tool.kind, tool, values_of(tool), store)


@require_POST
def delete_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a tool of the page."""
    tool = get_object_or_404(CustomTool, owner_id=owner_id(request), pk=pk)
    try:
        delete_tool(owner_id(request), pk)
        messages.success(request, f"Deleted {tool.name}.")
    except MemoriesError as error:
        messages.error(request, str(error))
    return redirect("custom_tools")


def _edit(
    request: HttpRequest,
    kind: str,
    tool: CustomTool | None,
    first: dict[str, object],
    store: Callable[[ToolForm], CustomTool],
) -> HttpResponse:
    form = ToolForm(request.POST if request.method == "POST" else None, initial=first)
    outcome = None
    if tool is not None and tool.file_name:
        form.fields["source"].widget.attrs["readonly"] = True
    if form.is_valid():
        if "test" in request.POST:
            draft = form.draft(kind)
            outcome = run_test(owner_id(request), kind, draft.source, form.cleaned_data["arguments"])
        elif (stored := _stored(form, store)) is not None:
            messages.success(request, f"Saved {stored.name}.")
            return redirect("custom_tool", stored.pk)
    title = f"Custom tool: {tool.name}" if tool else f"Add a tool: {KINDS[kind]}"
    return _page(request, "edit.html", title, form=form, tool=tool, outcome=outcome)


def _stored(form: ToolForm, store: Callable[[ToolForm], CustomTool]) -> CustomTool | None:
    """Store the tool. If the domain refuses it, add the error to the form and return None."""
    try:
        return store(form)
    except MemoriesError as error:
        if error.argument and error.argument not in form.fields:
            # A field of the definition, which is in the source.
            form.add_error("source", str(error))
        else:
            add_domain_error(form, error)
        return None


def _page(request: HttpRequest, template: str, title: str, **context: Any) -> HttpResponse:
    shown = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, f"mcpapi/custom_tools/{template}", shown)
