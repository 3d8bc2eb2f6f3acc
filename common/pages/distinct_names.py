"""Names of apps in a list, where several may have the same one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext

from common.pages.relative_times import exact_time


def distinct_names(named: Sequence[tuple[str, datetime]]) -> list[str]:
    """Return the names, each with the time at which the owner allowed the app if others have the same name."""
    counts = Counter(name for name, _ in named)
    return [
        gettext("%(name)s, allowed on %(time)s") % {"name": name, "time": exact_time(at)} if counts[name] > 1 else name
        for name, at in named
    ]
