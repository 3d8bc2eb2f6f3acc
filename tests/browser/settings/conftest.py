"""The width in which the pages of the settings are tested: the same as for those of the library."""

from tests.browser.library.conftest import window_width

__all__ = ["window_width"]
