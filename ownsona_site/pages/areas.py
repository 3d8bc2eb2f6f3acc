"""The five areas of the owner's pages, with their tabs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_noop

CHANGELIST = "_changelist"
AGENT_PAGES = ("agent_add", "agent_import", "agent", "agent_change", "agent_delete")
TOOL_PAGES = (
    *("custom_tool_add", "custom_tool", "custom_tool_delete"),
    *(
        f"admin:customtools_{model}_{page}"
        for model in ("allowedhost", "toolsecret", "toollogline")
        for page in ("changelist", "add", "change", "delete")
    ),
)
WORKFLOW_PAGES = ("workflow_add", "workflow_run", "workflow", "workflow_change", "workflow_delete")


def everyone(request: HttpRequest) -> bool:
    """Show a tab to every user."""
    return True


def runs_server(request: HttpRequest) -> bool:
    """Show a tab only to users who run the server."""
    return bool(request.user.is_superuser)


def with_external_issuer(request: HttpRequest) -> bool:
    """Show a tab only to users who run the server, if the settings name an external issuer."""
    return bool(settings.OIDC_ISSUER) and runs_server(request)


@dataclass(frozen=True, slots=True)
class Tab:
    """A page of an area. `view` is the name of its URL, `also` lists those of the pages that belong to it.

    The pages of single rows belong to the tab of their list. `count` names the number in `ReviewCounts` that the tab
    shows, `counted` are the words for it if it is not the number of what the title names, and `heading` is the title of
    the page if it is not that of the tab.
    """

    title: str
    view: str
    also: tuple[str, ...] = ()
    count: str = ""
    counted: str = "%(number)s"
    heading: str = ""
    is_shown: Callable[[HttpRequest], bool] = everyone

    def is_at(self, view_name: str) -> bool:
        """Return whether the tab names the page with this URL name."""
        return view_name in (self.view, *self.also)

    def has_row_at(self, view_name: str) -> bool:
        """Return whether the page with this URL name is that of a single row of the list that the tab opens."""
        return self.view.endswith(CHANGELIST) and view_name.startswith(f"{self.view.removesuffix(CHANGELIST)}_")


@dataclass(frozen=True, slots=True)
class Area:
    """An entry of the navigation. `icon` is a symbol of icons.svg. The first tab is the page that the entry opens.

    Its badge is the sum of the numbers of its tabs.
    """

    title: str
    icon: str
    tabs: tuple[Tab, ...]


AREAS = (
    Area(
        gettext_noop("Memories"),
        "memories",
        (
            Tab(
                gettext_noop("List"),
                "admin:memories_memory_changelist",
                also=("quick_add", "show_hidden_value"),
                heading=gettext_noop("Memories"),
            ),
            Tab(gettext_noop("Timeline"), "admin:memories_memory_timeline"),
            Tab(gettext_noop("Map"), "map", also=("map_points", "map_progress")),
            Tab(gettext_noop("Ask"), "ask", also=("briefing",)),
            Tab(gettext_noop("Recalls"), "admin:memories_pastrecall_changelist"),
            Tab(gettext_noop("Tags"), "tags"),
            Tab(
                gettext_noop("Journal"),
                "admin:memories_journalentry_changelist",
                also=("undo", "undo_job", "undo_progress", "compare_versions"),
            ),
        ),
    ),
    Area(
        gettext_noop("Review"),
        "review",
        (
            Tab(gettext_noop("Next"), "review", heading=gettext_noop("Review")),
            Tab(gettext_noop("Inbox"), "inbox", also=("inbox_accept_all", "inbox_reject_all"), count="inferences"),
            Tab(gettext_noop("Approvals"), "admin:mcpapi_approval_changelist", count="approvals"),
            Tab(gettext_noop("Clean-up"), "cleanup", count="cleanup"),
        ),
    ),
    Area(
        gettext_noop("Library"),
        "library",
        (
            Tab(
                gettext_noop("Documents"),
                "admin:documents_document_changelist",
                count="documents",
                counted=gettext_noop("%(number)s to review"),
            ),
            Tab(gettext_noop("Sources"), "admin:documents_source_changelist"),
        ),
    ),
    Area(
        gettext_noop("Apps"),
        "apps",
        (
            Tab(gettext_noop("Connected apps"), "admin:oauthserver_connection_changelist"),
            Tab(gettext_noop("Personal tokens"), "admin:oauthserver_personaltoken_changelist"),
            Tab(gettext_noop("Budgets"), "admin:oauthserver_budget_changelist"),
            Tab(gettext_noop("Agents"), "agents", also=AGENT_PAGES),
            Tab(gettext_noop("Workflows"), "workflows", also=WORKFLOW_PAGES),
            Tab(gettext_noop("Custom tools"), "custom_tools", also=TOOL_PAGES),
            Tab(gettext_noop("Activity"), "admin:mcpapi_auditline_changelist"),
            Tab(gettext_noop("Sessions"), "admin:mcpapi_session_changelist"),
            Tab(gettext_noop("Registered apps"), "admin:oauthserver_application_changelist", is_shown=runs_server),
            Tab(
                gettext_noop("External identities"),
                "admin:oauthserver_externalidentity_changelist",
                is_shown=with_external_issuer,
            ),
        ),
    ),
    Area(
        gettext_noop("Settings"),
        "settings",
        (
            Tab(
                gettext_noop("Account"),
                "admin:account",
                also=("admin:language", "admin:password_change", "admin:password_change_done", "admin:keys"),
            ),
            Tab(gettext_noop("Two-step login"), "admin:two_step_login"),
            Tab(gettext_noop("Secrets"), "kept_secrets"),
            Tab(gettext_noop("Import"), "import", also=("import_job", "import_progress", "import_report")),
            Tab(gettext_noop("Tag synonyms"), "admin:memories_tagsynonym_changelist"),
            Tab(gettext_noop("Prompts"), "admin:mcpapi_ownprompt_changelist"),
            Tab(gettext_noop("Search models"), "models", is_shown=runs_server),
            Tab(gettext_noop("Backups and export"), "backups", also=("backup", "backup_delete")),
            Tab(gettext_noop("Jobs"), "admin:procrastinate_procrastinatejob_changelist", is_shown=runs_server),
            Tab(gettext_noop("Connection check"), "admin:connection_check", is_shown=runs_server),
        ),
    ),
)


def place_of(view_name: str) -> tuple[Area | None, Tab | None]:
    """Return the area and the tab of the page with this URL name. The overview and unknown pages have none."""
    tabs = [(area, tab) for area in AREAS for tab in area.tabs]
    named = (place for place in tabs if place[1].is_at(view_name))
    return next(named, None) or next((place for place in tabs if place[1].has_row_at(view_name)), (None, None))
