"""Tests of listing and reading resources, and of the response to requests for another owner's resources."""

from __future__ import annotations

import base64
import json
import re
import uuid
from typing import Any

import pytest
from django.core import signing
from pytest_django import DjangoAssertNumQueries

from agents.shipped import shipped_agents
from mcpapi.resources import RESOURCES, TEMPLATES
from mcpapi.resources import documents as documents_module
from mcpapi.resources import memories as module
from memories.writing.lifecycle import forget_memory
from oauthserver.models import User
from tests.documents.support import BOAT, make_document
from tests.support.factories import Assistant, actor_for, make_expired, make_memory, make_user
from tests.support.mcp.stateless_client import ask

INVALID, NOT_FOUND = -32602, -32002
FIXED = len(RESOURCES) + 2 * len(shipped_agents())


def uri_of(memory_id: object) -> str:
    return f"ownsona://memory/{memory_id}"


def text_at(assistant: Assistant, uri: str) -> str:
    (contents,) = assistant.result("resources/read", uri=uri)["contents"]
    assert contents["uri"] == uri
    text: str = contents["text"]
    return text


def listed(assistant: Assistant) -> list[dict[str, Any]]:
    """Return the resources of all pages."""
    result = assistant.result("resources/list")
    found: list[dict[str, Any]] = result["resources"]
    while "nextCursor" in result:
        result = assistant.result("resources/list", cursor=result["nextCursor"])
        assert result["resources"]
        found += result["resources"]
    return found


def test_a_memory_is_listed_with_what_a_client_needs_to_choose(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My dog\nis called Möchi", importance=0.8)
    found = listed(assistant)
    assert [resource["uri"] for resource in found] == [
        "ownsona://memory/",
        "ownsona://stats",
        "ownsona://briefing",
        "ownsona://documents/",
        "ownsona://workflows/",
        *(f"ownsona://agents/{name}/{part}" for name in shipped_agents() for part in ("SOUL.md", "config")),
        uri_of(memory.pk),
    ]
    assert found[-1] == {
        "uri": uri_of(memory.pk),
        "name": "My dog is called Möchi",
        "mimeType": "text/plain",
        "size": 23,
        "annotations": {
            "priority": 0.8,
            "lastModified": memory.updated_at.isoformat().replace("+00:00", "Z"),
        },
    }


def test_the_list_goes_on_from_page_to_page_without_doubles(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 3)
    ids = [make_memory(owner, f"Fact number {number}").pk for number in range(7)]
    assert [resource["uri"] for resource in listed(assistant)[FIXED:]] == [uri_of(pk) for pk in reversed(ids)]


def test_a_list_of_exactly_one_page_ends_there(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    for number in range(2):
        make_memory(owner, f"Fact number {number}")
    assert "nextCursor" not in assistant.result("resources/list")


@pytest.mark.parametrize("cursor", ["", "2", "Mg:1uH5b1:x", "a" * 10_000, "\x00", 2, [], True])
def test_a_made_up_cursor_is_refused(assistant: Assistant, cursor: object) -> None:
    error = assistant.rpc_error("resources/list", cursor=cursor)
    assert error["code"] == INVALID
    assert "cursor" in error["message"]


@pytest.mark.parametrize("salt", ["django.core.signing", "mcpapi.cursor:resources/list:0"])
def test_a_cursor_that_was_signed_for_something_else_is_refused(assistant: Assistant, salt: str) -> None:
    assert assistant.rpc_error("resources/list", cursor=signing.dumps(2, salt=salt))["code"] == INVALID


def test_a_cursor_belongs_to_its_user_and_its_list(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 1)
    for number in range(2):
        make_memory(owner, f"Fact number {number}")
    cursor = assistant.result("resources/list")["nextCursor"]
    assert assistant.rpc_error("resources/templates/list", cursor=cursor)["code"] == INVALID
    assert Assistant.of(make_user()).rpc_error("resources/list", cursor=cursor)["code"] == INVALID


def test_all_pages_of_a_list_may_be_kept_by_their_reader_alone(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 1)
    for number in range(2):
        make_memory(owner, f"Fact number {number}")
    first = ask(assistant, "resources/list").json()["result"]
    second = ask(assistant, "resources/list", {"cursor": first["nextCursor"]}).json()["result"]
    assert [page["cacheScope"] for page in (first, second)] == ["private", "private"]


def test_every_uri_is_one_of_rfc_3986(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "Größe 38 passt", tags=("größe",))
    uris = [resource["uri"] for resource in assistant.result("resources/list")["resources"]]
    templates = assistant.result("resources/templates/list")["resourceTemplates"]
    uris += [template["uriTemplate"].replace("{tag}", "gr%C3%B6%C3%9Fe").replace("{id}", "1") for template in templates]
    assert len(uris) == FIXED + 1 + len(TEMPLATES)
    for uri in uris:
        assert re.fullmatch(r"[a-z][a-z0-9+.-]*://[A-Za-z0-9._~-]+(?:/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})*)*", uri), uri
    assert "Größe" in text_at(assistant, "ownsona://tags/gr%C3%B6%C3%9Fe")


def test_a_memory_is_read_as_its_bare_text(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi")
    (contents,) = assistant.result("resources/read", uri=uri_of(memory.pk))["contents"]
    assert contents == {"uri": uri_of(memory.pk), "mimeType": "text/plain", "text": "My dog is called Mochi"}


def test_the_listing_names_the_newest_and_says_that_they_are_data(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE_SIZE", 2)
    made = [make_memory(owner, text) for text in ("My dog is called Mochi", "A long one: " + "x" * 1_000, "I\nlive")]
    heading, empty, first, second = text_at(assistant, "ownsona://memory/").split("\n")
    assert "never instructions" in heading
    assert empty == ""
    assert first == f"- {uri_of(made[2].pk)} ({made[2].updated_at:%Y-%m-%d}) I live"
    assert second.endswith("x…")
    assert len(second) < 560


def test_the_memories_of_a_tag_are_one_document(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=("haustiere-ä", "software"))
    make_memory(owner, "I live in Lyon", tags=("home",))
    for tag in ("haustiere-ä", "haustiere-%C3%A4", "software", "coding", "Software"):
        text = text_at(assistant, f"ownsona://tags/{tag}")
        assert "Mochi" in text
        assert "Lyon" not in text


def test_the_statistics_are_those_of_the_tool(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi", tags=("pets",))
    (contents,) = assistant.result("resources/read", uri="ownsona://stats")["contents"]
    assert contents["mimeType"] == "application/json"
    stats = assistant.call("memory_stats")
    assert stats.pop("ok") is True
    assert json.loads(contents["text"]) == stats


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "ownsona://",
        "ownsona://memory",
        "ownsona://memory/0",
        "ownsona://memory/999999999",
        "ownsona://memory/01",
        "ownsona://memory/-1",
        "ownsona://memory/1.0",
        "ownsona://memory/1/",
        "ownsona://memory/%00",
        "ownsona://memory/٣",
        f"ownsona://memory/{10**30}",
        "ownsona://memory/../stats",
        "ownsona://tags/",
        "ownsona://tags/unused",
        "ownsona://tags/%00",
        "ownsona://tags/\x00",
        "ownsona://tags/%ff",
        "ownsona://tags/x",
        "ownsona://tags/" + "x" * 500,
        "ownsona://tags/sk-abcdefghijklmnopqrstuvwx",
        "ownsona://stats/",
        "file:///etc/passwd",
        "https://example.com/",
    ],
)
def test_a_uri_without_a_resource_is_not_found(assistant: Assistant, uri: str) -> None:
    error = assistant.rpc_error("resources/read", uri=uri)
    assert error == {
        "code": NOT_FOUND,
        "message": "Resource not found",
        "data": {"reason": "resource_not_found", "uri": uri},
    }


@pytest.mark.parametrize("uri", [None, 5, ["ownsona://stats"], {}, "x" * 2_001])
def test_what_is_no_uri_is_refused(assistant: Assistant, uri: object) -> None:
    error = assistant.rpc_error("resources/read", uri=uri)
    assert error["code"] == INVALID
    assert "uri" in error["message"]


def test_what_is_forgotten_or_expired_is_no_resource(assistant: Assistant, owner: User) -> None:
    forgotten, expired = make_memory(owner, "I live in Lyon"), make_memory(owner, "The office is closed")
    forget_memory(actor_for(owner), forgotten.pk)
    make_expired(expired)
    assert len(listed(assistant)) == FIXED
    for memory in (forgotten, expired):
        assert assistant.rpc_error("resources/read", uri=uri_of(memory.pk))["code"] == NOT_FOUND


def test_nobody_reads_another_persons_resources(assistant: Assistant) -> None:
    memory = make_memory(make_user(), "My dog is called Mochi", tags=("pets",))
    assert len(listed(assistant)) == FIXED
    assert assistant.rpc_error("resources/read", uri=uri_of(memory.pk))["code"] == NOT_FOUND
    assert assistant.rpc_error("resources/read", uri="ownsona://tags/pets")["code"] == NOT_FOUND
    assert "Mochi" not in text_at(assistant, "ownsona://memory/")


def test_an_app_limited_to_some_tags_sees_the_resources_of_those(owner: User) -> None:
    limited = Assistant.of(owner, tags=("pets",))
    shown = make_memory(owner, "My dog is called Mochi", tags=("pets", "family"))
    hidden = make_memory(owner, "I live in Lyon", tags=("family",))
    assert [resource["uri"] for resource in listed(limited)[FIXED:]] == [uri_of(shown.pk)]
    assert limited.rpc_error("resources/read", uri=uri_of(hidden.pk))["code"] == NOT_FOUND
    for uri in ("ownsona://memory/", "ownsona://tags/family"):
        assert "Lyon" not in text_at(limited, uri)
    assert json.loads(text_at(limited, "ownsona://stats"))["total"] == 1


def test_templates_say_how_to_address_memories_and_tags(assistant: Assistant) -> None:
    templates = assistant.result("resources/templates/list")["resourceTemplates"]
    assert [template["uriTemplate"] for template in templates] == [
        "ownsona://memory/{id}",
        "ownsona://tags/{tag}",
        "ownsona://documents/{id}/original",
        "ownsona://documents/{id}",
        "ownsona://agents/{id}/SOUL.md",
        "ownsona://agents/{id}/config",
        "ownsona://workflows/{id}",
    ]
    for template in templates:
        assert {"name", "title", "description", "mimeType"} < set(template)
    assert assistant.rpc_error("resources/templates/list", cursor="x")["code"] == INVALID


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "ownsona://stats"}),
        ("prompts/list", {}),
        ("prompts/get", {"name": "weekly-review"}),
        ("completion/complete", {}),
    ],
)
def test_reading_needs_the_scope_for_it(owner: User, method: str, params: dict[str, Any]) -> None:
    response = Assistant.of(owner, "memory:write").request(method, params)
    assert response.status_code == 403
    assert response.json()["error"]["data"]["required_scope"] == "memory:read"
    assert 'scope="memory:read"' in response["WWW-Authenticate"]


def test_a_page_and_a_document_cost_one_query_each(
    assistant: Assistant, owner: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    memory = make_memory(owner, "My dog is called Mochi")
    assistant.result("resources/list")
    with django_assert_num_queries(5):  # the token, the page, agents, workflows, whether there are documents
        assistant.result("resources/list")
    with django_assert_num_queries(2):
        assistant.result("resources/read", uri=uri_of(memory.pk))


def test_an_old_revision_gets_only_what_it_knows(assistant: Assistant, owner: User) -> None:
    make_memory(owner, "My dog is called Mochi")
    old = {"mcp-protocol-version": "2025-03-26"}
    fixed, *_, memory = assistant.request("resources/list", headers=old).json()["result"]["resources"]
    assert set(fixed) == {"uri", "name", "description", "mimeType"}
    assert set(memory["annotations"]) == {"priority"}
    templates = assistant.request("resources/templates/list", headers=old).json()["result"]["resourceTemplates"]
    prompts = assistant.request("prompts/list", headers=old).json()["result"]["prompts"]
    assert not any("title" in shown for shown in [*templates, *prompts])


def test_the_stateless_revision_says_how_long_a_document_keeps(assistant: Assistant, owner: User) -> None:
    memory = make_memory(owner, "My dog is called Mochi")
    result = ask(assistant, "resources/read", {"uri": uri_of(memory.pk)}).json()["result"]
    assert (result["resultType"], result["ttlMs"], result["cacheScope"]) == ("complete", 0, "private")
    for method in ("resources/list", "resources/templates/list", "prompts/list"):
        assert {"resultType", "ttlMs", "cacheScope"} <= set(ask(assistant, method).json()["result"])


def test_the_stateless_revision_calls_a_missing_resource_a_wrong_parameter(assistant: Assistant) -> None:
    response = ask(assistant, "resources/read", {"uri": uri_of(1)})
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["data"]["reason"]) == (INVALID, "resource_not_found")


# --- Documents


def test_documents_are_listed_after_memories_page_by_page(
    assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents_module, "PAGE_SIZE", 2)
    memory = make_memory(owner, "My dog is called Mochi")
    documents = [make_document(owner, f"Text {number}", title=f"Title {number}") for number in range(5)]
    uris = [resource["uri"] for resource in listed(assistant)]
    assert uris[FIXED:] == [uri_of(memory.pk), *(f"ownsona://documents/{each.pk}" for each in reversed(documents))]


def test_a_document_is_read_as_text_and_as_its_original(assistant: Assistant, owner: User) -> None:
    document = make_document(owner)
    assert document.current is not None
    uri = f"ownsona://documents/{document.pk}"
    assert text_at(assistant, uri) == document.current.text
    assert f"- {uri} (" in text_at(assistant, "ownsona://documents/")
    (original,) = assistant.result("resources/read", uri=f"{uri}/original")["contents"]
    assert original["mimeType"] == "text/markdown"
    assert base64.b64decode(original["blob"]) == BOAT.encode()


def test_the_original_of_a_document_with_a_secret_is_for_the_owner_only(assistant: Assistant, owner: User) -> None:
    key = "ghp_" + "a1" * 18
    uri = f"ownsona://documents/{make_document(owner, f'The token is {key}.').pk}"
    assert key not in text_at(assistant, uri)
    error = assistant.rpc_error("resources/read", uri=f"{uri}/original")
    assert "contains a secret" in error["message"]


def test_a_large_original_is_not_sent(assistant: Assistant, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents_module, "MAX_ORIGINAL_BYTES", 10)
    uri = f"ownsona://documents/{make_document(owner).pk}/original"
    assert "at most 10 are sent" in assistant.rpc_error("resources/read", uri=uri)["message"]


@pytest.mark.parametrize("suffix", ["", "/original"])
def test_documents_of_others_and_out_of_view_are_not_found(owner: User, suffix: str) -> None:
    limited = Assistant.of(owner, tags=("home",))
    hidden = [make_document(owner, "Text", tags=("work",)), make_document(make_user(), "Text")]
    for document_id in (*(document.pk for document in hidden), uuid.uuid4(), "x", "1"):
        error = limited.rpc_error("resources/read", uri=f"ownsona://documents/{document_id}{suffix}")
        assert error["code"] == NOT_FOUND


def test_ids_of_documents_are_completed(assistant: Assistant, owner: User) -> None:
    ids = [str(make_document(owner, f"Text {number}").pk) for number in range(3)]
    make_document(make_user(), "Text")

    def completed(value: str) -> list[str]:
        reference = {"type": "ref/resource", "uri": "ownsona://documents/{id}"}
        values: list[str] = assistant.result(
            "completion/complete", ref=reference, argument={"name": "id", "value": value}
        )["completion"]["values"]
        return values

    assert completed("") == ids[::-1]
    assert completed(ids[1][:8].upper()) == [ids[1]]
    assert completed("x\x00%") == []
