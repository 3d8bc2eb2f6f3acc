"""Tests of the page on which owners write prompts of their own."""

from __future__ import annotations

from html import unescape

import pytest
from django.test import Client

from mcpapi.admin import prompts
from mcpapi.models import OwnPrompt
from oauthserver.models import User
from tests.support.factories import Assistant, make_user

LIST = "/admin/mcpapi/ownprompt/"
TYPED = {
    "name": "letter",
    "title": "A letter",
    "description": "Write a letter.",
    "arguments": "person*: Whom to write to.\r\n\r\n  tone : How: warm or cool. ",
    "messages": "Write to {person}, {tone}.\r\n[assistant] \r\nDear {person},\r\n\r\n[user]\r\nGo on.",
}


def test_what_is_typed_is_a_prompt_for_every_assistant(pages: Client, assistant: Assistant) -> None:
    assert pages.post(f"{LIST}add/", TYPED).status_code == 302
    result = assistant.result("prompts/get", name="letter", arguments={"person": "Ada", "tone": "warm"})
    assert [(message["role"], message["content"]["text"]) for message in result["messages"]] == [
        ("user", "Write to Ada, warm."),
        ("assistant", "Dear Ada,"),
        ("user", "Go on."),
    ]
    assert assistant.result("prompts/list")["prompts"][-1]["arguments"] == [
        {"name": "person", "description": "Whom to write to.", "required": True},
        {"name": "tone", "description": "How: warm or cool.", "required": False},
    ]


def test_the_form_shows_what_was_typed_and_saves_it_again(pages: Client) -> None:
    pages.post(f"{LIST}add/", TYPED)
    prompt = OwnPrompt.objects.get()
    form = pages.get(f"{LIST}{prompt.pk}/change/").context["adminform"].form
    typed = {name: form[name].value() for name in TYPED}
    assert typed["arguments"] == "person*: Whom to write to.\ntone: How: warm or cool."
    assert typed["messages"] == "Write to {person}, {tone}.\n\n[assistant]\nDear {person},\n\n[user]\nGo on."
    pages.post(f"{LIST}{prompt.pk}/change/", {**typed, "title": "Another letter"})
    changed = OwnPrompt.objects.get()
    assert (changed.title, changed.messages, changed.arguments) == ("Another letter", prompt.messages, prompt.arguments)


def test_two_windows_do_not_overwrite_each_other(pages: Client) -> None:
    pages.post(f"{LIST}add/", TYPED)
    url = f"{LIST}{OwnPrompt.objects.get().pk}/change/"
    form = pages.get(url).context["adminform"].form
    typed = {name: form[name].value() for name in (*TYPED, "version")}
    assert pages.post(url, {**typed, "title": "First"}).status_code == 302
    response = pages.post(url, {**typed, "title": "Second"})
    assert "It was changed in another window or deleted since you opened it." in response.text
    assert response.context["adminform"].form["title"].value() == "Second"
    assert OwnPrompt.objects.get().title == "First"


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"name": ""}, "name", "required"),
        ({"name": "A Letter"}, "name", "lower-case"),
        ({"name": "a--b"}, "name", "single hyphens"),
        ({"name": "weekly-review"}, "name", "is a built-in prompt"),
        ({"name": "taken"}, "name", "already"),
        ({"name": "x" * 65}, "name", "at most 64"),
        ({"title": "x" * 101}, "title", "at most 100"),
        ({"arguments": "Person: x", "messages": "x"}, "arguments", "must have the form"),
        ({"arguments": "a: x\na: y", "messages": "{a}"}, "arguments", "name a is used twice"),
        ({"arguments": "\n".join(f"a{i}: x" for i in range(11))}, "arguments", "at most 10"),
        ({"messages": "Write to {person} in {city}, {tone}."}, "messages", "{city} is not one of the values"),
        ({"messages": "Write to {person}."}, "messages", "tone is not used"),
        ({"messages": ""}, "messages", "required"),
        ({"messages": "[assistant]\n"}, "messages", "empty"),
        ({"messages": "[user]\nx\n" * 21, "arguments": ""}, "messages", "at most 20 "),
        ({"messages": "x" * 20_001, "arguments": ""}, "messages", "at most 20,000"),
        ({"messages": "My key is ghp_" + "a1" * 18, "arguments": ""}, "messages", "GitHub token"),
        ({"messages": "a\x00b", "arguments": ""}, "messages", "Null characters"),
    ],
)
def test_a_prompt_that_cannot_work_is_refused_beside_its_field(
    pages: Client, owner: User, change: dict[str, str], field: str, said: str
) -> None:
    OwnPrompt.objects.create(owner=owner, name="taken", messages=[{"role": "user", "text": "x"}])
    response = pages.post(f"{LIST}add/", {**TYPED, **change})
    assert response.status_code == 200
    assert said in " ".join(response.context["adminform"].form.errors[field])
    assert OwnPrompt.objects.count() == 1


def test_what_is_wrong_is_said_in_the_language_of_the_page(pages: Client) -> None:
    headers = {"accept-language": "de"}
    for change, words in (
        (
            {"messages": "Write to {person} in {city}, {tone}."},
            "{city} ist keiner der Werte",
        ),
        ({"messages": "Write to {person}."}, "Der Wert tone wird nicht verwendet."),
        ({"arguments": "Person: x", "messages": "x"}, "„Person: x“ muss die Form „Name: Beschreibung“ haben."),
    ):
        assert words in unescape(pages.post(f"{LIST}add/", {**TYPED, **change}, headers=headers).content.decode())


def test_two_people_can_use_the_same_name(pages: Client) -> None:
    OwnPrompt.objects.create(owner=make_user(), name="letter", messages=[{"role": "user", "text": "x"}])
    assert pages.post(f"{LIST}add/", TYPED).status_code == 302
    assert OwnPrompt.objects.filter(name="letter").count() == 2


def test_there_is_an_end_to_the_number_of_prompts(pages: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MAX_PROMPTS", 1)
    pages.post(f"{LIST}add/", TYPED)
    response = pages.post(f"{LIST}add/", {**TYPED, "name": "second"})
    assert "which is the maximum" in response.context["adminform"].form.errors["name"][0]
    assert OwnPrompt.objects.count() == 1


def test_nobody_sees_or_changes_another_persons_prompt(pages: Client) -> None:
    other = OwnPrompt.objects.create(owner=make_user(), name="letter", messages=[{"role": "user", "text": "x"}])
    assert "letter" not in pages.get(LIST).content.decode()
    for page in ("change", "delete"):
        assert pages.post(f"{LIST}{other.pk}/{page}/", {**TYPED, "post": "yes"}).status_code == 404
    assert OwnPrompt.objects.get().messages == other.messages


def test_a_prompt_can_be_deleted(pages: Client, assistant: Assistant) -> None:
    pages.post(f"{LIST}add/", TYPED)
    pages.post(f"{LIST}{OwnPrompt.objects.get().pk}/delete/", {"post": "yes"})
    assert assistant.rpc_error("prompts/get", name="letter")["code"] == -32602
