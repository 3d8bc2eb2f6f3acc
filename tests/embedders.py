"""Embedders that tests put in the place of the one in use."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memories.spaces import OpenSpace


def use_embedder(monkeypatch: pytest.MonkeyPatch, make: Callable[[], object]) -> None:
    """Embed with what `make` gives until the patch is undone; when it raises, there is no embedder."""
    monkeypatch.setattr(OpenSpace, "embedder", property(lambda space: make()))
