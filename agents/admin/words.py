"""Agents in the owner's words: the texts of shipped ones, and what placeholders stand for."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext, gettext_noop

from agents.definitions import AgentDefinition
from agents.models import Agent
from agents.selectors import ResolvedAgent
from agents.templates import DOCUMENT, DOCUMENTS, MEMORIES, OWN_MEMORIES, TODAY
from common.placeholders import Placeholder, fill_placeholders

SHIPPED_TEXTS = (
    gettext_noop("Journal keeper"),
    gettext_noop("Asks about your day and keeps a journal: decisions, people and plans, each as a memory of its own."),
    gettext_noop("How the day was, in a word or two."),
    gettext_noop("Librarian"),
    gettext_noop("Answers questions from your memories and documents, and cites where each statement comes from."),
    gettext_noop("What you want to know."),
    gettext_noop("Tidier"),
    gettext_noop(
        "Tidies up your memories with you: duplicates, outdated facts and missing tags, as proposals that you decide "
        "about."
    ),
    gettext_noop("Only memories about this; by default all of them."),
)
"""Titles and descriptions of the agents in agents/shipped and of their arguments. Apps get the English texts."""

ROLES = {
    "user": gettext_noop("You say"),
    "assistant": gettext_noop("The assistant says"),
    "system": gettext_noop("In the background"),
}

_STANDS_FOR = {
    MEMORIES: gettext_noop("[your memories about %(topic)s]"),
    OWN_MEMORIES: gettext_noop("[memories of this agent about %(topic)s]"),
    DOCUMENTS: gettext_noop("[passages of your documents about %(topic)s]"),
    DOCUMENT: gettext_noop("[the document %(topic)s]"),
}


def shown_definition(agent: ResolvedAgent) -> AgentDefinition:
    """Return the definition with title and descriptions in the language of the page, if the agent is a shipped one.

    Personality and messages stay as they are: they are written for models.
    """
    definition = agent.definition
    if agent.source != Agent.Source.SHIPPED:
        return definition
    arguments = tuple(replace(each, description=_translated(each.description)) for each in definition.arguments)
    return replace(
        definition,
        title=_translated(definition.title),
        description=_translated(definition.description),
        arguments=arguments,
    )


def shown_title(agent: ResolvedAgent) -> str:
    """Return the title of an agent in the language of the page."""
    return shown_definition(agent).title or agent.name


def readable(text: str) -> str:
    """Return a text of an agent in which words stand for its placeholders: `[your memories about topic]`."""
    return fill_placeholders(text, _words)


def _words(placeholder: Placeholder) -> str:
    if placeholder.name in _STANDS_FOR:
        topic = placeholder.literal or placeholder.argument or ""
        return gettext(_STANDS_FOR[placeholder.name]) % {"topic": topic}
    return gettext("[the date]") if placeholder.name == TODAY else f"[{placeholder.name}]"


def _translated(text: str) -> str:
    return gettext(text) if text in SHIPPED_TEXTS else text
