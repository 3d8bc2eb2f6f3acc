"""The form of the plan of backups."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.pages.widgets import Switch
from ownsona_site.models import LEAST_KEPT, MOST_KEPT, BackupPlan


class PlanForm(forms.Form):
    """A form with what the owner can choose about backups."""

    nightly = forms.BooleanField(label=_("Back up every night"), required=False, widget=Switch)
    keep = forms.IntegerField(
        label=_("Backups to keep"),
        min_value=LEAST_KEPT,
        max_value=MOST_KEPT,
        widget=forms.TextInput({"class": "field", "type": "number", "min": str(LEAST_KEPT), "max": str(MOST_KEPT)}),
        help_text=_("When there are more, the oldest is deleted after a new one was made and checked."),
    )

    def __init__(self, plan: BackupPlan, data: Any = None) -> None:
        chosen = {"nightly": plan.nightly_since is not None, "keep": plan.keep}
        super().__init__(data, initial=chosen)
        self._plan = plan

    def save(self) -> None:
        """Store what was chosen."""
        self._plan.switch(nightly=self.cleaned_data["nightly"])
        self._plan.keep = self.cleaned_data["keep"]
        self._plan.save()
