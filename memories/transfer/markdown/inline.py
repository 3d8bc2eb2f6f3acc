"""The text of a line of Markdown: without marks, with its tags apart.

Obsidian's links, comments and tags: https://help.obsidian.md/links, https://help.obsidian.md/tags.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.token import Token

_WIKI_LINK = re.compile(r"(!?)\[\[([^\[\]|]+)(?:\|([^\[\]]+))?\]\]")
_COMMENT = re.compile(r"%%.*?%%", re.DOTALL)
_TAG = re.compile(r"(?<![\w/#&])#([^\W\d_][\w/-]*|\d[\d/-]*+[^\W\d][\w/-]*)")
_BLOCK_ID = re.compile(r"\s\^[A-Za-z0-9-]+\s*$")
_CALLOUT = re.compile(r"\A\[![\w-]+\][+-]?\s*")
_NAMES: Final = (
    r"a|abbr|audio|b|big|blockquote|body|br|button|center|cite|code|col|dd|del|details|dfn|div|dl|dt|em|figure|font|form"
    r"|h[1-6]|hr|html|i|iframe|img|input|ins|kbd|label|li|mark|ol|p|picture|pre|q|s|samp|script|section|small|source|span"
    r"|strike|strong|style|sub|summary|sup|svg|table|tbody|td|th|thead|tr|tt|u|ul|var|video|wbr"
)
_HTML = re.compile(rf"</?(?:{_NAMES}|{_NAMES.upper()})[\s/>]|<[!?]")
"""Elements in small or in capital letters, and comments. `<Button>` is a component, and `<ticket>` a placeholder."""

_MAX_CHARS: Final = 20_000
"""Longest text in which tags are looked for. A longer one is not a memory."""

_BREAKS: Final = ("softbreak", "hardbreak")


def plain_text(token: Token, *, with_addresses: bool = False) -> str:
    """Return the text of an inline token: of links their text, of images nothing, and no marks.

    Words in angle brackets that are not HTML stay: "feature/<ticket>", "Promise<Invoice>", "<TenantSwitcher />".
    With `with_addresses`, the address of a link to the web follows its text in brackets, unless the text names it.
    """
    pieces = list[str]()
    address, start = "", 0
    for child in token.children or ():
        if child.type == "link_open":
            address, start = str(child.attrs.get("href", "")), len(pieces)
        elif child.type == "link_close":
            if with_addresses and not _is_named(address, "".join(pieces[start:])):
                pieces.append(f" ({address})")
        elif child.type in _BREAKS:
            pieces.append("\n")
        elif child.type != "image" and not (child.type == "html_inline" and _HTML.match(child.content)):
            pieces.append(child.content)
    return "".join(pieces)


def _is_named(address: str, text: str) -> bool:
    """Whether the text of a link names its address, or the address is none of the web."""
    scheme, _, rest = address.partition("://")
    return scheme not in ("http", "https") or not text.strip() or rest.rstrip("/") in text


def is_bold_line(token: Token) -> bool:
    """Whether the whole text is bold, as headings of assistants are."""
    children = [child for child in token.children or () if child.content or child.type.startswith("strong")]
    is_bold = len(children) > 2 and children[0].type == "strong_open" and children[-1].type == "strong_close"
    return is_bold and sum(child.type == "strong_open" for child in children) == 1


def without_links(text: str) -> str:
    """Return a text with the titles of wiki links, and without embedded files, comments, block ids and callouts."""
    shown = _WIKI_LINK.sub(lambda link: "" if link[1] else (link[3] or link[2]).strip(), _COMMENT.sub("", text))
    return _BLOCK_ID.sub("", _CALLOUT.sub("", shown)).strip()


def split_tags(text: str) -> tuple[str, list[str]]:
    """Return a text without the tags at its end and without the `#` of the others, and the tags.

    A tag such as `#work/travel` is two tags.
    """
    if len(text) > _MAX_CHARS:
        return text, []
    found = list(_TAG.finditer(text))
    text = text.rstrip()
    for tag in reversed(found):
        if tag.end() != len(text):
            break
        text = text[: tag.start()].rstrip()
    shown = _TAG.sub(lambda tag: tag[1].rpartition("/")[2] or tag[1], text).strip()
    return shown, [part for tag in found for part in tag[1].split("/") if part]
