"""Tests of the notifications that the permissions of an app, a script or an external identity have changed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from common.scopes import READ
from oauthserver.connections.usage import pending_uses, record_use
from oauthserver.models import Connection, ExternalIdentity, Permission, PersonalToken, User
from oauthserver.resource_server.principal import PERMISSION_CHANNEL
from tests.support.factories import make_access_token, make_user
from tests.support.notifications import listening


def make_connection(user: User) -> Permission:
    make_access_token(user)
    return Connection.objects.get(user=user)


def make_personal_token(user: User) -> Permission:
    return PersonalToken.objects.create(user=user, name="script", token_sha256="0" * 64)


def make_identity(user: User) -> Permission:
    return ExternalIdentity.objects.create(user=user, issuer="https://issuer.example", subject="alice")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("make", [make_connection, make_personal_token, make_identity])
def test_each_change_of_what_is_allowed_is_published_and_no_use_of_it(make: Callable[[User], Permission]) -> None:
    permission = make(make_user())
    name = f"{permission._meta.model_name}:{permission.pk}"
    changes = {
        "scopes": [READ],
        "tags": ["work"],
        "tools": ["recall"],
        "profile": Permission.Profile.CORE,
        "paused_at": timezone.now(),
    }
    with listening(PERMISSION_CHANNEL) as heard:
        for field, value in changes.items():
            setattr(permission, field, value)
            permission.save()
            assert heard() == [name], field
        permission.save()
        record_use((type(permission), permission.pk), reads=1)
        pending_uses.flush()
        assert heard() == []
        permission.delete()
        assert heard() == [name]
