"""Pages on which the owner sees, writes, enables and deletes agents."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.admin.forms import AgentForm, NewAgentForm, TomlForm
from agents.admin.words import ROLES, readable, shown_argument, shown_definition, shown_title
from agents.changes import change_agent, create_agent, delete_agent, name_conflict, switch_agent
from agents.files import agents_folder
from agents.models import Agent
from agents.selectors import ResolvedAgent, get_agent, list_agents
from agents.toml_files import format_file
from common.pages.deletion import ask_to_delete
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.owner_pages import owner_page
from common.provided import Provided
from memories.admin.base import owner_id
from memories.admin.errors import add_domain_error
from memories.errors import InvalidInput, MemoriesError, NotFound

tool_names: Provided[[int], list[str]] = Provided("the names of all tools of an owner")
tool_title: Provided[[str], str] = Provided("what a tool is for, in the words of the pages")

PLACES = {
    Agent.Source.PAGE: gettext_lazy("written by you"),
    Agent.Source.TOML: gettext_lazy("from a TOML file"),
    Agent.Source.LUA: gettext_lazy("from a Lua file"),
    Agent.Source.SHIPPED: gettext_lazy("comes with OwnSona"),
}
WORDS = ListWords(
    gettext_lazy("No agents yet"),
    intro=gettext_lazy(
        "Roles that you can give your assistants, such as a librarian who answers from your documents. Choose one from "
        "the prompts of an app: in most apps, type “/”."
    ),
    add=gettext_lazy("Add an agent"),
)


@require_safe
def list_page(request: HttpRequest) -> HttpResponse:
    """Show all agents, disabled ones too, and the files that are not valid."""
    owner = owner_id(request)
    agents = list_agents(owner, include_disabled=True)
    context = {
        "rows": [(agent.name, reverse("agent", args=[agent.name]), _row(owner, agent)) for agent in agents],
        "words": WORDS,
        "problems": _problems(request),
        "folder": agents_folder() if request.user.is_superuser else None,
    }
    return owner_page(request, "agents/list.html", context, title=_("Agents"))


def _row(owner: int, agent: ResolvedAgent) -> Row:
    flags = [] if agent.is_enabled else [Flag(_("turned off"), "warn")]
    if conflict := _conflict(owner, agent):
        text = _("its name is also %(conflict)s. Apps list only one of them: rename the file.")
        flags.append(Flag(text % {"conflict": conflict}, "warn"))
    shown = shown_definition(agent)
    return Row(
        shown.title or agent.name,
        detail=shown.description,
        said=[str(PLACES[agent.source])],
        flags=flags,
        is_title=True,
    )


@require_safe
def agent_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show one agent."""
    agent = _find(request, name)
    known_tools = set(tool_names(owner_id(request)))
    shown = shown_definition(agent)
    context = {
        "crumb": _crumb(),
        "agent": agent,
        "title": shown_title(agent),
        "definition": shown,
        "soul": readable(agent, shown.soul),
        "messages_shown": [(_(ROLES[each.role]), readable(agent, each.content)) for each in shown.messages],
        "arguments": [(shown_argument(agent, each.name), each) for each in shown.arguments],
        "tools": list(dict.fromkeys(tool_title(tool) for tool in shown.tools if tool in known_tools)),
        "place": PLACES[agent.source],
        "conflict": _conflict(owner_id(request), agent),
        "problems": _problems(request).filter(name=name),
        "unknown_tools": [tool for tool in agent.definition.tools if tool not in known_tools],
        "config": AgentForm.initial_of(shown)["config"],
        "can_change": agent.source == Agent.Source.PAGE,
        "can_switch": not agent.is_file,
    }
    return owner_page(request, "agents/agent.html", context, title=shown_title(agent))


def add_page(request: HttpRequest) -> HttpResponse:
    """Show the form for a new agent (GET), with `copy` in the query filled from another one, or store it (POST)."""
    initial: dict[str, Any] = {}
    if "copy" in request.GET:
        copied = _find(request, request.GET["copy"])
        initial = {"name": copied.name, **AgentForm.initial_of(shown_definition(copied))}
    form = NewAgentForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid() and _is_created(request, form):
        return redirect("agent", form.cleaned_data["name"])
    return _form(request, _("Add an agent"), form, _("Add"))


def import_page(request: HttpRequest) -> HttpResponse:
    """Show the form for the content of a TOML file (GET), or store it as a new agent (POST)."""
    form = TomlForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _is_created(request, form, is_enabled=form.is_enabled):
        return redirect("agent", form.cleaned_data["name"])
    return _form(request, _("Add an agent from a file"), form, _("Add"), template="owner/form.html")


def _is_created(request: HttpRequest, form: NewAgentForm | TomlForm, *, is_enabled: bool = True) -> bool:
    """Store the agent of a form. If the domain refuses it, add the error to the form and return False."""
    name = form.cleaned_data["name"]
    try:
        create_agent(owner_id(request), name, form.definition, is_enabled=is_enabled)
    except MemoriesError as error:
        add_domain_error(form, error)
        return False
    messages.success(request, _("Added. Your assistants can use it now."))
    return True


def change_page(request: HttpRequest, name: str) -> HttpResponse:
    """Show the form of an agent that was written here (GET), or save it (POST)."""
    row = Agent.objects.filter(owner_id=owner_id(request), name=name, source=Agent.Source.PAGE).first()
    if row is None:
        raise Http404
    agent = _find(request, name)
    title = _("Change {name}").format(name=agent.title)
    if request.method != "POST":
        form = AgentForm(initial={**AgentForm.initial_of(agent.definition), "version": row.version})
        return _form(request, title, form, _("Save"), agent)
    form = AgentForm(request.POST)
    if form.is_valid():
        try:
            change_agent(owner_id(request), name, form.cleaned_data["version"] or 0, form.definition)
        except MemoriesError as error:
            add_domain_error(form, error)
        else:
            messages.success(request, _("Saved."))
            return redirect("agent", name)
    return _form(request, title, form, _("Save"), agent)


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


@require_http_methods(["GET", "HEAD", "POST"])
def delete_page(request: HttpRequest, name: str) -> HttpResponse:
    """Ask (GET), or delete an agent that was written here (POST)."""
    agent = _find(request, name)
    if request.method != "POST":
        if agent.source != Agent.Source.PAGE:
            raise Http404
        hint = _("Your assistants can no longer use it. Its memories stay.")
        return ask_to_delete(request, agent.title, url=reverse("agent", args=[name]), hint=hint)
    try:
        delete_agent(owner_id(request), name)
    except NotFound:
        raise Http404 from None
    messages.success(request, _("Deleted {name}. The memories that belong to it stay.").format(name=agent.title))
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


def _conflict(owner: int, agent: ResolvedAgent) -> str | None:
    """Return what else has the name of an agent of a file. Those of pages are checked when they are saved."""
    conflict = name_conflict(owner, agent.name) if agent.is_file else None
    return _(conflict) if conflict else None


def _problems(request: HttpRequest) -> QuerySet[Agent]:
    """Return the files of the owner that are not valid."""
    return Agent.objects.filter(owner_id=owner_id(request)).exclude(problem="").order_by("name", "source")


def _find(request: HttpRequest, name: str) -> ResolvedAgent:
    try:
        return get_agent(owner_id(request), name, include_disabled=True)
    except NotFound:
        raise Http404 from None


def _form(
    request: HttpRequest,
    title: str,
    form: Any,
    verb: str,
    agent: ResolvedAgent | None = None,
    *,
    template: str = "agents/form.html",
) -> HttpResponse:
    cancel_url = reverse("agent", args=[agent.name]) if agent else reverse("agents")
    crumb = {"url": cancel_url, "title": agent.title} if agent else _crumb()
    context = {"form": form, "verb": verb, "cancel_url": cancel_url, "crumb": crumb}
    return owner_page(request, template, context, title=title)


def _crumb() -> dict[str, str]:
    return {"url": reverse("agents"), "title": _("Agents")}
