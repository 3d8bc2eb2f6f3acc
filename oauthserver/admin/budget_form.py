"""The form of a budget."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.distinct_names import distinct_names
from oauthserver.models import Budget, Connection, ExternalIdentity, Permission, PersonalToken

ALL = "all"
KINDS: dict[str, tuple[str | Promise, type[Permission]]] = {
    "connection": (_("App"), Connection),
    "personal_token": (_("Token"), PersonalToken),
    "external_identity": (_("External identity"), ExternalIdentity),
}
"""By field of Budget: what the kind of permission is called, and its model."""


class BudgetForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A new budget of the user `user_id`, or the limit and price of an existing one."""

    applies_to = forms.ChoiceField(label=_("Applies to"), widget=forms.Select)

    user_id: int

    class Meta:
        model = Budget
        fields = ("measure", "period", "limit", "price")
        widgets = {
            "measure": forms.Select,
            "period": forms.Select,
            "limit": forms.NumberInput,
            "price": forms.NumberInput,
        }
        labels = {"measure": _("What is counted"), "period": _("Period"), "limit": _("Limit"), "price": _("Price")}
        help_texts = {
            "limit": _("A number of calls or characters, or an amount of money. 0 refuses everything."),
            "price": _(
                "For the cost: what your provider charges for a million tokens, in the currency of the limit. "
                "OwnSona estimates a token for every four characters."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("limit", "price"):
            if (value := getattr(self.instance, name)) is not None:
                self.initial[name] = f"{value.normalize():f}"
        if self.instance.pk is not None and self.instance.measure != Budget.Measure.COST:
            self.fields.pop("price", None)
        # The page of an existing budget shows what identifies it, without fields.
        if self.instance.pk is None:
            for name in ("measure", "period"):
                choices = self.fields[name].choices  # type: ignore[attr-defined]  # of a choice field
                self.fields[name].choices = [choice for choice in choices if choice[0]]  # type: ignore[attr-defined]
            choices = [(ALL, gettext("All apps together")), *_permissions_of(self.user_id)]
            self.fields["applies_to"].choices = choices  # type: ignore[attr-defined]  # of a choice field

    def clean(self) -> dict[str, Any]:
        """Require a price for a cost, whole numbers for everything else, and one budget of a kind."""
        cleaned = super().clean() or self.cleaned_data
        measure = cleaned.get("measure", self.instance.measure)
        limit = cleaned.get("limit")
        if limit is not None and limit < 0:
            self.add_error("limit", _("The limit must be 0 or more."))
        if measure == Budget.Measure.COST:
            self._require_price(cleaned.get("price"))
        else:
            # The page hides the field then. It keeps what was typed into it before.
            cleaned["price"] = None
            self.errors.pop("price", None)
            if limit is not None and limit != int(limit):
                self.add_error("limit", _("A number of calls or characters must be whole."))
        if not self.instance.pk and not self.errors:
            self._refuse_duplicate(cleaned)
        return cleaned

    def _require_price(self, price: Decimal | None) -> None:
        if "price" not in self.errors and (not price or price < 0):
            self.add_error("price", _("A cost needs the price of a million tokens, above 0."))

    def _refuse_duplicate(self, cleaned: dict[str, Any]) -> None:
        own = dict.fromkeys((f"{name}_id" for name in KINDS), None) | self.applies_to_ids()
        existing = Budget.objects.filter(
            user_id=self.user_id,
            measure=cleaned["measure"],
            period=cleaned["period"],
            **{(f"{name}__isnull" if value is None else name): (value is None or value) for name, value in own.items()},
        )
        if existing.exists():
            raise forms.ValidationError(_("There is already such a budget. Change its limit instead."))

    def applies_to_ids(self) -> dict[str, int | None]:
        """Return the column and id of the chosen permission; nothing for all apps together."""
        kind, _, key = self.cleaned_data["applies_to"].partition(":")
        return {f"{kind}_id": int(key)} if key else {}


def _permissions_of(user_id: int) -> list[tuple[str, str]]:
    """Return the choices of the user's permissions. Three queries."""
    connections = Connection.objects.filter(user_id=user_id).exclude(scopes=[]).select_related("application")
    rows: dict[str, Any] = {
        "connection": connections,
        "personal_token": PersonalToken.objects.filter(user_id=user_id),
        "external_identity": ExternalIdentity.objects.filter(user_id=user_id),
    }
    values, named = [], []
    for name, permissions in rows.items():
        for permission in permissions:
            values.append(f"{name}:{permission.pk}")
            named.append((f"{KINDS[name][0]} {permission}", permission.created_at))
    choices = zip(values, distinct_names(named), strict=True)
    return sorted(choices, key=lambda choice: choice[1].casefold())
