"""The page on budgets."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from oauthserver.admin.base import AccessAdmin, shown_time
from oauthserver.admin.budget_form import KINDS, BudgetForm
from oauthserver.budgets.balances import is_nearly_used, resets_at, used_now
from oauthserver.models import Budget

IDENTITY = ["user", "connection", "personal_token", "external_identity", "measure", "period"]
CHANGEABLE = ["limit", "price"]


@admin.register(Budget)
class BudgetAdmin(AccessAdmin):
    """The admin in which owners limit what their apps may use. Each sees only their own budgets."""

    form = BudgetForm
    list_display = ("applies_to", "__str__", "state", "used_of_limit", "resets")
    list_display_links = ("applies_to", "__str__")
    list_select_related = ("connection__application", "personal_token", "external_identity")
    sortable_by = ()
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(user_id=request.user.pk)  # type: ignore[no-any-return]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return True

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return True

    def get_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        """Return the fields of a new budget, or what can be changed of an existing one and what it is."""
        if obj is None:
            return ("applies_to", "measure", "period", "limit", "price")
        return ("applies_to", "__str__", "limit", "price", "used_of_limit", "resets")

    def get_readonly_fields(self, request: HttpRequest, obj: Budget | None = None) -> tuple[str, ...]:
        return ("applies_to", "__str__", "used_of_limit", "resets") if obj else ()

    def get_form(self, request: HttpRequest, obj: Budget | None = None, **options: Any) -> Any:
        """Return the form with the id of the logged-in user."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"user_id": request.user.pk})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], **options: Any) -> Any:
        """Show a single save button, which is enough for a short form."""
        context.update(show_save_and_continue=False, show_save_and_add_another=False)
        return super().render_change_form(request, context, **options)

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

    @admin.display(description="applies to")
    def applies_to(self, budget: Budget) -> str:
        given = ((title, getattr(budget, name)) for name, (title, _) in KINDS.items())
        return next((f"{title} {permission}" for title, permission in given if permission), "All apps together")

    @display(  # type: ignore[untyped-decorator]
        description="state", label={"nearly used up": "warning", "used up": "danger", "enough left": "success"}
    )
    def state(self, budget: Budget) -> str:
        if used_now(budget) >= budget.limit:
            return "used up"
        return "nearly used up" if is_nearly_used(budget) else "enough left"

    @admin.display(description="used")
    def used_of_limit(self, budget: Budget) -> str:
        return f"{shown_amount(used_now(budget))} of {shown_amount(budget.limit)}"

    @admin.display(description="begins anew")
    def resets(self, budget: Budget) -> str:
        return shown_time(resets_at(budget))


def shown_amount(amount: Decimal) -> str:
    """Return an amount with thousands separators, and with cents or smaller parts only where it has some."""
    return f"{amount.normalize():,f}"
