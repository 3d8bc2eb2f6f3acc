"""Forms for imports. The domain validates the values."""

from __future__ import annotations

from io import BytesIO
from typing import IO, Any, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from common.pages.widgets import Switch
from common.texts import translatable
from memories.admin.errors import add_domain_error
from memories.admin.forms import TagsField, uploaded_name
from memories.errors import MemoriesError
from memories.transfer.background.choices import Choices
from memories.transfer.options import Conversations, Format
from memories.writing.deduplication import DedupPolicy

_CONVERSATIONS = {
    Conversations.SKIP: _("Leave them out"),
    Conversations.ABOUT_ME: _("Import what I say about myself"),
    Conversations.MESSAGES: _("Import each message as a quote"),
}
_FORMATS = {
    Format.AUTO: _("Detect it"),
    Format.JSON: "JSON",
    Format.JSONL: "JSON Lines",
    Format.CSV: "CSV",
    Format.TEXT: _("Plain text"),
    Format.MARKDOWN: "Markdown",
    Format.PASTED: _("An assistant's answer with all memories"),
    Format.CHATGPT: _("ChatGPT: conversations"),
    Format.CLAUDE: _("Claude: conversations"),
    Format.CLAUDE_MEMORY: _("Claude: memory"),
    Format.MCP_MEMORY_SERVICE: "mcp-memory-service",
    Format.KNOWLEDGE_GRAPH: _("MCP reference server: knowledge graph"),
    Format.MEM0: "mem0",
    Format.SUPERMEMORY: "Supermemory",
    Format.ZEP: "Zep, Graphiti",
    Format.POSTGRES_DUMP: _("OwnSona's Java edition: database dump"),
}
PASTED_NAME = translatable("pasted text")


class ChoicesForm(forms.Form):
    """A form with how a file is read and stored."""

    conversations = forms.ChoiceField(
        choices=list(_CONVERSATIONS.items()),
        widget=forms.Select,
        help_text=_("Conversations of ChatGPT and Claude are not memories. Choose what to do with them."),
    )
    tags = TagsField(
        required=False, help_text=_("Every imported memory gets them. Separated by commas, such as: old-phone.")
    )
    source_provider = forms.CharField(
        label=_("Where it comes from"),
        required=False,
        widget=forms.TextInput,
        help_text=_("For memories whose file does not say it, such as: chatgpt."),
    )
    format = forms.ChoiceField(
        choices=list(_FORMATS.items()),
        widget=forms.Select,
        help_text=_("Choose a format only if the wrong one is detected."),
    )
    skips_near = forms.BooleanField(
        label=_("Skip what I already have in other words"),
        required=False,
        widget=Switch,
        help_text=_("Exact duplicates are always skipped. This also compares meanings, which takes ten times as long."),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.choices()
            except MemoriesError as error:
                add_domain_error(self, error)
        return cleaned

    def choices(self) -> Choices:
        """Return the values. Raises MemoriesError."""
        typed = self.cleaned_data
        policy = DedupPolicy.SKIP_IF_NEAR if typed["skips_near"] else DedupPolicy.INSERT
        return Choices.of({**typed, "dedup_policy": policy})


class NewImportForm(ChoicesForm):
    """A form with a file or a pasted text, and how it is read and stored."""

    text = forms.CharField(
        required=False,
        strip=False,
        label=_("Or paste text"),
        widget=forms.Textarea({"rows": 6, "dir": "auto"}),
        help_text=_(
            "One fact per line, or the list that an assistant gave you. In a text with list items or headings, each "
            "paragraph and each list item becomes a memory."
        ),
    )
    field_order = ("text",)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        has_file, has_text = bool(self.files.getlist("file")), bool(cleaned.get("text", "").strip())
        if has_file and has_text:
            self.add_error(None, _("Choose a file or paste a text, not both."))
        elif not has_file and not has_text:
            self.add_error(None, _("Choose a file, or paste a text."))
        return cleaned

    def content(self) -> tuple[str, IO[bytes]]:
        """Return the name and the content of the file, or those of the pasted text."""
        file = cast("UploadedFile[bytes] | None", self.files.get("file"))
        if file is not None:
            return uploaded_name(file), cast(IO[bytes], file.file)
        return PASTED_NAME, BytesIO(self.cleaned_data["text"].encode("utf-8", "replace"))


def initial_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return the initial values of a form for stored choices."""
    return {**options, "skips_near": options.get("dedup_policy") == DedupPolicy.SKIP_IF_NEAR}
