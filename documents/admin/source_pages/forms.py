"""Forms for sources. The domain validates the values."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from common.pages.translated import translated
from common.pages.widgets import Switch
from documents.admin.source_pages.labels import SCHEDULE, schedule_in_words
from documents.admin.source_pages.setting_fields import KEPT_SECRET, fields_of
from documents.connectors.base import InvalidSettings, SourceError
from documents.connectors.registry import CONNECTORS
from documents.models import Source
from documents.sources.drafts import MAX_NAME_CHARS, SourceDraft, check_name, name_of
from documents.sources.opening import check_folder
from documents.sources.server_access import ONLY_OPERATORS, local_setting
from documents.sources.stored_settings import changed_settings, secret_names
from memories.admin.forms import CheckedTagsField
from memories.errors import MemoriesError

REMOVE = "remove_"


class SourceForm(forms.Form):
    """A form with the settings of a source, its tags and its schedule.

    Without `runs_server`, no setting can be changed by which the source reads what belongs to the server.
    """

    tags = CheckedTagsField(
        required=False,
        help_text=_("Every document of the source gets them. Separated by commas, such as: house, invoices."),
    )
    interval_minutes = forms.TypedChoiceField(
        label=_("Schedule"), coerce=int, initial=60, widget=forms.Select, help_text=_("How often it is synced.")
    )

    def __init__(self, kind: str, *args: Any, runs_server: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        self._runs_server = runs_server
        self._settings = fields_of(kind)
        shared = {name: self.fields.pop(name) for name in ("tags", "interval_minutes")}
        self.fields.update({**self._settings, **shared})
        self._offer_intervals(int(self.initial.get("interval_minutes", 60)))

    def _offer_intervals(self, current: int) -> None:
        field = self.fields["interval_minutes"]
        assert isinstance(field, forms.TypedChoiceField)
        field.choices = [(minutes, schedule_in_words(minutes)) for minutes in sorted({*SCHEDULE, current})]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not set(self.errors) & set(self._settings):
            try:
                local = local_setting(self.kind, self.settings())
            except InvalidSettings as error:
                for problem in error.problems:
                    self._add_problem(problem.setting, problem.problem)
            except SourceError as error:
                self.add_error(None, str(error))
            else:
                if local and self.changes_settings and not self._runs_server:
                    self.add_error(local, translated(ONLY_OPERATORS))
                elif self.kind == "folder" and "path" in self.changed_data:
                    self._check_folder()
        return cleaned

    def _check_folder(self) -> None:
        """Add an error if the folder cannot be read. It may be disconnected later, but not while it is chosen."""
        try:
            check_folder(self.settings())
        except SourceError as error:
            self.add_error("path", translated(error).removeprefix("path: "))

    @property
    def changes_settings(self) -> bool:
        """Whether a setting was changed, not only the tags or the schedule."""
        return bool(set(self.changed_data) - {"tags", "interval_minutes"})

    def settings(self) -> dict[str, Any]:
        """Return the settings of the source. Raises SourceError."""
        return {name: value for name, value in self._given().items() if value is not None}

    def _given(self) -> dict[str, Any]:
        """Return the value of each setting; None stands for its default."""
        defaults = CONNECTORS[self.kind].settings_model.model_fields
        given = {name: self.cleaned_data.get(name) for name in self._settings}
        return {
            name: None if value in (None, "", []) or value == defaults[name].default else value
            for name, value in given.items()
        }

    def _add_problem(self, setting: str, problem: str) -> None:
        name = setting.partition(".")[0]
        text = f"{problem[:1].upper()}{problem[1:]}."
        self.add_error(name if name in self.fields else None, text)


class NewSourceForm(SourceForm):
    """A form for a new source."""

    name = forms.CharField(
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput({"spellcheck": "false", "autocapitalize": "none"}),
        help_text=_("Such as My notes, which apps call my-notes. It cannot be changed later."),
    )
    is_paused = forms.BooleanField(
        label=_("Add it paused"),
        required=False,
        widget=Switch,
        help_text=_("Nothing is imported until you resume it. Use this to preview it first."),
    )

    def __init__(self, kind: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(kind, *args, **kwargs)
        self.order_fields(["name", *self._settings, "tags", "interval_minutes", "is_paused"])

    def clean_name(self) -> str:
        """Return the name in the form that apps use. An existing one is noticed when the source is stored.

        Raises ValidationError for an invalid name.
        """
        name = name_of(self.cleaned_data["name"])
        try:
            check_name(name)
        except MemoriesError as error:
            raise forms.ValidationError(f"{error.problem[:1].upper()}{error.problem[1:]}") from None
        return name

    def draft(self) -> SourceDraft:
        """Return the values as a draft."""
        typed = self.cleaned_data
        return SourceDraft(
            typed["name"],
            self.kind,
            self.settings(),
            tags=typed["tags"],
            interval_minutes=typed["interval_minutes"],
            is_paused=typed["is_paused"],
        )


class ChangedSourceForm(SourceForm):
    """A form for changes to a source. Secrets are never shown; an empty field keeps the stored one."""

    def __init__(self, source: Source, *args: Any, **kwargs: Any) -> None:
        initial = {**source.settings, "tags": source.tags, "interval_minutes": source.interval_minutes}
        super().__init__(source.kind, *args, initial=initial, **kwargs)
        self._source = source
        self._secrets = secret_names(CONNECTORS[source.kind])
        if source.encrypted_secrets:
            for name in self._secrets:
                self._offer_removal(name)

    def _offer_removal(self, name: str) -> None:
        label = str(self.fields[name].label)
        self.fields[name].help_text = KEPT_SECRET
        self.fields[f"{REMOVE}{name}"] = forms.BooleanField(
            label=_("Remove the stored {secret}").format(secret=label.lower()), required=False, widget=Switch
        )
        order = list(self.fields)
        order.insert(order.index(name) + 1, f"{REMOVE}{name}")
        self.order_fields(order)

    def settings(self) -> dict[str, Any]:
        """Return the settings with the secrets that are kept. Raises SourceError."""
        given = self._given()
        for name in self._secrets:
            if given[name] is None and not self.cleaned_data.get(f"{REMOVE}{name}"):
                del given[name]
        return changed_settings(self._source, given)

    def changes(self) -> dict[str, Any]:
        """Return the arguments of `change_source` for what was changed. Raises SourceError."""
        changed = {name: self.cleaned_data[name] for name in {"tags", "interval_minutes"} & set(self.changed_data)}
        return {**changed, "settings": self.settings()} if self.changes_settings else changed
