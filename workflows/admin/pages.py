"""Pages on which the owner sees, writes and deletes workflows, and sees their versions and runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import orjson
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from agents.admin.pages import tool_names
from common.pages.deletion import ask_to_delete
from common.pages.list_rows import ListWords, Row
from common.pages.owner_pages import owner_page
from memories.admin.base import owner_id
from memories.errors import InvalidInput, MemoriesError, NotFound
from workflows.admin.drawing import REJECTED, UNDECIDED, decisions_on, drawn_records, drawn_steps, explanation
from workflows.admin.forms import EXAMPLE, NewWorkflowForm, WorkflowForm
from workflows.changes import change_workflow, create_workflow, delete_workflow
from workflows.definitions import WorkflowDefinition, read_definition
from workflows.models import Run, WorkflowVersion
from workflows.selectors import StoredWorkflow, get_workflow, list_workflows

SHOWN_RUNS = 20
WORDS = ListWords(
    gettext_lazy("No workflows yet"),
    gettext_lazy(
        "A workflow is a procedure that your assistants follow step by step. The form begins with an example."
    ),
    intro=gettext_lazy(
        "Procedures that your assistants follow step by step. Those that only call tools can run as a whole."
    ),
    add=gettext_lazy("Add a workflow"),
    symbol="bolt",
)


@require_safe
def list_page(request: HttpRequest) -> HttpResponse:
    """Show all workflows and the latest runs."""
    owner = owner_id(request)
    workflows = list_workflows(owner)
    context = {
        "rows": [(each.name, reverse("workflow", args=[each.name]), _row(each)) for each in workflows],
        "words": WORDS,
        "add_url": reverse("workflow_add"),
        "runs": _latest_runs(owner, {each.name: each.title for each in workflows}),
    }
    return owner_page(request, "workflows/list.html", context, title=_("Workflows"))


def _latest_runs(owner: int, titles: Mapping[str, str], **only: str) -> list[tuple[str, Run, bool]]:
    """Return the latest runs, with the titles of their workflows, and whether the owner has rejected them.

    A deleted workflow has only its name.
    """
    runs = list(Run.objects.filter(owner_id=owner, **only).order_by("-started_at")[:SHOWN_RUNS])
    decisions = decisions_on(owner, runs)
    return [(titles.get(run.workflow, run.workflow), run, decisions.get(run.pk) == REJECTED) for run in runs]


def _row(workflow: StoredWorkflow) -> Row:
    said = [workflow.name, _("version {number}").format(number=workflow.row.version)]
    return Row(workflow.title, detail=workflow.description, said=said, is_title=True)


@require_safe
def workflow_page(request: HttpRequest, name: str) -> HttpResponse:
    """Draw the steps of a workflow, of its current version or of the one that `version` in the query names."""
    owner, workflow = owner_id(request), _find(request, name)
    version = _version(workflow, request.GET.get("version", ""))
    context = {
        "crumb": _crumb(),
        "workflow": workflow,
        "version": version,
        "versions": workflow.row.versions.order_by("-number"),
        "runs": _latest_runs(owner, {name: workflow.title}, workflow=name),
    }
    try:
        definition = read_definition(version.definition)
        context |= {
            "definition": definition,
            "steps": drawn_steps(definition),
            "unknown_tools": sorted({step.tool for step in definition.steps if step.tool} - set(tool_names(owner))),
        }
    except MemoriesError as error:
        context["problem"] = str(error)
    return owner_page(request, "workflows/workflow.html", context, title=workflow.title)


def add_page(request: HttpRequest) -> HttpResponse:
    """Show the form for a new workflow (GET), or store it (POST)."""
    form = NewWorkflowForm(request.POST if request.method == "POST" else None, initial={"definition": EXAMPLE})
    if form.is_valid():
        try:
            create_workflow(owner_id(request), form.cleaned_data["name"], form.workflow)
        except MemoriesError as error:
            form.add_domain_error(error)
        else:
            messages.success(request, _("Added. Your assistants can use it now."))
            return redirect("workflow", form.cleaned_data["name"])
    return _form(request, _("Add a workflow"), form, _("Add"))


def change_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of a workflow (GET), with `version` in the query that of an older one; save it (POST)."""
    try:
        workflow = _find(request, name)
    except Http404:
        if request.method != "POST":
            raise
        return _again(request, name)
    title = _("Change {name}").format(name=workflow.title)
    if request.method != "POST":
        shown = _version(workflow, request.GET.get("version", ""))
        initial = {"definition": _as_json(shown.definition), "version": workflow.row.version}
        return _form(request, title, WorkflowForm(initial=initial), _("Save"), workflow)
    form = WorkflowForm(request.POST)
    if form.is_valid():
        try:
            row = change_workflow(owner_id(request), name, form.cleaned_data["version"] or 0, form.workflow)
        except MemoriesError as error:
            form.add_domain_error(error)
        else:
            messages.success(request, _("Saved as version {number}.").format(number=row.version))
            return redirect("workflow", name)
    return _form(request, title, form, _("Save"), workflow)


def _again(request: HttpRequest, name: str) -> HttpResponse:
    """Show what was typed for a workflow that was deleted meanwhile, in the form for a new one."""
    messages.error(request, _("This workflow was deleted in the meantime. Add it again to keep what you typed."))
    form = NewWorkflowForm(initial={"name": name, "definition": request.POST.get("definition", "")})
    context = {
        "form": form,
        "verb": _("Add"),
        "action": reverse("workflow_add"),
        "cancel_url": reverse("workflows"),
        "crumb": _crumb(),
    }
    return owner_page(request, "owner/form.html", context, title=_("Add a workflow"))


@require_http_methods(["GET", "HEAD", "POST"])
def delete_page(request: HttpRequest, name: str) -> HttpResponse:
    """Ask (GET), or delete a workflow (POST)."""
    if request.method != "POST":
        hint = _(
            "Its versions are removed, and your assistants can no longer begin it. Runs that have begun can be "
            "continued."
        )
        return ask_to_delete(request, _find(request, name).title, url=reverse("workflow", args=[name]), hint=hint)
    try:
        delete_workflow(owner_id(request), name)
    except NotFound:
        raise Http404 from None
    except InvalidInput as error:
        messages.error(request, str(error))
        return redirect("workflow", name)
    messages.success(request, _("Deleted {name}.").format(name=name))
    return redirect("workflows")


@require_safe
def download_page(request: HttpRequest, name: str) -> HttpResponse:
    """Return a workflow as a JSON file, which the form for a new one accepts."""
    response = HttpResponse(_as_json(_find(request, name).row.definition), content_type="application/json")
    disposition = content_disposition_header(as_attachment=True, filename=f"{name}.json")
    assert disposition is not None
    response["Content-Disposition"] = disposition
    return response


@require_safe
def run_page(request: HttpRequest, run_id: str) -> HttpResponse:
    """Show the records of the steps of a run."""
    run = Run.objects.filter(owner_id=owner_id(request), pk=run_id).first()
    if run is None:
        raise Http404
    name = _title(run.owner_id, run.workflow)
    steps = list(run.steps.order_by("started_at", "pk"))
    decision = decisions_on(run.owner_id, [run]).get(run.pk)
    definitions = _definitions_of(run)
    context = {
        "crumb": _crumb(),
        "run": run,
        "name": name,
        "said": explanation(definitions, run, steps, decision),
        "needs_approval": decision in UNDECIDED,
        "is_rejected": decision == REJECTED,
        "steps": drawn_records(definitions, run, steps),
    }
    return owner_page(request, "workflows/run.html", context, title=_("Run of {workflow}").format(workflow=name))


def _definitions_of(run: Run) -> list[WorkflowDefinition]:
    """Return the definitions of the workflow and of those that its steps run, as they were when the run began.

    Those that were deleted since, or that the rules no longer accept, are left out. One query for each level.
    """
    versions = WorkflowVersion.objects.filter(workflow__owner_id=run.owner_id, at__lte=run.started_at)
    level = _read(versions.filter(workflow__name=run.workflow, number=run.version))
    found, seen = level, {run.workflow}
    while names := {step.workflow for definition in level for step in definition.steps if step.workflow} - seen:
        latest = versions.filter(workflow__name__in=names).order_by("workflow_id", "-number").distinct("workflow_id")
        level = _read(latest)
        found, seen = found + level, seen | names
    return found


def _read(versions: Iterable[WorkflowVersion]) -> list[WorkflowDefinition]:
    """Return the definitions of the versions that are valid."""
    found = []
    for version in versions:
        with suppress(MemoriesError):
            found.append(read_definition(version.definition))
    return found


def _title(owner: int, name: str) -> str:
    """Return the title of a workflow; a deleted one has only its name."""
    try:
        return get_workflow(owner, name).title
    except NotFound:
        return name


def _find(request: HttpRequest, name: str) -> StoredWorkflow:
    try:
        return get_workflow(owner_id(request), name)
    except NotFound:
        raise Http404 from None


def _version(workflow: StoredWorkflow, number: str) -> WorkflowVersion:
    """Return the version with this number; the current one without a number."""
    if number and not (number.isascii() and number.isdigit() and len(number) < 10):
        raise Http404
    version = workflow.row.versions.filter(number=int(number or workflow.row.version)).first()
    if version is None:
        raise Http404
    return version


def _as_json(definition: Any) -> str:
    return orjson.dumps(definition, option=orjson.OPT_INDENT_2).decode()


def _form(
    request: HttpRequest, title: str, form: WorkflowForm, verb: str, workflow: StoredWorkflow | None = None
) -> HttpResponse:
    cancel_url = reverse("workflow", args=[workflow.row.name]) if workflow else reverse("workflows")
    crumb = {"url": cancel_url, "title": workflow.title} if workflow else _crumb()
    context = {"form": form, "verb": verb, "cancel_url": cancel_url, "crumb": crumb}
    return owner_page(request, "owner/form.html", context, title=title)


def _crumb() -> dict[str, str]:
    return {"url": reverse("workflows"), "title": _("Workflows")}
