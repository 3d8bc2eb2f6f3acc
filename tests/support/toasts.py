"""The button *Undo* in the toast of a page."""

from __future__ import annotations

import re
from html import unescape

from django.test import Client


def press_undo(pages: Client, page: str) -> str:
    """Press *Undo* in the toast of `page`. Return the page after it."""
    (address,) = re.findall(r'action="(/admin/[^"]*/now/[^"]*|/admin/cleanup/reopen/[^"]*)"', page)
    response = pages.post(unescape(address), follow=True)
    assert response.status_code == 200
    return response.content.decode()
