"""What the owner knows the clients by that the journal names by their ids."""

from __future__ import annotations

from django.db.models import OuterRef, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce, Concat

from oauthserver.models import Application, PersonalToken
from oauthserver.resource_server.bearer import PERSONAL_CLIENT


def client_name() -> Coalesce:
    """The name of the app or personal token that a row's `client` means; NULL where there is none of that id."""
    app = Application.objects.filter(client_id=OuterRef("client")).values("name")[:1]
    as_client = Concat(Value(PERSONAL_CLIENT), Cast("pk", TextField()), output_field=TextField())
    token = PersonalToken.objects.annotate(as_client=as_client).filter(as_client=OuterRef("client")).values("name")[:1]
    return Coalesce(Subquery(app), Subquery(token))
