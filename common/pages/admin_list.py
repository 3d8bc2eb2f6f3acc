"""Lists of rows in Django's admin: pages without a full count, and filters as menus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin import DateFieldListFilter
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.http import HttpRequest
from django.utils.translation import gettext

MAX_PAGE = 1_000_000
MAX_COUNTED = 1_000
"""The largest number of rows that a list counts."""


def first_of_last_page(count: int, page_size: int) -> int:
    """Return the place of the first row on the last page of `count` rows."""
    return max(count - 1, 0) // page_size * page_size


class OwnersChangeList(ChangeList):
    """A list that reads one row more than it shows, because counting a large table costs more than showing a page."""

    has_more = False
    total = 0
    """The number of all rows, at most MAX_COUNTED. One page with all of them needs no further query."""

    def get_results(self, request: HttpRequest) -> None:
        """Load the rows of the page. Raises IncorrectLookupParameters for a page that cannot exist."""
        if not 1 <= self.page_num <= MAX_PAGE:
            raise IncorrectLookupParameters
        rows = self._rows()
        if not rows and self.page_num > 1:
            # Past the end, as after a deletion or in an old bookmark.
            last = first_of_last_page(self.queryset.order_by().count(), self.list_per_page)
            self.page_num = last // self.list_per_page + 1
            rows = self._rows()
        self.has_more = len(rows) > self.list_per_page
        self.result_list: Any = rows[: self.list_per_page]
        self.result_count = len(self.result_list)
        self.full_result_count = None
        self.show_admin_actions = bool(rows)
        self.total = self._count() if self.has_more or self.page_num > 1 else self.result_count
        self.can_show_all, self.multi_page = False, self.has_more or self.page_num > 1

    def _rows(self) -> list[Any]:
        """Return the rows of the page, and the one after it."""
        first = (self.page_num - 1) * self.list_per_page
        return list(self.queryset[first : first + self.list_per_page + 1])

    def _count(self) -> int:
        """Return the number of all rows, at most MAX_COUNTED: a large table is not counted to its end."""
        return int(self.queryset.order_by()[:MAX_COUNTED].count())

    @property
    def is_total_exact(self) -> bool:
        """Whether `total` is the number of all rows."""
        return self.total < MAX_COUNTED

    @property
    def older(self) -> str:
        """The query of the next page, empty on the last one."""
        return self.get_query_string({PAGE_VAR: self.page_num + 1}) if self.has_more else ""

    @property
    def newer(self) -> str:
        """The query of the previous page, empty on the first one."""
        return self.get_query_string({PAGE_VAR: self.page_num - 1}) if self.page_num > 1 else ""

    @property
    def filters(self) -> list[ListFilter]:
        """The filters with their choices. The first choice of each is not to filter."""
        return [_filter(str(spec.title), list(spec.choices(self))) for spec in self.filter_specs]


class TimeFilter(DateFieldListFilter):
    """A filter for the time of a row."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.title = gettext("time")


@dataclass(frozen=True, slots=True)
class ListFilter:
    """A filter of a list: its choices, as Django describes them, and the label of the chosen one, empty for all."""

    title: str
    choices: Sequence[Any]
    chosen: str


def _filter(title: str, choices: Sequence[Any]) -> ListFilter:
    chosen = next((str(choice["display"]) for choice in choices[1:] if choice["selected"]), "")
    return ListFilter(str(title), choices, chosen)
