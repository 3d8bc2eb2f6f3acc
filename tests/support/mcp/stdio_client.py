"""A client and the server that it has started, in one process."""

from __future__ import annotations

import os
import threading
from io import BufferedReader, FileIO
from typing import Any

from django.db import connection

from mcpapi.stdio.server import StdioServer
from oauthserver.connections.scopes import MEMORY_SCOPES
from oauthserver.models import User
from oauthserver.resource_server.principal import Principal
from tests.support.line_client import LIMIT_SECONDS, MODERN_META, LineClient


class StdioClient(LineClient):
    """A client and the server that it has started, in this process."""

    def __init__(self, principal: Principal) -> None:
        server_reads, client_writes = os.pipe()
        client_reads, server_writes = os.pipe()
        super().__init__(client_writes, client_reads)
        self.left = threading.Event()
        self._streams = BufferedReader(FileIO(server_reads)), FileIO(server_writes, "wb")
        self._server = threading.Thread(target=self._run, args=[principal], daemon=True)
        self._server.start()
        self._hung_up = False

    def _run(self, principal: Principal) -> None:
        stdin, stdout = self._streams
        try:
            with stdin, stdout:
                StdioServer(principal, stdout, self.left.set).run(stdin)
        finally:
            connection.close()

    def hang_up(self) -> None:
        """Close this end, and wait until the server has finished."""
        if not self._hung_up:
            self._hung_up = True
            super().hang_up()
            self._server.join(LIMIT_SECONDS)
        assert not self._server.is_alive()

    def request_stateless(self, method: str, **params: Any) -> dict[str, Any]:
        return self.answer_to(method, **params, _meta=MODERN_META)


def principal_for(user: User, *scopes: str, tags: tuple[str, ...] = ()) -> Principal:
    return Principal(
        owner_id=user.pk,
        client_id="stdio",
        client_name="stdio",
        scopes=frozenset(scopes or MEMORY_SCOPES),
        tags=tags,
        tools=(),
        profile="auto",
        quarantine=False,
        permission=None,
    )
