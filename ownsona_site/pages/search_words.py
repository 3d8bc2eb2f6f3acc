"""Other words by which the command palette finds a page than its title."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.translation import gettext, gettext_noop

_WORDS: Mapping[str, str] = {
    "admin:memories_memory_changelist": gettext_noop("facts notes search trash forgotten deleted bin pinned"),
    "admin:memories_memory_timeline": gettext_noop("calendar days chronological"),
    "map": gettext_noop("graph clusters topics visualization"),
    "ask": gettext_noop("question query test search briefing"),
    "admin:memories_pastrecall_changelist": gettext_noop("queries questions search history"),
    "tags": gettext_noop("labels categories rename merge"),
    "admin:memories_journalentry_changelist": gettext_noop("history log changes undo revert"),
    "inbox": gettext_noop("inferred conclusions waiting quarantine"),
    "admin:mcpapi_approval_changelist": gettext_noop("permission confirm requests"),
    "cleanup": gettext_noop("duplicates contradictions tidy up outdated plans"),
    "admin:documents_document_changelist": gettext_noop("files upload pdf"),
    "admin:documents_source_changelist": gettext_noop("folder git repository website bucket sync feed"),
    "admin:oauthserver_connection_changelist": gettext_noop("connect disconnect permissions access clients address"),
    "admin:oauthserver_personaltoken_changelist": gettext_noop("api key bearer script token"),
    "admin:oauthserver_budget_changelist": gettext_noop("limits quota cost usage"),
    "workflows": gettext_noop("procedures steps runs"),
    "custom_tools": gettext_noop("lua scripts http functions"),
    "admin:mcpapi_auditline_changelist": gettext_noop("log audit calls requests"),
    "admin:mcpapi_session_changelist": gettext_noop("connections programs"),
    "admin:oauthserver_application_changelist": gettext_noop("clients oauth"),
    "admin:account": gettext_noop("password language theme dark light appearance log out bookmarklet"),
    "admin:two_step_login": gettext_noop("2fa mfa totp authenticator security codes"),
    "kept_secrets": gettext_noop("passwords pin codes hidden values privacy"),
    "import": gettext_noop("upload chatgpt claude archive restore"),
    "admin:memories_tagsynonym_changelist": gettext_noop("labels aliases spelling"),
    "admin:mcpapi_ownprompt_changelist": gettext_noop("templates instructions"),
    "models": gettext_noop("embeddings download vectors"),
    "backups": gettext_noop("backup export download archive restore save"),
    "admin:procrastinate_procrastinatejob_changelist": gettext_noop("background tasks queue"),
    "admin:connection_check": gettext_noop("problems troubleshooting diagnosis doctor proxy"),
}
"""By the name of a page's URL: words in small letters, separated by blanks."""


def search_words(view_name: str) -> str:
    """Return the words of a page in the language of the page, and in English."""
    words = _WORDS.get(view_name, "")
    return f"{words} {gettext(words)}" if words else ""
