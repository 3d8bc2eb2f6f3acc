"""The look of the owner's pages: name, colours and menu, as settings of django-unfold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse_lazy

MenuItem = dict[str, Any]

MENU = "ownsona_site.pages.menu"
"""The module with the functions that return the badges."""

COLORS = {
    "primary": {
        "50": "oklch(96.5% .016 272)",
        "100": "oklch(93.2% .032 272)",
        "200": "oklch(87.2% .062 272)",
        "300": "oklch(78.8% .106 272)",
        "400": "oklch(67.8% .16 272)",
        "500": "oklch(57.5% .2 272)",
        "600": "oklch(48.5% .198 272)",
        "700": "oklch(43% .178 272)",
        "800": "oklch(37.5% .15 272)",
        "900": "oklch(33% .12 272)",
        "950": "oklch(24% .085 272)",
    }
}


def look_of_pages(*, external_identities: bool) -> dict[str, Any]:
    """Return the settings of django-unfold. The menu shows external identities only if an external issuer is set."""
    return {
        "SITE_TITLE": "OwnSona",
        "SITE_HEADER": "OwnSona",
        "SITE_SUBHEADER": "Your memories",
        "SITE_SYMBOL": "neurology",
        "SHOW_HISTORY": False,
        "SHOW_VIEW_ON_SITE": False,
        "SHOW_BACK_BUTTON": True,
        "SITE_FAVICONS": [
            {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("ownsona/icon.svg")},
        ],
        "STYLES": [lambda request: static("ownsona/admin.css")],
        "COLORS": COLORS,
        "SIDEBAR": {
            "navigation": [
                {"title": "Memories", "items": _memory_items()},
                {"title": "Access", "items": _access_items(external_identities=external_identities)},
                {"title": "System", "items": _system_items()},
            ],
        },
    }


def _memory_items() -> list[MenuItem]:
    return [
        _item("Overview", "home", "admin:index"),
        _item("Memories", "neurology", "admin:memories_memory_changelist"),
        _item("Documents", "description", "admin:documents_document_changelist", badge=f"{MENU}.documents_badge"),
        _item("Sources", "sync", "admin:documents_source_changelist"),
        _item("Inbox", "inbox", "inbox", badge=f"{MENU}.inbox_badge"),
        _item("Briefing", "summarize", "briefing"),
        _item("Recalls", "manage_search", "admin:memories_pastrecall_changelist"),
        _item("Tags", "sell", "tags"),
        _item("Tag synonyms", "swap_horiz", "admin:memories_tagsynonym_changelist"),
        _item("Prompts", "chat", "admin:mcpapi_ownprompt_changelist"),
        _item("Agents", "smart_toy", "agents"),
        _item("History", "history", "admin:memories_journalentry_changelist"),
        _item("Undo", "undo", "undo"),
        _item("Clean-up", "cleaning_services", "cleanup"),
        _item("Import", "upload", "import"),
    ]


def _access_items(*, external_identities: bool) -> list[MenuItem]:
    def is_shown(request: HttpRequest) -> bool:
        return external_identities and _is_admin(request)

    return [
        _item("Connected apps", "apps", "admin:oauthserver_connection_changelist"),
        _item("Personal tokens", "key", "admin:oauthserver_personaltoken_changelist"),
        _item("Budgets", "savings", "admin:oauthserver_budget_changelist"),
        _item("Custom tools", "build", "custom_tools"),
        _item("Approvals", "approval", "admin:mcpapi_approval_changelist", badge=f"{MENU}.approvals_badge"),
        _item("Activity", "receipt_long", "admin:mcpapi_auditline_changelist"),
        _item("Two-step login", "phonelink_lock", "admin:two_step_login"),
        _item("External identities", "badge", "admin:oauthserver_externalidentity_changelist", permission=is_shown),
        _item("Registered apps", "app_registration", "admin:oauthserver_application_changelist", permission=_is_admin),
        _item("Connection check", "troubleshoot", "admin:connection_check", permission=_is_admin),
    ]


def _system_items() -> list[MenuItem]:
    return [
        _item("Jobs", "manufacturing", "admin:procrastinate_procrastinatejob_changelist", permission=_is_admin),
        _item("Search models", "translate", "models", permission=_is_admin),
        _item("Sessions", "cable", "admin:mcpapi_session_changelist"),
    ]


def _item(
    title: str,
    icon: str,
    view: str,
    *,
    badge: str | None = None,
    permission: Callable[[HttpRequest], bool] | None = None,
) -> MenuItem:
    """Return a menu entry. `badge` is the path of a function that returns its number, `icon` a Material Symbol."""
    item: MenuItem = {"title": title, "icon": icon, "link": reverse_lazy(view)}
    if badge:
        item["badge"] = badge
    if permission:
        item["permission"] = permission
    return item


def _is_admin(request: HttpRequest) -> bool:
    return bool(request.user.is_superuser)
