"""Forms for agents: field by field, and as a TOML file."""

from __future__ import annotations

from typing import Any

import orjson
from django import forms
from django.utils.translation import gettext_lazy as _

from agents.argument_lines import HELP, format_argument_lines, parse_argument_lines
from agents.definitions import MAX_NAME_CHARS, ROLE_LINE, AgentDefinition, check_name, read_definition
from agents.file_content import InvalidFile
from agents.toml_files import parse_file
from common.pages.widgets import CodeInput
from common.slugs import slug_of
from common.texts import translatable
from memories.admin.errors import add_domain_error
from memories.errors import InvalidInput, MemoriesError


def _text(
    help_text: Any, rows: int = 0, *, required: bool = False, label: Any = None, widget: forms.Widget | None = None
) -> forms.CharField:
    widget = widget or (CodeInput({"rows": rows}) if rows else forms.TextInput())
    return forms.CharField(required=required, widget=widget, help_text=help_text, strip=True, label=label)


class AgentForm(forms.Form):
    """An agent as it is typed. `definition` is set if the form is valid."""

    title = _text(_("The name that your apps show, such as Travel planner. If empty, the short name."), label=_("Name"))
    description = _text(
        _("What it is for, in one sentence. Your apps show it, too."), required=True, label=_("Purpose")
    )
    soul = _text(
        _(
            "Who it is and how it works, as you would tell a new colleague: what to do first, what to avoid, how to "
            "answer."
        ),
        required=True,
        label=_("Personality"),
        widget=forms.Textarea({"rows": 14}),
    )
    arguments = _text(HELP, 4, label=_("What it asks you for"))
    messages = _text(
        _(
            "What you say first when you choose it. {topic} stands for a value from above, {memories:topic} for your "
            "memories about it, {own_memories:topic} for those that the agent has kept, {documents:topic} for passages "
            "of your documents, {document:topic} for a whole document, and {today} for the date. The personality can "
            "contain them, too. For several messages, write a line [user], [assistant] or [system] above each."
        ),
        label=_("How a conversation begins"),
        widget=forms.Textarea({"rows": 10}),
    )
    tools = _text(
        _(
            "Names of tools, separated by commas, such as recall, remember. An app uses only those that you have "
            "allowed it."
        ),
        2,
        label=_("Tools that it uses"),
    )
    config = _text(
        _("Settings that programs get with the agent, as a JSON object. OwnSona itself does not use them."),
        4,
        label=_("Settings for programs"),
    )
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    definition: AgentDefinition
    more_names = ("arguments", "messages", "tools", "config")
    """The fields that many agents do not need."""

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that are always shown."""
        return [field for field in self if field.name not in self.more_names]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """The fields that are shown on demand."""
        return [self[name] for name in self.more_names]

    @property
    def is_more_open(self) -> bool:
        """Whether these fields are shown at once: one of them is filled, or something was not accepted."""
        return self.is_bound or any(field.value() for field in self.more_fields)

    @classmethod
    def initial_of(cls, definition: AgentDefinition) -> dict[str, Any]:
        """Return the fields of a definition, as they are typed."""
        config = orjson.dumps(dict(definition.config), option=orjson.OPT_INDENT_2).decode() if definition.config else ""
        return {
            "title": definition.title,
            "description": definition.description,
            "soul": definition.soul,
            "tools": ", ".join(definition.tools),
            "arguments": format_argument_lines(definition.arguments),
            "messages": "\n\n".join(f"[{message.role}]\n{message.content}" for message in definition.messages),
            "config": config,
        }

    def clean(self) -> dict[str, Any]:
        """Read the definition. Its errors become those of the fields."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors.keys() - {"name"}:
            try:
                self.definition = _read(cleaned)
            except MemoriesError as error:
                add_domain_error(self, error)
        return cleaned


def _read(cleaned: dict[str, Any]) -> AgentDefinition:
    return read_definition(
        {
            "title": cleaned["title"],
            "description": cleaned["description"],
            "soul": cleaned["soul"],
            "tools": cleaned["tools"].replace(",", " ").split(),
            "arguments": [argument.as_data() for argument in parse_argument_lines(cleaned["arguments"])],
            "messages": _parse_messages(cleaned["messages"]),
            "config": _parse_config(cleaned["config"]),
        }
    )


def _parse_messages(typed: str) -> list[dict[str, str]]:
    first, *rest = ROLE_LINE.split(typed.replace("\r\n", "\n"))
    pairs = [("user", first), *zip(rest[::2], rest[1::2], strict=True)]
    return [{"role": role, "content": text.strip()} for role, text in pairs if text.strip()]


def _parse_config(typed: str) -> Any:
    if not typed:
        return {}
    try:
        return orjson.loads(typed)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(
            translatable("is not JSON: line %(line)s, column %(column)s.", line=error.lineno, column=error.colno),
            argument="config",
        ) from None


def _name_field(help_text: Any, *, required: bool) -> forms.CharField:
    return forms.CharField(
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput(),
        label=_("Short name"),
        help_text=help_text,
        required=required,
    )


class NewAgentForm(AgentForm):
    """The form for a new agent, which also has a short name."""

    title = _text(_("The name that your apps show, such as Travel planner."), label=_("Name"))
    name = _name_field(
        _(
            "The name after “/” in some apps, and in programs, such as travel-planner. Leave it empty to make it from "
            "the name. It cannot be changed later."
        ),
        required=False,
    )
    field_order = ("title", "name")

    def clean_name(self) -> str:
        """Check the short name, by default the name in small letters, here: its problem is shown with other ones."""
        name = self.cleaned_data["name"] or slug_of(self.cleaned_data.get("title", ""))[:MAX_NAME_CHARS].strip("-_")
        if not name:
            raise forms.ValidationError(_("Enter a short name: it cannot be made from the name."))
        try:
            return check_name(name.replace("_", "-"))
        except InvalidInput as error:
            raise forms.ValidationError(error.problem[:1].upper() + error.problem[1:]) from None


class TomlForm(forms.Form):
    """A new agent as the content of a TOML file. `definition` and `is_enabled` are set if the form is valid."""

    name = _name_field(
        _(
            "The name after “/” in some apps, and in programs: lower-case letters, digits and hyphens, such as "
            "travel-planner. It cannot be changed later."
        ),
        required=True,
    )
    content = _text(
        _("The text of a file that the page of an agent offers for download. Its format is TOML."),
        20,
        required=True,
        label=_("Content of the file"),
    )

    definition: AgentDefinition
    is_enabled: bool

    def clean(self) -> dict[str, Any]:
        """Read the file. Its error names the line."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                agent = parse_file(f"{cleaned['name']}.toml", cleaned["content"].encode("utf-8", "surrogatepass"))
                self.definition, self.is_enabled = agent.definition, agent.is_enabled
            except InvalidFile as error:
                place = "" if error.line is None else _("Line {line}: ").format(line=error.line)
                self.add_error("content", f"{place}{error.problem}")
        return cleaned
