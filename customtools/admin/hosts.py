"""The page of the servers that custom tools may send requests to."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.networking.addresses import is_public, parse_address
from common.pages.list_rows import ListWords, Row
from common.pages.translated import translated
from common.pages.widgets import Switch
from customtools.definitions.origins import InvalidOrigin, checked_origin
from customtools.models import AllowedHost
from memories.admin.base import OwnedAdmin, owner_id

MAX_HOSTS = 100


class AllowedHostForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A form with one server."""

    owner_id: int
    runs_server: bool

    class Meta:
        model = AllowedHost
        fields = ("origin", "is_private")
        widgets = {"origin": forms.TextInput, "is_private": Switch}
        help_texts = {
            "origin": _(
                "The scheme, the server and the port if it is not the usual one, such as "
                "https://api.example.com or http://192.168.1.20:8123. Each server is allowed separately."
            ),
            "is_private": _(
                "The server is in your own network or on this machine. Without this, only servers on the "
                "public internet are reached."
            ),
        }

    def clean_origin(self) -> str:
        """Return the origin in its usual form. Raises ValidationError for an invalid or existing one."""
        try:
            origin = checked_origin(self.cleaned_data["origin"])
        except InvalidOrigin as error:
            raise forms.ValidationError(_("The address {problem}").format(problem=translated(error))) from None
        others = AllowedHost.objects.filter(owner_id=self.owner_id).exclude(pk=self.instance.pk)
        if others.filter(origin=origin).exists():
            raise forms.ValidationError(_("{origin} is already allowed.").format(origin=origin))
        if others.count() >= MAX_HOSTS:
            raise forms.ValidationError(
                _("You have {count} allowed hosts, which is the maximum. Delete one first.").format(count=MAX_HOSTS)
            )
        return origin

    def clean_is_private(self) -> bool:
        """Raise ValidationError for a user who does not run the server, whose network this would open."""
        is_private: bool = self.cleaned_data["is_private"]
        if is_private and not self.runs_server:
            raise forms.ValidationError(_("Only accounts that run this server can allow servers in its network."))
        return is_private

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for a private address that is not declared as such."""
        cleaned = super().clean() or self.cleaned_data
        self.instance.owner_id = self.owner_id
        host = cleaned.get("origin", "").partition("://")[2]
        address = parse_address(host)
        is_local = host.partition(":")[0] == "localhost" or (address is not None and not is_public(address))
        if is_local and not cleaned.get("is_private") and "is_private" not in self.errors:
            self.add_error("is_private", _("This address is in a private network: switch this on to allow it."))
        return cleaned


@admin.register(AllowedHost)
class AllowedHostAdmin(OwnedAdmin):
    form = AllowedHostForm
    list_words = ListWords(
        _("No server is allowed yet"),
        _("Custom tools can send requests only to the servers that you add here."),
        intro=_("Custom tools can send requests only to these servers."),
        add=_("Allow a server"),
        symbol="globe",
    )
    delete_hint = _("Tools that send requests to this server fail from then on. The tools themselves stay.")
    ordering = ("origin",)

    def row(self, obj: AllowedHost) -> Row:
        return Row(obj.origin, said=[gettext("in your own network")] if obj.is_private else [], symbol="globe")

    def get_form(self, request: HttpRequest, obj: AllowedHost | None = None, **options: Any) -> Any:
        """Return the form for servers of the logged-in owner."""
        form = super().get_form(request, obj, **options)
        of_user = {"owner_id": owner_id(request), "runs_server": request.user.is_superuser}
        return type(form.__name__, (form,), of_user)
