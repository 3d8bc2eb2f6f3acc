"""Tags and filters of the owner's pages: icons, times, monograms of apps, and plurals."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.contrib.messages.storage.base import Message
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_noop, pgettext

from common.pages.app_colours import app_colour
from common.pages.list_rows import in_a_line
from common.pages.owner_pages import UNDO
from common.pages.relative_times import day_or_time, exact_time, plural, relative_time
from common.pages.relative_times import number as number_with_separators
from common.pages.theme import SYSTEM, chosen_theme
from ownsona_site.languages.messages import shown_message

register = template.Library()

FIELD_LABELS = (
    gettext_noop("Address"),
    gettext_noop("Arguments"),
    gettext_noop("Branch"),
    gettext_noop("Bucket"),
    gettext_noop("Config"),
    gettext_noop("Conversations"),
    gettext_noop("Definition"),
    gettext_noop("Description"),
    gettext_noop("Endpoint"),
    gettext_noop("Exclude"),
    gettext_noop("Format"),
    gettext_noop("Include"),
    gettext_noop("In a private network"),
    gettext_noop("Messages"),
    gettext_noop("Name"),
    gettext_noop("Prefix"),
    gettext_noop("Region"),
    gettext_noop("Source"),
    gettext_noop("Subfolder"),
    gettext_noop("Tags"),
    gettext_noop("Title"),
    gettext_noop("Tools"),
    gettext_noop("Value"),
)
"""The labels that Django makes of the names of fields, for the catalogues."""

YOU = "you"
"""The name of the owner in the place of the name of an app."""


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """Return the symbol `name` of icons.svg, hidden from screen readers. With `size` "s", it is 16 px wide."""
    return format_html(
        '<svg class="i{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        f" {size}" if size else "",
        static("ownsona/icons.svg"),
        name,
    )


@register.simple_tag
def ago(moment: datetime | None, css_class: str = "") -> SafeString | str:
    """Return a `time` element with the relative time, and with the exact one as its title. Empty for None."""
    if moment is None:
        return ""
    return format_html(
        '<time{} datetime="{}" title="{}">{}</time>',
        format_html(' class="{}"', css_class) if css_class else "",
        moment.isoformat(),
        exact(moment),
        relative_time(moment),
    )


@register.simple_tag(takes_context=True)
def forced_theme(context: Context) -> str:
    """Return the theme that the owner has chosen, or an empty string if the system decides."""
    request = context.get("request")
    theme = chosen_theme(request) if request else SYSTEM
    return "" if theme == SYSTEM else theme


@register.filter
def translated_place(place: str) -> str:
    """Return a place in a file of an import, such as "a.json: item 1, message 2", in the language of the page."""
    file, colon, parts = place.rpartition(": ")
    return file + colon + ", ".join(map(shown_message, parts.split(", ")))


@register.filter
def code_spans(text: str) -> SafeString:
    """Return a text whose parts in backticks are code, as in the messages of commands."""
    parts = text.split("`")
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", part) if place % 2 else part,) for place, part in enumerate(parts))
    )


@register.filter
def exact(moment: datetime) -> str:
    """Return the date and the time in the owner's time zone."""
    return exact_time(moment)


@register.filter
def day_or_exact(moment: datetime) -> str:
    """Return the day in the owner's time zone, with the time unless it is the beginning or the end of a day."""
    return day_or_time(moment)


@register.filter
def exact_day(moment: datetime) -> str:
    """Return the day in the owner's time zone, such as "Monday, 23 November 2026"."""
    # Translators: the format of a whole day, with the letters of Django's filter `date`.
    return date_format(timezone.localtime(moment), pgettext("format of a day", "l, j F Y"))


@register.simple_tag
def monogram(name: str, css_class: str = "") -> SafeString:
    """Return the two letters that stand for the app `name`, in a colour that stays the same."""
    classes = f"app {app_colour(name)} {css_class}".strip()
    return format_html('<span class="{}" aria-hidden="true">{}</span>', classes, letters_of(name))


def letters_of(name: str) -> str:
    """Return the initials of the first two words, or the first two letters of one word. A version is not a word."""
    words = [word for word in name.rpartition("://")[2].split() if word[0].isalpha()]
    letters = words[0][:1] + words[1][:1] if len(words) > 1 else (words[0] if words else name)[:2]
    return letters[:1].upper() + letters[1:].lower()


@register.filter
def counted(count: int, nouns: str) -> str:
    """Return a number with its noun: `{{ 2|counted:"memory,memories" }}` is "2 memories"."""
    singular, _, several = nouns.partition(",")
    return plural(count, singular, several)


@register.filter
def number(count: int) -> str:
    """Return a number with thousands separators."""
    return number_with_separators(count)


register.filter("app_colour", app_colour)
register.filter("in_a_line", in_a_line)
register.filter("translated", shown_message)


@register.filter
def undo_url(message: Message) -> str:
    """Return the address to post to for undoing what a message says, or an empty string."""
    tags = message.extra_tags or ""
    return tags.removeprefix(UNDO) if tags.startswith(UNDO) else ""
