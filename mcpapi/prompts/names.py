"""Names in the list of prompts, which shipped prompts, the owner's prompts, agents and workflows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.translation import gettext_noop

from agents.selectors import has_agent
from mcpapi.models import OwnPrompt
from mcpapi.prompts.shipped import SHIPPED
from workflows.selectors import has_workflow

OWN_PROMPT, AGENT, WORKFLOW = gettext_noop("a prompt of your own"), gettext_noop("an agent"), gettext_noop("a workflow")

_HOLDERS: Mapping[str, Callable[[int, str], bool]] = {
    gettext_noop("a built-in prompt"): lambda owner_id, name: name in {prompt.name for prompt in SHIPPED},
    OWN_PROMPT: lambda owner_id, name: OwnPrompt.objects.filter(owner_id=owner_id, name=name).exists(),
    AGENT: has_agent,
    WORKFLOW: has_workflow,
}
"""By kind: whether an owner has one of a name."""


def other_with_name(owner_id: int, name: str, kind: str) -> str | None:
    """Return what else than `kind` has the name in the owner's list of prompts; None if the name is free."""
    return next((other for other, holds in _HOLDERS.items() if other != kind and holds(owner_id, name)), None)
