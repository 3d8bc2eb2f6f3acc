"""Uploads, and the work of the job process, in browser tests."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connection
from playwright.sync_api import FilePayload


def payload(name: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}


def in_background(job: Callable[[], object]) -> None:
    """Do what the job process does. This thread can run no query while it drives the browser."""

    def work() -> None:
        try:
            job()
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
