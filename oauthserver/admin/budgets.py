"""The page on budgets."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.admin import OwnersAdmin
from common.pages.list_rows import Flag, ListWords, Row
from common.pages.relative_times import exact_time, relative_time
from oauthserver.admin.base import shown_time
from oauthserver.admin.budget_form import KINDS, BudgetForm
from oauthserver.budgets.balances import counted_since, is_nearly_used, is_used_up, resets_at, used_now
from oauthserver.models import Budget

IDENTITY = ["user", "connection", "personal_token", "external_identity", "measure", "period"]
CHANGEABLE = ["limit", "price"]


@admin.register(Budget)
class BudgetAdmin(OwnersAdmin):
    """The admin in which owners limit what their apps may use. Each sees only their own budgets."""

    form = BudgetForm
    list_words = ListWords(
        _("No budgets yet"),
        _("A budget limits what an app, or all apps together, can use in a day or a month."),
        intro=_("What your apps can use in a day or a month. A call that would use more is refused."),
        add=_("Add a budget"),
        symbol="bolt",
    )
    delete_hint = _("Its limit no longer applies.")
    list_select_related = ("connection__application", "personal_token", "external_identity")
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(user_id=request.user.pk)  # type: ignore[no-any-return]

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Return the fields of a new budget, or what can be changed of an existing one and what it is."""
        if obj is None:
            return ("applies_to", "measure", "period", "limit", "price")
        price = ["price"] if obj.measure == Budget.Measure.COST else []
        return ("applies_to", "limit", *price, "used_of_limit", "resets")

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        return ("applies_to", "used_of_limit", "resets") if obj else ()

    def get_form(self, request: HttpRequest, obj: Budget | None = None, **options: Any) -> Any:
        """Return the form with the id of the logged-in user."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"user_id": request.user.pk})

    def save_model(self, request: HttpRequest, obj: Budget, form: BudgetForm, change: bool) -> None:
        """Write only the limit and the price of an existing budget, because apps spend from it meanwhile."""
        if change:
            obj.save(update_fields=CHANGEABLE)
            return
        obj.user_id = form.user_id
        for column, value in form.applies_to_ids().items():
            setattr(obj, column, value)
        # The same form submitted twice at once gives one budget.
        Budget.objects.bulk_create([obj], update_conflicts=True, unique_fields=IDENTITY, update_fields=CHANGEABLE)

    @admin.display(description=_("applies to"))
    def applies_to(self, budget: Budget) -> str:
        return whose(budget)

    def row(self, obj: Budget) -> Row:
        resets = gettext("resets {when}").format(when=relative_time(resets_at(obj)))
        return Row(
            self.applies_to(obj),
            said=[str(obj), self.used_of_limit(obj), resets],
            flags=flags_of(obj),
            is_title=True,
        )

    def heading(self, obj: Budget) -> str:
        return str(obj)

    def short_name(self, obj: Budget) -> str:
        return f"{whose(obj)}: {obj}"

    @admin.display(description=_("used"))
    def used_of_limit(self, budget: Budget) -> str:
        used, limit = shown_amount(used_now(budget)), shown_amount(budget.limit)
        if since := counted_since(budget):
            text = gettext("{used} of {limit}, counted since it was added ({time})")
            return text.format(used=used, limit=limit, time=exact_time(since))
        return gettext("{used} of {limit}").format(used=used, limit=limit)

    @admin.display(description=_("resets"))
    def resets(self, budget: Budget) -> str:
        return shown_time(resets_at(budget))


def whose(budget: Budget) -> str:
    """Return what the budget applies to."""
    if budget.connection:
        return str(budget.connection)
    given = ((title, getattr(budget, name)) for name, (title, _) in KINDS.items())
    return next((f"{title} {permission}" for title, permission in given if permission), gettext("All apps together"))


def flags_of(budget: Budget) -> list[Flag]:
    """Return whether a budget is used up, or nearly."""
    if is_used_up(budget):
        return [Flag(gettext("used up"), "bad")]
    return [Flag(gettext("nearly used up"), "warn")] if is_nearly_used(budget) else []


def shown_amount(amount: Decimal) -> str:
    """Return an amount in the format of the language, with cents or smaller parts only where it has some."""
    return number_format(amount.normalize(), force_grouping=True)
