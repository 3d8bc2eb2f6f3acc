"""Forms for documents. The domain validates the values."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from documents.drafts import MAX_TITLE_CHARS
from memories.admin.forms import CheckedTagsField


class DocumentForm(forms.Form):
    """A form with what the owner can change of a document."""

    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=MAX_TITLE_CHARS, widget=forms.TextInput({"dir": "auto"})
    )
    tags = CheckedTagsField(
        label=gettext_lazy("Tags"),
        required=False,
        help_text=gettext_lazy("Separated by commas, such as: house, invoices."),
    )


class UploadForm(forms.Form):
    """A form with what is stored with each uploaded file."""

    tags = CheckedTagsField(
        label=gettext_lazy("Tags"),
        required=False,
        help_text=gettext_lazy(
            "Separated by commas. Enter them first: each file gets the tags that are here when you choose it."
        ),
    )
