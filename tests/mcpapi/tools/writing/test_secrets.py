"""Tests that a secret in a sentence is refused by every tool that stores a text, and leaves no trace."""

from __future__ import annotations

from typing import Any

import pytest

from mcpapi.models import AuditLine
from mcpapi.observability.audit import HIDDEN_QUERY, audit_lines
from memories.models import JournalEntry, Memory
from oauthserver.models import User
from tests.support.factories import Assistant, make_memory

SENTENCES = {
    "The alarm code at home is 4711": ("4711", "an alarm or door code"),
    "Meine PIN lautet 8823.": ("8823", "a PIN"),
    "le mot de passe du wifi est hunter2": ("hunter2", "a password"),
    "Mi cuenta es ES91 2100 0418 4502 0005 1332": ("0418", "a bank account number (IBAN)"),
    "Il mio codice fiscale è RCCMNL83S18D969H": ("RCCMNL", "a national identity number"),
    "My wallet's recovery phrase is tiger lamp ocean drift maple stone": ("ocean", "a recovery code or phrase"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_secret_is_refused_on_every_way_in(assistant: Assistant, owner: User, sentence: str) -> None:
    secret, kind = SENTENCES[sentence]
    memory = make_memory(owner, "I like tea")
    entries = JournalEntry.objects.count()

    def check(error: dict[str, Any]) -> None:
        assert error["code"] == "SECRET_REJECTED"
        assert kind in error["message"]
        assert secret not in error["message"]

    check(assistant.error_of("remember", text=sentence))
    check(assistant.error_of("remember", text="I like coffee", tags=[sentence]))
    check(assistant.error_of("update_memory", id=memory.pk, text=sentence))
    check(assistant.error_of("forget", id=memory.pk, reason=sentence))
    (result,) = assistant.call("remember_batch", items=[{"text": sentence}])["results"]
    check(result["error"])
    (result,) = assistant.call("update_memory_batch", items=[{"id": memory.pk, "text": sentence}])["results"]
    check(result["error"])

    assert list(Memory.objects.values_list("text", flat=True)) == ["I like tea"]
    assert JournalEntry.objects.count() == entries


def test_a_secret_in_a_question_is_not_kept(assistant: Assistant, settings: Any) -> None:
    settings.AUDIT_QUERIES = True
    assistant.call("recall", query="is 8823 my PIN or is my PIN 8824")
    audit_lines.flush()
    assert list(AuditLine.objects.filter(tool="recall").values_list("query", flat=True)) == [HIDDEN_QUERY]
