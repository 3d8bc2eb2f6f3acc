"""The page of one app, token or identity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.formats import number_format

from common.pages.owner_pages import owner_page
from common.pages.relative_times import exact_time
from common.provided import Provided
from oauthserver.admin.app_pages.standing import SILENT, USABLE, flags_of, limits_of, silent_since
from oauthserver.admin.app_pages.switches import switches_of
from oauthserver.admin.forms import PermissionForm
from oauthserver.budgets.balances import counted_since, is_nearly_used, resets_at, used_now
from oauthserver.models import Budget, Connection, ExternalIdentity, Permission, PersonalToken

activity_of: Provided[[HttpRequest, str], Mapping[str, Any]] = Provided("what an app did, by request and client")
"""Function that returns what the templates of the activity and of the undo need for a client of the journal."""


@dataclass(frozen=True, slots=True)
class AppPage:
    """The content of an app's page besides its form. `client` is its name in the journal, empty if it has none.

    `facts` are pairs of a label and a text, and so is `technical`, which is shown on demand. `disconnect_url` is posted
    to, `delete_url` asks first. The permissions of an app that is not connected cannot be changed: it asks for them
    again. `called` replaces the name in sentences.
    """

    client: str
    state: str
    facts: Sequence[tuple[str, str]]
    technical: Sequence[tuple[str, str]]
    disconnect_url: str
    delete_url: str
    delete_verb: str
    list_url: str
    list_title: str
    is_connected: bool = True
    called: str = ""


def app_page(request: HttpRequest, permission: Permission, form: PermissionForm, page: AppPage) -> HttpResponse:
    """Show `permission` with `form`, which may have errors."""
    title = str(permission)
    did = activity_of(request, page.client) if page.client else {}
    name = page.called or title
    context = {
        "permission": permission,
        "heading": title,
        "name": name,
        "form": form,
        "switches": list(switches_of(form, name)),
        "page": page,
        "is_usable": page.state in USABLE,
        "flags": flags_of(permission, page.state),
        "limits": limits_of(permission),
        "is_silent": page.state in USABLE and silent_since(permission) is not None,
        "silent_days": SILENT.days,
        "budgets": [_BudgetLine.of(budget) for budget in _budgets_of(permission)],
        "crumb": {"url": page.list_url, "title": page.list_title},
        **did,
        "last_used_at": _last_used_at(permission, did.get("lines", ())),
    }
    return owner_page(request, "oauthserver/app.html", context, title=title)


def _last_used_at(permission: Permission, lines: Sequence[Any]) -> datetime | None:
    """Return when the app was last used. Its calls are counted seconds later than the changes that they made."""
    known = (*(line.at for line in lines[:1]), permission.last_used_at)
    return max((at for at in known if at), default=None)


@dataclass(frozen=True, slots=True)
class _BudgetLine:
    text: str
    used: str
    limit: str
    since: str
    resets_at: Any
    url: str
    flag: str

    @classmethod
    def of(cls, budget: Budget) -> _BudgetLine:
        used, limit = (
            number_format(amount.normalize(), force_grouping=True) for amount in (used_now(budget), budget.limit)
        )
        url = reverse("admin:oauthserver_budget_change", args=[budget.pk])
        began = counted_since(budget)
        since = exact_time(began) if began else ""
        flag = "bad" if used_now(budget) >= budget.limit else "warn" if is_nearly_used(budget) else ""
        return cls(str(budget), used, limit, since, resets_at(budget), url, flag)


def _budgets_of(permission: Permission) -> list[Budget]:
    columns: dict[type[Permission], str] = {
        Connection: "connection",
        PersonalToken: "personal_token",
        ExternalIdentity: "external_identity",
    }
    own = Q(**{columns[type(permission)]: permission.pk})
    return list(Budget.objects.filter(own, user_id=permission.user_id).order_by("pk"))
