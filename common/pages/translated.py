"""Stored messages in the language of a page, for rows and headings that are made in Python.

Templates use the filter `translated`. See docs/languages.md.
"""

from __future__ import annotations

from common.provided import Provided

translated: Provided[[object], str] = Provided("translations of stored messages")
