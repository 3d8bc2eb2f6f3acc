"""Browser program for clients to open: the owner logs in, decides, and is redirected to the client.

    python -m tests.clients.browser URL

The owner's name, password and decision, and the path of the file that gets one line for each visit, are read from the
environment.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import httpx

from tests.clients.owner import OwnerBrowser, parameters

# A client may start to listen only after it has opened the browser.
CLIENT_LIMIT_SECONDS = 20.0
PAUSE_SECONDS = 0.05


def main(url: str) -> None:
    """Visit `url` as the owner."""
    owner = OwnerBrowser(os.environ["OWNER_NAME"], os.environ["OWNER_PASSWORD"])
    back = owner.authorize(url, os.environ["OWNER_DECISION"])
    with Path(os.environ["OWNER_VISITS"]).open("a", encoding="utf-8") as visits:
        visits.write(json.dumps({"asked": parameters(url), "answered": parameters(back)}) + "\n")
    go_back(back)


def go_back(address: str) -> None:
    """Request `address`, where the client listens on this machine, now or soon."""
    give_up_at = time.monotonic() + CLIENT_LIMIT_SECONDS
    while True:
        try:
            httpx.get(address, timeout=CLIENT_LIMIT_SECONDS)
        except httpx.ConnectError:
            if time.monotonic() > give_up_at:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


if __name__ == "__main__":
    main(sys.argv[1])
