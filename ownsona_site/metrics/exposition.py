"""Prometheus text format, version 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/).

Pure functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Sample:
    """One value with its labels. `suffix` is appended to the metric's name, as histograms require."""

    value: float
    labels: Mapping[str, str] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """The samples of one metric. `help_text` is one line without quotes or backslashes."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help_text: str
    samples: Sequence[Sample]


def exposition(metric_families: Iterable[MetricFamily]) -> str:
    """Return the whole page."""
    return "".join(f"{line}\n" for family in metric_families for line in _lines(family))


def _lines(family: MetricFamily) -> Iterator[str]:
    yield f"# HELP {family.name} {family.help_text}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        labels = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in sample.labels.items())
        yield f"{family.name}{sample.suffix}{f'{{{labels}}}' if labels else ''} {number(sample.value)}"


def number(value: float) -> str:
    """Format `value` for Prometheus."""
    return "+Inf" if value == math.inf else repr(value)
