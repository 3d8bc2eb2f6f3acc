"""The pages of custom tools."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_http_methods

from common.pages.deletion import ask_to_delete
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.owner_pages import owner_page
from customtools import files
from customtools.models import CustomTool
from customtools.requirements import Available
from customtools.storing import add_tool, change_tool, delete_tool
from mcpapi.admin.custom_tools.examples import ARGUMENTS, EXAMPLES
from mcpapi.admin.custom_tools.forms import ToolForm, values_of
from mcpapi.admin.custom_tools.test_run import run_test
from memories.admin.base import owner_id
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError

KINDS = {CustomTool.Kind.LUA: gettext_noop("Lua script"), CustomTool.Kind.HTTP: gettext_noop("HTTP request")}
TEST_ARGUMENTS = "custom_tool_test"
"""Key of the session."""

WORDS = ListWords(
    gettext_lazy("No custom tools yet"),
    gettext_lazy("Write a script or describe a request, and your apps can call it like the built-in tools."),
    symbol="bolt",
)


@require_http_methods(["GET", "HEAD"])
def list_page(request: HttpRequest) -> HttpResponse:
    """Show the owner's tools, and the problems of files."""
    files.sync_if_changed()
    tools = list(CustomTool.objects.filter(owner_id=owner_id(request)).order_by("name", "-file_name"))
    from_files = {tool.name for tool in tools if tool.file_name and tool.declaration is not None}
    available = Available.of(owner_id(request))
    rows = [
        (
            tool.pk,
            reverse("custom_tool", args=[tool.pk]),
            row_of(tool, available, is_replaced=not tool.file_name and tool.name in from_files),
        )
        for tool in tools
    ]
    # The files belong to the owner of the installation.
    folder = settings.TOOLS_DIR if request.user.is_superuser else None
    problems = [tool for tool in tools if tool.problem]
    context = {"rows": rows, "words": WORDS, "problems": problems, "folder": folder}
    return owner_page(request, "mcpapi/custom_tools/list.html", context, title=_("Custom tools"))


def row_of(tool: CustomTool, available: Available, *, is_replaced: bool) -> Row:
    """Return the row of a tool. `is_replaced`: a file has a tool of its name."""
    said = [_(KINDS[CustomTool.Kind(tool.kind)]), *([tool.file_name] if tool.file_name else [])]
    flags = []
    missing = available.missing(tool)
    if tool.declaration is None:
        flags = [Flag(_("not usable"), "bad")]
    elif not tool.is_enabled:
        flags = [Flag(_("disabled"), "warn")]
    elif is_replaced:
        flags = [Flag(_("replaced by a file"), "warn")]
    elif missing:
        flags = [Flag(_("its server is not allowed") if missing.origin else _("a secret is missing"), "warn")]
    detail = (tool.declaration or {}).get("description", "")
    return Row(tool.name, detail=detail, said=said, flags=flags, is_title=True)


@require_http_methods(["GET", "HEAD", "POST"])
def add_page(request: HttpRequest) -> HttpResponse:
    """Show the editor with an example (GET), run a test, or store the new tool (POST)."""
    kind = request.GET.get("kind", CustomTool.Kind.LUA)
    if kind not in KINDS:
        raise Http404
    first: dict[str, object] = {
        "source": EXAMPLES[kind],
        "is_enabled": True,
        "arguments": ARGUMENTS[kind],
        "version": 0,
    }
    return _edit(request, kind, None, first, lambda form: add_tool(owner_id(request), form.draft(kind)))


@require_http_methods(["GET", "HEAD", "POST"])
def tool_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the editor of a tool (GET), run a test, or store the change (POST)."""
    files.sync_if_changed()
    tool = get_object_or_404(CustomTool, owner_id=owner_id(request), pk=pk)

    def store(form: ToolForm) -> CustomTool:
        return change_tool(owner_id(request), pk, form.draft(tool.kind))

    return _edit(request, tool.kind, tool, {**values_of(tool), **_kept_arguments(request, pk)}, store)


@require_http_methods(["GET", "HEAD", "POST"])
def delete_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask (GET), or delete a tool of the page (POST)."""
    tool = get_object_or_404(CustomTool, owner_id=owner_id(request), pk=pk)
    if request.method != "POST":
        hint = _("Your apps can no longer call it. What it has stored, its log, and secrets and servers stay.")
        return ask_to_delete(request, tool.name, url=reverse("custom_tool", args=[pk]), hint=hint)
    try:
        delete_tool(owner_id(request), pk)
        messages.success(request, _("Deleted {name}.").format(name=tool.name))
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
            messages.success(request, _("Saved {name}.").format(name=stored.name))
            _keep_arguments(request, stored.pk, form.cleaned_data["arguments"])
            return redirect("custom_tool", stored.pk)
    title = tool.name if tool else _("Add a tool: {kind}").format(kind=_(KINDS[CustomTool.Kind(kind)]))
    cancel_url = reverse("custom_tools")
    context = {
        "form": form,
        "tool": tool,
        "outcome": outcome,
        # A test run has its own result, and it may be about another server or other secrets.
        "missing": Available.of(owner_id(request)).missing(tool) if tool and outcome is None else None,
        "is_wide": True,
        "cancel_url": cancel_url,
        "crumb": {"url": cancel_url, "title": _("Custom tools")},
    }
    return owner_page(request, "mcpapi/custom_tools/edit.html", context, title=title)


def _keep_arguments(request: HttpRequest, pk: int, arguments: str) -> None:
    """Keep the arguments of test runs of the tool that was saved last, because they are not part of a tool."""
    request.session[TEST_ARGUMENTS] = {"tool": pk, "arguments": arguments}


def _kept_arguments(request: HttpRequest, pk: int) -> dict[str, object]:
    kept = request.session.get(TEST_ARGUMENTS) or {}
    is_kept = kept.get("tool") == pk and kept["arguments"].strip() not in {"", "{}"}
    return {"arguments": kept["arguments"]} if is_kept else {}


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
