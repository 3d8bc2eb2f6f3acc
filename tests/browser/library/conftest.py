"""The width in which the pages of documents, sources and imports are tested."""

import pytest

from tests.browser.conftest import WIDTHS


@pytest.fixture
def window_width() -> int:
    """That of a phone: in a wide window these pages work in the same way, with the same elements."""
    return WIDTHS[1]
