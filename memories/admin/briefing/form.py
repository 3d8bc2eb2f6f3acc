"""Form of the briefing's preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from memories.access import View
from memories.admin.briefing.previewed_apps import PreviewedApp
from memories.admin.errors import add_domain_error
from memories.admin.forms import TagsField
from memories.briefing.composition import DEFAULT_TOKENS, Briefing, compose_briefing, today
from memories.drafts import checked_label
from memories.errors import MemoriesError
from memories.tags import canonical_tags
from memories.validation.budgets import MOST_TOKENS

WHOLE_VIEW = ""


class PreviewForm(forms.Form):
    """A form with the arguments of a briefing, and the app that asks for it."""

    max_tokens = forms.IntegerField(
        label=gettext_lazy("Tokens"),
        required=False,
        min_value=1,
        max_value=MOST_TOKENS,
        widget=forms.TextInput({"type": "number", "min": "1", "max": str(MOST_TOKENS)}),
    )
    app = forms.ChoiceField(label=gettext_lazy("App"), required=False, widget=forms.Select)
    tags = TagsField(label=gettext_lazy("Tags"), required=False)
    session_id = forms.CharField(label=gettext_lazy("Session"), required=False, widget=forms.TextInput)

    def __init__(self, *args: Any, apps: Sequence[PreviewedApp], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tags_of = {app.client: app.tags for app in apps}
        self.fields["max_tokens"].initial = DEFAULT_TOKENS
        limits = [(app.client, _label(app)) for app in apps]
        self.fields["app"].choices = [(WHOLE_VIEW, gettext("Any app that sees all memories")), *limits]  # type: ignore[attr-defined]

    def clean_session_id(self) -> str | None:
        """Return the session as it is stored."""
        try:
            return checked_label("session_id", self.cleaned_data["session_id"])
        except MemoriesError as error:
            raise forms.ValidationError(error.problem) from None

    def compose(self, view: View) -> Briefing | None:
        """Return the briefing that the app gets. None for a value that the domain refuses, which the form shows."""
        given = self.cleaned_data if self.is_bound else {}
        limited = View(view.owner_id, self._tags_of.get(given.get("app", WHOLE_VIEW), ()))
        tags = given.get("tags")
        try:
            return compose_briefing(
                limited,
                today(),
                max_tokens=given.get("max_tokens") or DEFAULT_TOKENS,
                tags=canonical_tags(limited, tags) if tags else None,
                session_id=given.get("session_id"),
            )
        except MemoriesError as error:
            add_domain_error(self, error)
            return None


def _label(app: PreviewedApp) -> str:
    if not app.tags:
        return app.label
    return gettext("%(app)s, limited to %(tags)s") % {"app": app.label, "tags": ", ".join(app.tags)}
