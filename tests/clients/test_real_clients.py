"""Real clients as their users run them: they know the URL, open a browser, and keep their tokens."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tests.clients.driven import DRIVEN, Client, ClientExited, Driver
from tests.clients.short_lived_tokens import ACCESS_TOKEN_LIFETIME_SECONDS
from tests.support.live_server import LiveServer

COUNT_TOKENS = """
from oauth2_provider.models import AccessToken
print(AccessToken.objects.filter(application__client_id={client_id!r}).count())
"""
DISCONNECT = """
from oauthserver.connections.connection_changes import disconnect
from oauthserver.models import Connection
disconnect(Connection.objects.get(application__client_id={client_id!r}))
"""

every_client = pytest.mark.parametrize("driver", DRIVEN, ids=lambda driver: driver.name)


def client_of(driver: Driver, server: LiveServer, home: Path) -> Client:
    if not driver.is_installed:
        pytest.skip(f"{driver.name} is not installed: run `make clients`")
    home.mkdir(exist_ok=True)
    return Client(driver, f"{server.url}/mcp", server.login, home)


@every_client
def test_a_client_that_knows_only_the_url_uses_tools_and_stays_connected(
    driver: Driver, server: LiveServer, tmp_path: Path
) -> None:
    client = client_of(driver, server, tmp_path)
    with client.run() as session:
        assert {"remember", "recall"} <= set(session.tools)
        fact = f"My favourite program is {driver.name}"
        memory_id = session.call("remember", text=fact)["memory_id"]
    with client.run() as session:
        assert session.call("recall", query=fact)["matches"][0]["id"] == memory_id
    assert len(client.visits) == 1


@every_client
def test_a_client_renews_an_access_token_that_ran_out_without_the_owner(
    driver: Driver, short_lived_server: LiveServer, tmp_path: Path
) -> None:
    client = client_of(driver, short_lived_server, tmp_path)
    with client.run() as session:
        assert session.call("recall", query="before")["query"] == "before"
        time.sleep(ACCESS_TOKEN_LIFETIME_SECONDS)
        assert session.call("recall", query="after")["query"] == "after"
    assert len(client.visits) == 1


@every_client
def test_a_client_that_is_denied_says_so_and_gets_no_token(driver: Driver, server: LiveServer, tmp_path: Path) -> None:
    client = client_of(driver, server, tmp_path)
    with pytest.raises(ClientExited) as refusal, client.run("deny"):
        pass
    assert re.search("denied", str(refusal.value), re.IGNORECASE)
    (visit,) = client.visits
    assert visit["answered"]["error"] == "access_denied"
    assert int(server.run(COUNT_TOKENS.format(client_id=visit["asked"]["client_id"]))) == 0


@every_client
def test_a_client_that_was_cut_off_asks_again(driver: Driver, server: LiveServer, tmp_path: Path) -> None:
    client = client_of(driver, server, tmp_path)
    with client.run() as session:
        assert session.call("recall", query="before")["query"] == "before"
    server.run(DISCONNECT.format(client_id=client.visits[0]["asked"]["client_id"]))
    with client.run() as session:
        assert session.call("recall", query="after")["query"] == "after"
    assert len(client.visits) == 2


@pytest.mark.parametrize(
    ("teller", "asker"), [*zip(DRIVEN[::2], DRIVEN[1::2], strict=True)], ids=lambda driver: driver.name
)
def test_a_client_knows_what_another_one_was_told(
    teller: Driver, asker: Driver, server: LiveServer, tmp_path: Path
) -> None:
    fact = f"I asked {asker.name} for a recipe with plums"
    with client_of(teller, server, tmp_path / "teller").run() as session:
        assert session.call("remember", text=fact)["ok"] is True
    with client_of(asker, server, tmp_path / "asker").run() as session:
        assert session.call("recall", query=fact)["matches"][0]["text"] == fact
