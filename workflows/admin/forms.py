"""The form of a workflow: its JSON."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from agents.definitions import MAX_NAME_CHARS, check_name
from common.pages.widgets import CodeInput
from common.texts import translatable
from memories.errors import MemoriesError
from workflows.definitions import WorkflowDefinition, parse_json, read_definition

EXAMPLE = """{
  "title": "Weekly look-back",
  "description": "Collects what is known about a topic, and notes that it was looked at.",
  "arguments": [{"name": "topic", "description": "What it is about.", "required": true}],
  "steps": [
    {"id": "search", "tool": "recall", "arguments": {"query": "{topic}"}},
    {
      "id": "note",
      "tool": "remember",
      "arguments": {"text": "On {today} I looked back at {topic}."},
      "when": {"value": "{steps.search.matches}", "is_empty": false},
      "expect": {"value": "{result.ok}", "equals": true}
    }
  ]
}"""


class WorkflowForm(forms.Form):
    """A workflow as JSON. `workflow` is set if the form is valid."""

    definition = forms.CharField(
        widget=CodeInput({"rows": 26}),
        help_text=_(
            "JSON of the published schema, /schemas/workflow.json. A step is an instruction, a tool or another "
            "workflow. {name} stands for an argument, {steps.ID.path} for the result of an earlier step, {today} for "
            "the date."
        ),
    )
    version = forms.IntegerField(required=False, widget=forms.HiddenInput)

    workflow: WorkflowDefinition

    def clean(self) -> dict[str, Any]:
        """Read the definition. An error names its place in the JSON."""
        cleaned = super().clean() or self.cleaned_data
        if "definition" in cleaned:
            try:
                self.workflow = read_definition(parse_json(cleaned["definition"]))
            except MemoriesError as error:
                self.add_error("definition", _shown(error))
        return cleaned

    def add_domain_error(self, error: MemoriesError) -> None:
        """Add an error of storing to its field."""
        self.add_error("name" if error.argument == "name" and "name" in self.fields else "definition", _shown(error))


def _shown(error: MemoriesError) -> str:
    """Return the message of an error as a sentence. In a definition, it names the place."""
    match error.argument:
        case "definition":
            return translatable("This %(problem)s", problem=error.problem)
        case "name":
            return translatable("The name %(problem)s", problem=error.problem)
    return str(error)


class NewWorkflowForm(WorkflowForm):
    """The form for a new workflow, which also has a name."""

    name = forms.CharField(
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput(),
        help_text=_("The id in programs: lower-case letters, digits and hyphens. It cannot be changed later."),
    )
    field_order = ("name", "definition")

    def clean_name(self) -> str:
        """Check the name here: what is wrong with it is shown together with what is wrong with the definition."""
        try:
            return check_name(self.cleaned_data["name"])
        except MemoriesError as error:
            raise forms.ValidationError(_shown(error)) from None
