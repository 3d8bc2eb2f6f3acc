"""The texts in the source code that catalogues translate."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.utils.translation.template import templatize

from common.pages.relative_times import plural_message
from ownsona_site.languages.messages import MESSAGE

CONTEXT, SINGULAR, PLURAL = "context", "singular", "plural"
ARGUMENTS = {
    "gettext": (SINGULAR,),
    "pgettext": (CONTEXT, SINGULAR),
    "ngettext": (SINGULAR, PLURAL),
    "npgettext": (CONTEXT, SINGULAR, PLURAL),
}
"""The functions that translate, with what their first arguments are. Each has variants such as `gettext_lazy`."""

LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
IN_TEMPLATE = re.compile(rf"\b(_|n?p?gettext)\(({LITERAL}(?:\s*,\s*{LITERAL})*)")
COUNTED = re.compile(r'\|counted:"([^"]+)"')
NOT_PAGES = {"tests", "benchmarks", "scripts", "docs"}


class Message(NamedTuple):
    """A text as it is in the source code. `plural` and `context` are empty for most."""

    singular: str
    plural: str = ""
    context: str = ""


def messages_below(folder: Path) -> dict[Message, list[str]]:
    """Return the texts of all modules and templates, each with the paths of the files that contain it."""
    found: dict[Message, list[str]] = {}
    for path in sorted([*folder.glob("*/**/*.py"), *folder.glob("templates/**/*.html")]):
        relative = path.relative_to(folder)
        if relative.parts[0].startswith(".") or relative.parts[0] in NOT_PAGES or "migrations" in relative.parts:
            continue
        text = path.read_text(encoding="utf-8")
        for message in in_template(text) if path.suffix == ".html" else in_module(text):
            files = found.setdefault(message, [])
            if str(relative) not in files:
                files.append(str(relative))
    return found


def in_module(source: str) -> Iterator[Message]:
    """Yield the texts that a Python module marks, in their order."""
    # Most modules have no texts, and parsing takes long.
    if not any(marker in source for marker in ("gettext", "plural(", "translatable(")):
        return
    names = _names_of_functions(tree := ast.parse(source))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        constants = (argument.value for argument in node.args if isinstance(argument, ast.Constant))
        texts = [text for text in constants if isinstance(text, str)]
        if called == "translatable" and texts:
            yield Message(texts[0], context=MESSAGE)
        elif called == "plural" and texts:
            yield Message(*plural_message(*texts))
        elif texts and (name := names.get(called, called).removesuffix("_lazy").removesuffix("_noop")) in ARGUMENTS:
            yield _message(name, texts)


def in_template(source: str) -> Iterator[Message]:
    """Yield the texts that a template marks, in their order."""
    for call in IN_TEMPLATE.finditer(templatize(source)):
        name = "gettext" if call[1] == "_" else call[1]
        yield _message(name, [ast.literal_eval(literal) for literal in re.findall(LITERAL, call[2])])
    for nouns in COUNTED.findall(source):
        yield Message(*plural_message(*nouns.split(",")))


def _names_of_functions(tree: ast.Module) -> dict[str, str]:
    """Return the functions that the module imports under other names, such as `_`."""
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom))
    return {alias.asname: alias.name for node in imports for alias in node.names if alias.asname}


def _message(function: str, texts: list[str]) -> Message:
    return Message(**dict(zip(ARGUMENTS[function], texts, strict=False)))
