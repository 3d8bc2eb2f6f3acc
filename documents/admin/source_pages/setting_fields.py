"""Form fields for the settings of connectors."""

from __future__ import annotations

from typing import Any, get_origin

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic.fields import FieldInfo

from common.pages.widgets import Switch
from documents.connectors.base import ConnectorSettings, PathSettings
from documents.connectors.registry import CONNECTORS
from documents.sources.stored_settings import secret_names

_LABELS = {
    "path": _("Folder"),
    "ignore_files": _("Respect ignore files"),
    "url": _("Repository"),
    "token": _("Access token"),
    "username": _("User name"),
    "urls": _("Addresses"),
    "pause_seconds": _("Pause between requests"),
    "allow_private": _("Allow servers in your own network"),
    "access_key": _("Access key"),
    "secret_key": _("Secret key"),
    "hidden": _("Read hidden files"),
}
_NOT_OFFERED = {"web": frozenset({"hidden"})}
"""The settings of a kind that mean nothing for what it reads. Commands know them for all kinds."""
KEPT_SECRET = _("One is stored, and no page shows it. Leave this empty to keep it.")


class LinesField(forms.CharField):
    """A field for several values, one on each line."""

    widget = forms.Textarea

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


def fields_of(kind: str) -> dict[str, forms.Field]:
    """Return a form field for each setting of a kind of sources, the settings that all kinds have last."""
    connector = CONNECTORS[kind]
    model = connector.settings_model
    secrets = secret_names(connector)
    return {
        name: _secret_field(name, info) if name in secrets else _plain_field(name, info)
        for name, info in _own_first(model)
        if name not in _NOT_OFFERED.get(kind, ())
    }


def _own_first(model: type[ConnectorSettings]) -> list[tuple[str, FieldInfo]]:
    shared = PathSettings.model_fields
    return sorted(model.model_fields.items(), key=lambda item: item[0] in shared)


def _plain_field(name: str, info: FieldInfo) -> forms.Field:
    help_text = _help_text(info)
    if info.annotation is bool:
        return forms.BooleanField(
            label=label_of(name), required=False, initial=info.default, widget=Switch, help_text=help_text
        )
    is_required = info.is_required()
    initial = None if is_required else info.default
    if get_origin(info.annotation) is list:
        widget = forms.Textarea({"rows": 3})
        help_text = f"{help_text} {_('One per line.')}"
        return LinesField(label=label_of(name), required=is_required, widget=widget, help_text=help_text)
    if info.annotation is float:
        number = forms.TextInput({"type": "number", "step": "any", "min": "0"})
        return forms.FloatField(
            label=label_of(name), required=is_required, initial=initial, widget=number, help_text=help_text
        )
    text = forms.TextInput({"spellcheck": "false", "autocapitalize": "none"})
    label = label_of(name)
    return forms.CharField(label=label, required=is_required, initial=initial, widget=text, help_text=help_text)


def _secret_field(name: str, info: FieldInfo) -> forms.Field:
    # A browser would otherwise fill in the password of the login.
    widget = forms.PasswordInput({"autocomplete": "new-password"})
    label, help_text = label_of(name), _help_text(info)
    return forms.CharField(label=label, required=False, strip=False, widget=widget, help_text=help_text)


def label_of(name: str) -> str:
    """Return the name of a setting on the pages, which translate it where they show it."""
    return str(_LABELS.get(name, "")) or name.replace("_", " ").capitalize()


def _help_text(info: FieldInfo) -> str:
    # Templates take help texts for HTML, and the descriptions are written for commands, too.
    return gettext(info.description).replace("`", "") if info.description else ""
