"""Agents in the owner's words: the texts of shipped ones, and what placeholders stand for."""

from __future__ import annotations

from dataclasses import replace

from django.utils.translation import gettext, gettext_noop

from agents.admin.shipped_words import LINES, NAMES
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

LIST_MARK = "- "

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
    """Return the definition with its texts in the language of the page, if the agent is a shipped one.

    Names of arguments and what placeholders stand for stay as they are: see `readable`.
    """
    definition = agent.definition
    if agent.source != Agent.Source.SHIPPED:
        return definition
    arguments = tuple(replace(each, description=_translated(each.description)) for each in definition.arguments)
    return replace(
        definition,
        title=_translated(definition.title),
        description=_translated(definition.description),
        soul=_translated_lines(definition.soul),
        arguments=arguments,
        messages=tuple(replace(each, content=_translated_lines(each.content)) for each in definition.messages),
    )


def shown_title(agent: ResolvedAgent) -> str:
    """Return the title of an agent in the language of the page."""
    return shown_definition(agent).title or agent.name


def shown_argument(agent: ResolvedAgent, name: str) -> str:
    """Return the name of an argument in the language of the page, if the agent is a shipped one."""
    return gettext(name) if agent.source == Agent.Source.SHIPPED and name in NAMES else name


def readable(agent: ResolvedAgent, text: str) -> str:
    """Return a text of an agent in which words stand for its placeholders: `[your memories about topic]`."""

    def words(placeholder: Placeholder) -> str:
        if placeholder.name == TODAY:
            return gettext("[the date]")
        if placeholder.name not in _STANDS_FOR:
            return f"[{shown_argument(agent, placeholder.name)}]"
        topic = shown_argument(agent, placeholder.argument or "")
        return gettext(_STANDS_FOR[placeholder.name]) % {"topic": _translated(placeholder.literal or "") or topic}

    return fill_placeholders(text, words)


def _translated(text: str) -> str:
    return gettext(text) if text in SHIPPED_TEXTS or text in LINES else text


def _translated_lines(text: str) -> str:
    """Return a text with its lines in the language of the page. A list is one of lines that begin with a hyphen."""
    marks = [(LIST_MARK if line.startswith(LIST_MARK) else "", line) for line in text.split("\n")]
    return "\n".join(mark + _translated(line.removeprefix(mark)) for mark, line in marks)
