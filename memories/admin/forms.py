"""Forms for memories, validated by the domain before they are saved there."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext, gettext_lazy

from common.pages.widgets import MomentField
from common.tag_lists import split_tags
from memories.admin.base import acting_owner
from memories.admin.errors import add_domain_error
from memories.admin.seen_values import SeenField, SeenValuesMixin
from memories.drafts import Draft
from memories.errors import MemoriesError
from memories.models import Memory
from memories.validation.text import clean_tag
from memories.writing.hidden_values import Hiding
from memories.writing.updating import MemoryUpdate, update_memory

_CLEARED = {"expires_at": "clear_expiry", "valid_from": "clear_valid_from", "valid_until": "clear_valid_until"}
"""The times that can be removed, and how `MemoryUpdate` says so."""

CHANGED_FIELDS = ("text", "tags", "importance", "valid_from", "valid_until", "expires_at", "last_confirmed_at")
"""The fields of a memory that its owner may change."""

TEXT_IS_MISSING = {"required": gettext_lazy("Enter the text of the memory.")}
"""The message of forms for a memory without a text."""


def uploaded_name(file: UploadedFile[bytes]) -> str:
    """Return the name of a file on the owner's computer. Browsers send a quotation mark as %22."""
    return (file.name or "").replace("%22", '"')


class TagsField(forms.CharField):
    """A field for tags separated by commas."""

    widget = forms.TextInput

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return split_tags(super().to_python(value) or "")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))


class CheckedTagsField(TagsField):
    """A field that refuses tags of which nothing would be stored."""

    def validate(self, value: Any) -> None:
        super().validate(value)
        for tag in value:
            if not clean_tag(tag):
                raise forms.ValidationError(
                    gettext("“%(tag)s” is no tag: a tag must have at least two letters or digits.") % {"tag": tag}
                )


class MemoryForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A form with the fields of every memory. It saves nothing: the domain stores the values, and may refuse them."""

    text = forms.CharField(
        label=gettext_lazy("Text"),
        error_messages=TEXT_IS_MISSING,
        widget=forms.Textarea({"rows": 4, "dir": "auto"}),
        help_text=gettext_lazy(
            "One fact that makes sense on its own. Passwords, codes, keys, account and card numbers are refused, or "
            "hidden from apps, as you have chosen in the settings."
        ),
    )
    tags = TagsField(
        label=gettext_lazy("Tags"),
        required=False,
        help_text=gettext_lazy("Separated by commas, such as: family, travel."),
    )
    importance = forms.FloatField(
        label=gettext_lazy("Importance"),
        initial=0.5,
        min_value=0.0,
        max_value=1.0,
        error_messages=dict.fromkeys(("min_value", "max_value"), gettext_lazy("The importance must be from 0 to 1.")),
        widget=forms.TextInput({"type": "number", "step": "any", "min": "0", "max": "1"}),
        help_text=gettext_lazy("From 0 to 1."),
    )
    expires_at = MomentField(
        label=gettext_lazy("Expires at"),
        required=False,
        help_text=gettext_lazy("It is no longer recalled from then on. Leave empty if it does not expire."),
    )

    valid_from = MomentField(
        label=gettext_lazy("Valid from"),
        required=False,
        help_text=gettext_lazy("Since when it has been true. Leave empty if you do not know, or if the text says so."),
    )
    valid_until = MomentField(
        label=gettext_lazy("Valid until"),
        required=False,
        help_text=gettext_lazy("The last moment at which it is true. It can still be recalled, as past."),
    )

    class Meta:
        model = Memory
        fields: tuple[str, ...] = ("text", "tags", "importance", "expires_at")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.validate_in_domain()
            except MemoriesError as error:
                self.add_error_of_saving(error)
        return cleaned

    def add_error_of_saving(self, error: MemoriesError) -> None:
        """Show that the domain has refused the values."""
        add_domain_error(self, error)

    def validate_in_domain(self) -> None:
        """Check that the domain accepts the values. Raises MemoriesError."""
        raise NotImplementedError


class NewMemoryForm(MemoryForm):
    """A form for a new memory."""

    owner_id: int

    def validate_in_domain(self) -> None:
        self.draft().checked(Hiding(acting_owner(self.owner_id), dry_run=True))

    def draft(self) -> Draft:
        """Return the values as a draft."""
        typed = self.cleaned_data
        return Draft(
            typed["text"],
            tuple(typed["tags"]),
            typed["importance"],
            expires_at=typed["expires_at"],
            valid_from=typed["valid_from"],
            valid_until=typed["valid_until"],
        )


class ChangedMemoryForm(SeenValuesMixin, MemoryForm):
    """A form for changes to a memory that is not forgotten."""

    edited_fields = CHANGED_FIELDS

    last_confirmed_at = MomentField(
        label=gettext_lazy("Last confirmed at"),
        help_text=gettext_lazy(
            "If two memories contradict each other, the one confirmed last is trusted. "
            "A new text sets this to now, unless you change it yourself."
        ),
    )

    seen = SeenField(required=False)

    class Meta(MemoryForm.Meta):
        fields = (*MemoryForm.Meta.fields, "last_confirmed_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.open_with(self.instance)

    def validate_in_domain(self) -> None:
        if self.changed_data:
            update_memory(acting_owner(self.instance.owner_id), self.instance.pk, self.changes(), dry_run=True)

    def changes(self) -> MemoryUpdate:
        """Return the changed values."""
        changed = {name: self.cleaned_data[name] for name in self.changed_data}
        changed |= {clear: True for name, clear in _CLEARED.items() if name in changed and changed[name] is None}
        return MemoryUpdate(**changed, seen=self.seen_values)
