"""The form of a custom tool. The domain validates the source."""

from __future__ import annotations

import json

from django import forms
from django.utils.translation import gettext_lazy as _

from common.pages.widgets import CodeInput, Switch
from customtools.definitions.sample_arguments import sample_arguments
from customtools.limits import MAX_SOURCE_CHARS
from customtools.models import CustomTool
from customtools.storing import ToolDraft


class ToolForm(forms.Form):
    """A form with the source, and the arguments of a test run."""

    source = forms.CharField(
        label=_("Source code"), max_length=MAX_SOURCE_CHARS, strip=False, widget=CodeInput({"rows": 26, "wrap": "off"})
    )
    is_enabled = forms.BooleanField(
        label=_("Enabled"),
        required=False,
        widget=Switch,
        help_text=_("Apps see and call only enabled tools."),
    )
    arguments = forms.CharField(
        label=_("Arguments of a test run"),
        required=False,
        max_length=MAX_SOURCE_CHARS,
        widget=CodeInput({"rows": 4}),
        help_text=_(
            'As JSON, such as {"name": "Ada"}. A test run does not save this form, but the tool really runs: '
            "it can store memories and send requests."
        ),
    )
    version = forms.IntegerField(min_value=0, max_value=2**31 - 1, widget=forms.HiddenInput)

    def draft(self, kind: str) -> ToolDraft:
        """Return what the owner has entered."""
        cleaned = self.cleaned_data
        return ToolDraft(kind, cleaned["source"].replace("\r\n", "\n"), cleaned["is_enabled"], cleaned["version"])


def values_of(tool: CustomTool) -> dict[str, object]:
    """Return the initial values of the form for a stored tool."""
    parameters = (tool.declaration or {}).get("parameters", {})
    arguments = json.dumps(sample_arguments(parameters), ensure_ascii=False, indent=2)
    return {"source": tool.source, "is_enabled": tool.is_enabled, "arguments": arguments, "version": tool.version}
