"""The page of the secrets of custom tools. A secret can be replaced, and is never shown."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from customtools.definitions.templates import SECRET_NAME
from customtools.models import ToolSecret
from customtools.running.secrets import MAX_CHARS, MAX_SECRETS, MIN_CHARS, encrypted
from memories.admin.base import OwnedAdmin, owner_id


class ToolSecretForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A form with one secret."""

    value = forms.CharField(
        min_length=MIN_CHARS,
        max_length=MAX_CHARS,
        strip=True,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("It is stored encrypted. Tools send it to allowed hosts; no page, result or log shows it."),
    )

    owner_id: int

    class Meta:
        model = ToolSecret
        fields = ("name",)
        widgets = {"name": forms.TextInput}
        help_texts = {"name": _("The name in tools: lower-case letters, digits and underscores, such as weather_key.")}

    def clean_name(self) -> str:
        """Raise ValidationError for an invalid or existing name."""
        name: str = self.cleaned_data["name"]
        others = ToolSecret.objects.filter(owner_id=self.owner_id).exclude(pk=self.instance.pk)
        if not SECRET_NAME.fullmatch(name):
            raise forms.ValidationError(
                _("Use 2 to 48 lower-case letters, digits and underscores, beginning with a letter.")
            )
        if others.filter(name=name).exists():
            raise forms.ValidationError(_("You already have a secret named {name}.").format(name=name))
        if others.count() >= MAX_SECRETS:
            raise forms.ValidationError(
                _("You have {count} secrets, which is the maximum. Delete one first.").format(count=MAX_SECRETS)
            )
        return name

    def clean_value(self) -> str:
        """Raise ValidationError for a value that cannot be sent in a header."""
        value: str = self.cleaned_data["value"]
        if not value.isprintable():
            raise forms.ValidationError(_("A secret must be one line of printable characters."))
        return value

    def clean(self) -> dict[str, Any]:
        """Encrypt the value."""
        cleaned = super().clean() or self.cleaned_data
        self.instance.owner_id = self.owner_id
        if "value" in cleaned:
            self.instance.encrypted_value = encrypted(cleaned["value"])
        return cleaned


@admin.register(ToolSecret)
class ToolSecretAdmin(OwnedAdmin):
    form = ToolSecretForm
    list_title = _("Secrets of tools")
    list_words = ListWords(
        _("No secrets yet"),
        _("A secret is a key or a password that custom tools send to allowed servers. No page shows its value."),
        intro=_("Keys and passwords that custom tools send to allowed servers. No page shows their values."),
        add=_("Add a secret"),
        symbol="key",
    )
    delete_hint = _("Its value is erased, and tools that use it fail from then on. The tools themselves stay.")
    ordering = ("name",)

    def row(self, obj: ToolSecret) -> Row:
        return Row(obj.name, at=obj.updated_at, symbol="key")

    def get_form(self, request: HttpRequest, obj: ToolSecret | None = None, **options: Any) -> Any:
        """Return the form for secrets of the logged-in owner."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"owner_id": owner_id(request)})
