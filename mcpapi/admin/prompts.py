"""The page of the prompts that owners write for their assistants."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from agents.changes import Outdated
from common.pages.list_rows import ListWords, Row
from mcpapi.models import OwnPrompt
from mcpapi.prompts.names import OWN_PROMPT, other_with_name
from mcpapi.prompts.own import (
    MAX_PROMPTS,
    PROMPT_NAME,
    format_arguments,
    format_messages,
    parse_arguments,
    parse_messages,
)
from memories.admin.base import OwnedAdmin, owner_id
from memories.admin.errors import add_domain_error
from memories.errors import MemoriesError
from memories.validation.text import refuse_secrets


class OwnPromptForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A form with a prompt as it is typed. `cleaned_data` has its arguments and messages as they are stored."""

    arguments = forms.CharField(
        required=False,
        widget=forms.Textarea({"rows": 3}),
        help_text=_(
            "The values that your app asks for, one per line, such as “person: whom to write to”. An asterisk after "
            "the name makes a value required: “person*: whom to write to”. For values named tag, tags or topic, apps "
            "suggest your tags."
        ),
        label=_("What it asks you for"),
    )
    messages = forms.CharField(
        widget=forms.Textarea({"rows": 12, "dir": "auto"}),
        help_text=_(
            "What you say to the assistant, with {person} in place of a value from above. To give it a conversation, "
            "write a line [assistant] before its messages, and [user] before yours."
        ),
        label=_("Message"),
    )
    version = forms.CharField(required=False, widget=forms.HiddenInput)
    """The time of the last change that the owner has seen."""

    owner_id: int

    class Meta:
        model = OwnPrompt
        fields = ("name", "title", "description", "arguments", "messages")
        widgets = dict.fromkeys(("name", "title", "description"), forms.TextInput)
        help_texts = {
            "name": _(
                "The name after “/” in your apps: lower-case letters, digits and hyphens, such as letter-to-a-friend."
            ),
            "title": _("The name that your apps show in menus. If empty, the name above."),
            "description": _("What it is for, in one sentence. Your apps show it, too."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["arguments"] = format_arguments(self.instance.arguments)
            self.initial["messages"] = format_messages(self.instance.messages)
            self.initial["version"] = self.instance.updated_at.isoformat()

    def clean_name(self) -> str:
        """Raise ValidationError for an invalid or existing name."""
        name: str = self.cleaned_data["name"]
        others = OwnPrompt.objects.filter(owner_id=self.owner_id).exclude(pk=self.instance.pk)
        if not PROMPT_NAME.fullmatch(name):
            raise forms.ValidationError(_("Use lower-case letters, digits, and single hyphens between them."))
        if other := other_with_name(self.owner_id, name, OWN_PROMPT):
            text = _("“{name}” is {other}. Choose another name.")
            raise forms.ValidationError(text.format(name=name, other=_(other)))
        if others.filter(name=name).exists():
            raise forms.ValidationError(_("You already have a prompt named “{name}”.").format(name=name))
        if others.count() >= MAX_PROMPTS:
            raise forms.ValidationError(
                _("You have {count} prompts, which is the maximum. Delete one first.").format(count=MAX_PROMPTS)
            )
        return name

    def clean(self) -> dict[str, Any]:
        """Add arguments and messages in their stored form, if they are valid."""
        cleaned = super().clean() or self.cleaned_data
        self.instance.owner_id = self.owner_id
        try:
            self._refuse_outdated(cleaned.get("version", ""))
            for name, typed in cleaned.items():
                refuse_secrets(name, typed)
            cleaned["arguments"] = parse_arguments(cleaned.get("arguments", ""))
            if "messages" in cleaned:
                cleaned["messages"] = parse_messages(cleaned["messages"], cleaned["arguments"])
        except MemoriesError as error:
            add_domain_error(self, error)
        return cleaned

    def _refuse_outdated(self, version: str) -> None:
        """Raise Outdated if another window has saved the prompt since. Locks it: Django saves in this transaction."""
        if not (self.instance.pk and version):
            return
        stored = OwnPrompt.objects.select_for_update().filter(pk=self.instance.pk).first()
        if stored is None or stored.updated_at.isoformat() != version:
            raise Outdated


@admin.register(OwnPrompt)
class OwnPromptAdmin(OwnedAdmin):
    form = OwnPromptForm
    list_words = ListWords(
        _("No prompts yet"),
        _("A prompt is a message that you send often. Your apps list it: in most of them, type “/”."),
        intro=_("Messages that you send often. Your apps list them: in most of them, type “/”."),
        add=_("Add a prompt"),
        symbol="bolt",
    )
    delete_hint = _("Your apps no longer list it. Conversations that began with it stay as they are.")
    search_fields = ("name", "title", "description")
    ordering = ("name",)
    list_per_page = MAX_PROMPTS

    def row(self, obj: OwnPrompt) -> Row:
        return Row(str(obj), detail=obj.description, said=[obj.name] if obj.title else [], is_title=True)

    def get_form(self, request: HttpRequest, obj: OwnPrompt | None = None, **options: Any) -> Any:
        """Return the form for prompts of the logged-in owner."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"owner_id": owner_id(request)})
