"""The owner's browser."""

from tests.memories.admin.conftest import pages

__all__ = ["pages"]
