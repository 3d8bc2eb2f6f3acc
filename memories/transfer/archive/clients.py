"""The clients that an archive names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_FIELDS = ("client", "stored_by", "quarantined_from", "proposed_by")
_PERSONAL_TOKEN = re.compile(r"token:\d+")


def with_clients_here(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with the names of clients of another installation here.

    The number of a personal token may belong to another token here, which must not take its place.
    """
    tokens = {
        name: f"former {values[name]}"
        for name in _FIELDS
        if isinstance(values.get(name), str) and _PERSONAL_TOKEN.fullmatch(values[name])
    }
    return {**values, **tokens}
