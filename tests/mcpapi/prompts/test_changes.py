"""Those who listen hear when a list of prompts changes."""

from __future__ import annotations

import pytest

from mcpapi.models import OwnPrompt
from mcpapi.prompts.changes import CHANNEL, user_in
from tests.factories import make_user
from tests.notifications import listening


@pytest.mark.django_db(transaction=True)
def test_whoever_listens_hears_whose_prompts_changed() -> None:
    owner = make_user()
    with listening(CHANNEL) as heard:
        prompt = OwnPrompt.objects.create(owner=owner, name="letter", messages=[{"role": "user", "text": "Write."}])
        assert [user_in(payload) for payload in heard()] == [owner.pk]
        prompt.title = "A letter"
        prompt.save()
        assert [user_in(payload) for payload in heard()] == [owner.pk]
        prompt.delete()
        assert [user_in(payload) for payload in heard()] == [owner.pk]
