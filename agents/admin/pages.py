"""Pages on which the owner sees, writes, enables and deletes agents."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from agents.admin.forms import AgentForm, NewAgentForm, TomlForm
from agents.changes import change_agent, create_agent, delete_agent, switch_agent
from agents.files import agents_folder
from agents.models import Agent
from agents.selectors import ResolvedAgent, get_agent, list_agents
from agents.toml_files import format_file
from common.provided import Provided
from memories.admin.base import owner_id
from memories.admin.errors import add_domain_error
from memories.errors import InvalidInput, MemoriesError, NotFound

tool_names: Provided[[], list[str]] = Provided("the names of all tools")

PLACES = {
    Agent.Source.PAGE: "Written here",
    Agent.Source.FILE: "From a file",
    Agent.Source.SHIPPED: "Comes with OwnSona",
}


@require_safe
def list_page(request: HttpRequest) -> HttpResponse:
    """Show all agents, disabled ones too, and the files that are not valid."""
    owner = owner_id(request)
    agents = [(agent, PLACES[agent.source]) for agent in list_agents(owner, include_disabled=True)]
    problems = Agent.objects.filter(owner_id=owner).exclude(problem="").order_by("name")
    context = {
        **admin.site.each_context(request),
        "title": "Agents",
        "agents": agents,
        "problems": problems,
        "folder": agents_folder() if request.user.is_superuser else None,
    }
    return TemplateResponse(request, "agents/list.html", context)


@require_safe
def agent_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show one agent."""
    agent = _find(request, name)
    context = {
        **admin.site.each_context(request),
        "title": agent.title,
        "agent": agent,
        "place": PLACES[agent.source],
        "file": Agent.objects.filter(owner_id=owner_id(request), name=name, source=Agent.Source.FILE).first(),
        "unknown_tools": [tool for tool in agent.definition.tools if tool not in set(tool_names())],
        "fields": AgentForm.initial_of(agent.definition),
        "can_change": agent.source == Agent.Source.PAGE,
        "can_switch": agent.source != Agent.Source.FILE,
    }
    return TemplateResponse(request, "agents/agent.html", context)


def add_page(request: HttpRequest) -> HttpResponse:
    """Show the form for a new agent (GET), with `copy` in the query filled from another one, or store it (POST)."""
    initial: dict[str, Any] = {}
    if "copy" in request.GET:
        copied = _find(request, request.GET["copy"])
        initial = {"name": copied.name, **AgentForm.initial_of(copied.definition)}
    form = NewAgentForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _is_created(request, form):
        return redirect("agent", form.cleaned_data["name"])
    return _form(request, "Add an agent", form, "Add")


def import_page(request: HttpRequest) -> HttpResponse:
    """Show the form for the content of a TOML file (GET), or store it as a new agent (POST)."""
    form = TomlForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _is_created(request, form, is_enabled=form.is_enabled):
        return redirect("agent", form.cleaned_data["name"])
    return _form(request, "Add an agent from a TOML file", form, "Add")


def _is_created(request: HttpRequest, form: NewAgentForm | TomlForm, *, is_enabled: bool = True) -> bool:
    """Store the agent of a form. If the domain refuses it, add the error to the form and return False."""
    name = form.cleaned_data["name"]
    try:
        create_agent(owner_id(request), name, form.definition, is_enabled=is_enabled)
    except MemoriesError as error:
        add_domain_error(form, error)
        return False
    messages.success(request, "Added. Your assistants can use it now.")
    return True


def change_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of an agent that was written here (GET), or save it (POST)."""
    row = Agent.objects.filter(owner_id=owner_id(request), name=name, source=Agent.Source.PAGE).first()
    if row is None:
        raise Http404
    if request.method != "POST":
        form = AgentForm(initial={**AgentForm.initial_of(_find(request, name).definition), "version": row.version})
        return _form(request, f"Change {name}", form, "Save", name)
    form = AgentForm(request.POST)
    if form.is_valid():
        try:
            change_agent(owner_id(request), name, form.cleaned_data["version"] or 0, form.definition)
        except MemoriesError as error:
            add_domain_error(form, error)
        else:
            messages.success(request, "Saved.")
            return redirect("agent", name)
    return _form(request, f"Change {name}", form, "Save", name)


@require_POST
def switch_page(request: HttpRequest, name: str) -> HttpResponse:
    """Enable or disable an agent."""
    try:
        switch_agent(owner_id(request), name, is_enabled=request.POST.get("enabled") == "1")
    except NotFound:
        raise Http404 from None
    except InvalidInput as error:
        messages.error(request, str(error))
    return redirect("agents")


@require_POST
def delete_page(request: HttpRequest, name: str) -> HttpResponse:
    """Delete an agent that was written here."""
    try:
        delete_agent(owner_id(request), name)
    except NotFound:
        raise Http404 from None
    messages.success(request, f"Deleted {name}. The memories that belong to it stay.")
    return redirect("agents")


@require_safe
def download_page(request: HttpRequest, name: str) -> HttpResponse:
    """Return an agent as a TOML file, which the folder of agents accepts."""
    agent = _find(request, name)
    response = HttpResponse(
        format_file(agent.definition, is_enabled=agent.is_enabled), content_type="application/toml; charset=utf-8"
    )
    disposition = content_disposition_header(as_attachment=True, filename=f"{name}.toml")
    assert disposition is not None
    response["Content-Disposition"] = disposition
    return response


def _find(request: HttpRequest, name: str) -> ResolvedAgent:
    try:
        return get_agent(owner_id(request), name, include_disabled=True)
    except NotFound:
        raise Http404 from None


def _form(request: HttpRequest, title: str, form: Any, verb: str, name: str = "") -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, "form": form, "verb": verb, "name": name}
    return TemplateResponse(request, "agents/form.html", context)
