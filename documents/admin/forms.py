"""Forms for documents. The domain validates the values."""

from __future__ import annotations

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget

from documents.drafts import MAX_TITLE_CHARS
from memories.admin.forms import TagsField


class DocumentForm(forms.Form):
    """A form with what the owner can change of a document."""

    title = forms.CharField(max_length=MAX_TITLE_CHARS, widget=UnfoldAdminTextInputWidget)
    tags = TagsField(required=False, help_text="Separated by commas, such as: house, invoices.")


class UploadForm(forms.Form):
    """A form with what is stored with each uploaded file."""

    tags = TagsField(required=False, help_text="For all files that you add now, separated by commas.")
