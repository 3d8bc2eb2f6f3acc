"""Tests of the notifications that a list of prompts has changed."""

from __future__ import annotations

import pytest

from mcpapi.models import OwnPrompt
from mcpapi.prompts.own import PROMPT_CHANNEL
from tests.support.factories import make_user
from tests.support.notifications import listening


@pytest.mark.django_db(transaction=True)
def test_whoever_listens_hears_whose_prompts_changed() -> None:
    owner = make_user()
    with listening(PROMPT_CHANNEL) as heard:
        prompt = OwnPrompt.objects.create(owner=owner, name="letter", messages=[{"role": "user", "text": "Write."}])
        assert [int(payload) for payload in heard()] == [owner.pk]
        prompt.title = "A letter"
        prompt.save()
        assert [int(payload) for payload in heard()] == [owner.pk]
        prompt.delete()
        assert [int(payload) for payload in heard()] == [owner.pk]
