"""Tests that the translations are complete, and of the functions that keep them so."""

from __future__ import annotations

from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import translation
from pytest_django import Settings

from ownsona_site.languages.available import languages_in
from ownsona_site.languages.catalogue_files import problems_of, update_catalogue
from ownsona_site.languages.compiled import compile_catalogues, compiled_path
from ownsona_site.languages.extraction import Message, in_module, in_template, messages_below

CATALOGUES = sorted(settings.CATALOGUES.glob("*.po"))
KEPT, NEW, COUNTED = Message("Keep %(name)s"), Message("New"), Message("%(number)s day", "%(number)s days")


def test_there_is_german() -> None:
    assert [path.stem for path in CATALOGUES] == ["de"]
    assert languages_in(settings.CATALOGUES) == [("en", "English"), ("de", "Deutsch")]


@pytest.mark.parametrize("path", CATALOGUES, ids=[path.stem for path in CATALOGUES])
def test_a_translation_is_complete_and_in_step_with_the_source(path: Path) -> None:
    # To add what is missing, run manage.py write_catalogues.
    assert problems_of(path, messages_below(settings.BASE_DIR)) == []


def test_a_module_is_searched_for_all_ways_of_marking() -> None:
    source = """
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext
_("One"), gettext_lazy("Two"), ngettext("a %(number)s", "b %(number)s", 3), pgettext("month", "May")
plural(count, "memory", "memories"), plural(count, "day"), gettext_noop("Six"), gettext(variable), other("Seven")
"""
    assert set(in_module(source)) == {
        Message("One"),
        Message("Two"),
        Message("a %(number)s", "b %(number)s"),
        Message("May", context="month"),
        Message("%(number)s memory", "%(number)s memories"),
        Message("%(number)s day", "%(number)s days"),
        Message("Six"),
    }


def test_a_template_is_searched_for_all_ways_of_marking() -> None:
    source = """
{% translate "It's" %} {% translate "May" context "month" %} {% include "x.html" with text=_("Two") %} {% translate x %}
{% blocktranslate with name=app.name %}By {{ name }}{% endblocktranslate %} {{ n|counted:"tag,tags" }}
{% blocktranslate count n=n %}{{ n }} day{% plural %}{{ n }} days{% endblocktranslate %}
"""
    assert set(in_template(source)) == {
        Message("It's"),
        Message("May", context="month"),
        Message("Two"),
        Message("By %(name)s"),
        Message("%(number)s tag", "%(number)s tags"),
        Message("%(n)s day", "%(n)s days"),
    }


def test_an_update_keeps_translations_adds_new_texts_and_removes_old_ones(tmp_path: Path) -> None:
    path = tmp_path / "pl.po"
    update_catalogue(path, {KEPT: ["a.py"], Message("Old"): ["a.py"]})
    catalogue = polib.pofile(str(path))
    assert "nplurals=4" in catalogue.metadata["Plural-Forms"]
    for entry in catalogue:
        entry.msgstr = f"pl {entry.msgid}"
    catalogue.save()
    update_catalogue(path, {KEPT: ["b.py"], NEW: ["b.py"], COUNTED: ["b.py"]})
    written = {entry.msgid: entry for entry in polib.pofile(str(path))}
    assert written["Keep %(name)s"].msgstr == "pl Keep %(name)s"
    assert written["New"].msgstr == ""
    assert list(written["%(number)s day"].msgstr_plural) == [0, 1, 2, 3]
    assert "Old" not in written


@pytest.mark.parametrize(
    ("msgstr", "flags", "problem"),
    [
        ("Behalte %(name)s", [], None),
        ("", [], "not translated: 'Keep %(name)s'"),
        ("Behalte %(name)s", ["fuzzy"], "not translated: 'Keep %(name)s'"),
        ("Behalte %(nam)s", [], "other placeholders: 'Keep %(name)s'"),
        ("Behalte <b>%(name)s</b>", [], "other placeholders: 'Keep %(name)s'"),
    ],
)
def test_problems_are_named(tmp_path: Path, msgstr: str, flags: list[str], problem: str | None) -> None:
    path = tmp_path / "de.po"
    update_catalogue(path, {KEPT: ["a.py"]})
    catalogue = polib.pofile(str(path))
    catalogue[0].msgstr = msgstr
    catalogue[0].flags = flags
    catalogue.save()
    assert problems_of(path, {KEPT: ["a.py"]}) == ([problem] if problem else [])


def test_what_is_missing_and_what_is_left_over_are_problems(tmp_path: Path) -> None:
    path = tmp_path / "de.po"
    update_catalogue(path, {KEPT: ["a.py"]})
    assert problems_of(path, {NEW: ["a.py"]}) == [
        "not in the catalogue: 'New'",
        "not in the source code: 'Keep %(name)s'",
    ]


def test_a_file_is_enough_for_a_new_language(tmp_path: Path, settings: Settings) -> None:
    settings.CATALOGUES, settings.LOCALE_PATHS = tmp_path / "locale", [tmp_path / "compiled"]
    settings.CATALOGUES.mkdir()
    update_catalogue(settings.CATALOGUES / "fr.po", {NEW: ["a.py"]})
    catalogue = polib.pofile(str(settings.CATALOGUES / "fr.po"))
    catalogue[0].msgstr = "Nouveau"
    catalogue.save()
    compile_catalogues()
    assert languages_in(settings.CATALOGUES) == [("en", "English"), ("fr", "Français")]
    assert polib.mofile(str(compiled_path("fr")))[0].msgstr == "Nouveau"


def test_compiling_again_reads_only_what_has_changed(tmp_path: Path, settings: Settings) -> None:
    settings.CATALOGUES, settings.LOCALE_PATHS = tmp_path / "locale", [tmp_path / "compiled"]
    settings.CATALOGUES.mkdir()
    update_catalogue(settings.CATALOGUES / "fr.po", {NEW: ["a.py"]})
    compile_catalogues()
    first = compiled_path("fr").stat().st_ino
    compile_catalogues()
    assert compiled_path("fr").stat().st_ino == first
    (settings.CATALOGUES / "fr.po").touch()
    compile_catalogues()
    assert compiled_path("fr").stat().st_ino != first


def test_the_command_refuses_a_language_that_django_does_not_know(settings: Settings, tmp_path: Path) -> None:
    settings.CATALOGUES = tmp_path
    with pytest.raises(CommandError, match=r"xx-yy\.po"):
        call_command("write_catalogues", "xx-yy")
    assert list(tmp_path.iterdir()) == []


def test_german_is_read_from_the_compiled_catalogue() -> None:
    with translation.override("de"):
        assert translation.gettext("Recent memories") == "Neueste Erinnerungen"
        assert translation.ngettext("%(number)s day ago", "%(number)s days ago", 2) == "vor %(number)s Tagen"
    assert translation.gettext("Recent memories") == "Recent memories"
