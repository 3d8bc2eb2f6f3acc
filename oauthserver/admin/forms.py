"""Forms of permissions, new personal tokens and new external identities."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext, gettext_lazy

from common.inferences import ALL
from common.pages.widgets import Switch
from common.risks import Risk
from common.scopes import READ
from common.tag_lists import split_tags
from oauthserver.connections.provided_choices import canonical_tags
from oauthserver.connections.scopes import EVERYDAY_SCOPES, MEMORY_SCOPES, SCOPES
from oauthserver.connections.tool_patterns import read_patterns
from oauthserver.models import ExternalIdentity, Permission, PersonalToken


class PermissionForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """The changeable fields of a permission of the user `user_id`."""

    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Permissions"),
        choices=[
            (name, format_lazy("{}. {}", gettext_lazy(SCOPES[name].title), gettext_lazy(SCOPES[name].explanation)))
            for name in MEMORY_SCOPES
        ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "required": gettext_lazy("Select at least one permission. To remove all access, pause it or delete it.")
        },
    )
    tags = forms.CharField(
        label=gettext_lazy("Only memories tagged"),
        required=False,
        max_length=1000,
        widget=forms.TextInput,
        help_text=gettext_lazy(
            "Separated by commas: it can use only memories with at least one of these tags. If empty, all memories."
        ),
    )
    tools = forms.CharField(
        label=gettext_lazy("Only these tools"),
        required=False,
        max_length=2000,
        widget=forms.TextInput,
        help_text=gettext_lazy(
            "Separated by commas, such as: recall, *_memory. It can list and call only these. If empty, all. "
            "Resources are not limited by this: reading them requires only the permission to read memories."
        ),
    )
    profile = forms.ChoiceField(
        label=gettext_lazy("Listed tools"),
        choices=Permission.Profile.choices,
        widget=forms.Select,
        help_text=gettext_lazy(
            "A short list costs fewer tokens in every conversation. Tools that are not listed still work."
        ),
    )
    quarantine = forms.BooleanField(
        label=gettext_lazy("Review inferred memories"),
        required=False,
        widget=Switch,
        help_text=gettext_lazy(
            "Memories that it inferred go to your inbox, and no app sees them until you accept them."
        ),
    )
    approvals = forms.MultipleChoiceField(
        label=gettext_lazy("Requires your approval"),
        required=False,
        choices=Risk.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "Such a call waits until you approve or reject it. Each approval is valid for one call."
        ),
    )
    asks_in_app = forms.BooleanField(
        label=gettext_lazy("Allow approval in the app"),
        required=False,
        widget=Switch,
        help_text=gettext_lazy(
            "An app that supports this shows you the request itself, and you must trust it to report your "
            "decision. If off, you decide only on the page Approvals."
        ),
    )
    stores_only_told = forms.BooleanField(label=gettext_lazy("Store only what you tell it"), required=False)
    refused_inferences = forms.CharField(
        label=gettext_lazy("Never store conclusions about"),
        required=False,
        max_length=1000,
        widget=forms.TextInput,
        help_text=gettext_lazy(
            "Tags, separated by commas. It cannot store its own conclusions with one of these tags."
        ),
    )
    is_paused = forms.BooleanField(
        label=gettext_lazy("Paused"),
        required=False,
        widget=Switch,
        help_text=gettext_lazy("All of its requests are refused until you switch this off."),
    )

    user_id: int
    _ADVANCED = (
        "tools",
        "profile",
        "quarantine",
        "approvals",
        "asks_in_app",
        "stores_only_told",
        "refused_inferences",
        "is_paused",
    )

    class Meta:
        model = Permission
        fields: tuple[str, ...] = (
            "scopes",
            "tags",
            "tools",
            "profile",
            "quarantine",
            "refused_inferences",
            "approvals",
            "asks_in_app",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["tags"] = ", ".join(self.instance.tags)
        self.initial["tools"] = ", ".join(self.instance.tools)
        refused = self.instance.refused_inferences
        self.initial["stores_only_told"] = ALL in refused
        self.initial["refused_inferences"] = ", ".join(tag for tag in refused if tag != ALL)
        self.initial["is_paused"] = self.instance.paused_at is not None

    def remove_advanced_fields(self) -> None:
        """Remove the fields that a new permission does not need."""
        for name in self._ADVANCED:
            del self.fields[name]

    def clean_tags(self) -> list[str]:
        """Return the canonical form of the typed tags. Raises ValidationError when none of them is a valid tag."""
        return self._typed_tags(self.cleaned_data["tags"])

    def clean_refused_inferences(self) -> list[str]:
        """Return the canonical form of the typed tags. Raises ValidationError when none of them is a valid tag."""
        return self._typed_tags(self.cleaned_data["refused_inferences"])

    def _typed_tags(self, typed: str) -> list[str]:
        tags = canonical_tags(self.user_id, split_tags(typed))
        if typed.strip(" ,;") and not tags:
            raise forms.ValidationError(
                gettext("A tag must have at least two characters: letters, digits and hyphens.")
            )
        return tags

    def clean_tools(self) -> list[str]:
        """Parse the typed patterns. Raises ValidationError when one matches no tool."""
        return read_patterns(self.user_id, self.cleaned_data["tools"])

    def clean(self) -> dict[str, Any]:
        """Apply the two switches that are not fields. A permission that was paused before keeps its time."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("stores_only_told") and "refused_inferences" in cleaned:
            cleaned["refused_inferences"] = [ALL, *cleaned["refused_inferences"]]
        since = self.instance.paused_at or timezone.now()
        self.instance.paused_at = since if cleaned.get("is_paused") else None
        return cleaned


class ConnectionForm(PermissionForm):
    """The form of a connection. Its tokens have the scopes of the last consent, so added ones need a new consent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scopes"].help_text = gettext(
            "Permissions that you remove take effect with its next call. Permissions that you add take effect "
            "once the app requests access again."
        )


class NewPersonalTokenForm(PermissionForm):
    """The form of a new personal token: name, scopes, tags and lifetime."""

    lifetime_days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"),
        coerce=int,
        choices=[
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("a year")),
            (0, gettext_lazy("Until it is deleted")),
        ],
        initial=90,
        widget=forms.Select,
    )

    class Meta:
        model = PersonalToken
        fields = ("name", "scopes", "tags")
        widgets = {"name": forms.TextInput}
        help_texts = {"name": gettext_lazy("A name for this token, such as: backup script.")}

    def clean_name(self) -> str:
        """Return the name. Raises ValidationError when another token of the user has it.

        Names identify tokens to the owner, and a form that is submitted again must not create a second token.
        """
        name: str = self.cleaned_data["name"]
        if PersonalToken.objects.filter(user_id=self.user_id, name=name).exists():
            raise forms.ValidationError(gettext("Another of your tokens has this name. Choose a different one."))
        return name

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("scopes", [READ])
        # There is nothing yet that could be paused or deleted.
        self.fields["scopes"].error_messages["required"] = gettext_lazy("Select at least one permission.")
        self.remove_advanced_fields()

    def expires_at(self) -> Any:
        """Return when the token expires, counted from now, or None for never."""
        days = self.cleaned_data["lifetime_days"]
        return timezone.now() + timedelta(days=days) if days else None


class ExternalIdentityForm(PermissionForm):
    """The form of an external identity: its name, and what every permission has."""

    class Meta:
        model = ExternalIdentity
        fields = ("name", *PermissionForm.Meta.fields)
        # It is above the permissions, outside their form element.
        widgets = {"name": forms.TextInput({"form": "permission-form"})}
        labels = {"name": gettext_lazy("Name (optional)")}
        help_texts = {"name": gettext_lazy("The pages show it instead of the id. No app sees it.")}


class NewExternalIdentityForm(PermissionForm):
    """The form of a new external identity: subject, name, scopes and tags."""

    class Meta:
        model = ExternalIdentity
        fields = ("subject", "name", "scopes", "tags")
        widgets = {"subject": forms.TextInput, "name": forms.TextInput}
        labels = {"subject": gettext_lazy("Id at the identity provider"), **ExternalIdentityForm.Meta.labels}
        help_texts = {
            "subject": gettext_lazy("What its tokens say in the claim sub."),
            **ExternalIdentityForm.Meta.help_texts,
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("scopes", list(EVERYDAY_SCOPES))
        self.remove_advanced_fields()

    def clean_subject(self) -> str:
        """Return the subject. Raises ValidationError when it has an identity already."""
        subject: str = self.cleaned_data["subject"]
        if ExternalIdentity.objects.filter(issuer=settings.OIDC_ISSUER, subject=subject).exists():
            raise forms.ValidationError(gettext("This identity already exists."))
        return subject
