"""An owner and their browser."""

from tests.memories.admin.conftest import owner, pages

__all__ = ["owner", "pages"]
