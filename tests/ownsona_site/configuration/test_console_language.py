from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django import Settings

from memories.embeddings.store import choose_model
from ownsona_site.configuration.console_language import is_other_language, uses_shipped_model


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"LANG": "C.UTF-8"}, False),
        ({"LANG": "POSIX"}, False),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "es"}, True),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "en_US.UTF-8"}, False),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "fr_FR"}, True),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, True),
    ],
)
def test_the_first_variable_that_is_set_decides_about_the_language(environment: dict[str, str], expected: bool) -> None:
    assert is_other_language(environment) is expected


def test_the_shipped_model_is_used_until_another_one_is_chosen(settings: Settings, tmp_path: Path) -> None:
    settings.EMBEDDING_PROVIDER, settings.MODELS_DIR = "local", tmp_path
    assert uses_shipped_model()
    choose_model("multilingual-e5-small")
    assert not uses_shipped_model()
    settings.EMBEDDING_PROVIDER = "openai"
    assert not uses_shipped_model()
