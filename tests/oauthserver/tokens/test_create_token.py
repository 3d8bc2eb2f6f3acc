"""Tests of `manage.py create_token`."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from oauthserver.models import PersonalToken, User
from oauthserver.tokens.access_tokens import token_checksum
from tests.support.factories import Assistant, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("owner", is_superuser=True)


def create(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("create_token", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_token_is_printed_alone_and_kept_as_a_checksum(owner: User) -> None:
    out, err = create("backup script")
    value = out.removesuffix("\n")
    token = PersonalToken.objects.get()
    assert token.token_sha256 == token_checksum(value)
    assert (token.name, token.user_id, token.scopes, token.tags) == ("backup script", owner.pk, ["memory:read"], [])
    assert token.expires_at is not None
    assert timedelta(days=89) < token.expires_at - timezone.now() <= timedelta(days=90)
    assert "not shown again" in err
    assert value not in err
    assert Assistant(value).call("count_memories")["count"] == 0


def test_scopes_tags_and_lifetime_can_be_chosen(owner: User) -> None:
    create("all", "--scopes", "write,memory:read", "--tags", "Work, home", "--days", "0")
    token = PersonalToken.objects.get()
    assert (token.scopes, token.tags, token.expires_at) == (["memory:read", "memory:write"], ["work", "home"], None)


def test_a_name_that_another_token_has_is_refused(owner: User) -> None:
    create("backup")
    with pytest.raises(CommandError, match=r"NAME: Another of your tokens has this name"):
        create("backup")
    assert PersonalToken.objects.count() == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["x", "--scopes", "everything"], "--scopes: must be some of read, write, admin"),
        (["x", "--scopes", ""], "--scopes: must be some of"),
        (["x", "--days", "17"], "--days: "),
        (["x", "--tags", "?"], "--tags: A tag must have"),
        ([""], "NAME: "),
        (["n" * 101], "NAME: "),
        (["x", "--user", "nobody"], "There is no user 'nobody'"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_created(owner: User, arguments: list[str], problem: str) -> None:
    with pytest.raises(CommandError, match=problem):
        create(*arguments)
    assert not PersonalToken.objects.exists()


def test_the_owner_must_be_clear(owner: User) -> None:
    other = make_user("other")
    create("theirs", "--user", "other")
    assert PersonalToken.objects.get().user_id == other.pk
    other.is_superuser = True
    other.save()
    with pytest.raises(CommandError, match="several superusers"):
        create("unclear")
    User.objects.update(is_superuser=False)
    with pytest.raises(CommandError, match="no superuser"):
        create("unclear")
