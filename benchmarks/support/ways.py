"""Ways to recall that benchmarks compare: OwnSona with each precision, and its two retrievers alone."""

from __future__ import annotations

from memories.recall.pipeline import Mode
from memories.recall.relevance import Precision

WAYS = {
    "OwnSona, precision all": (Mode.HYBRID, Precision.ALL),
    "OwnSona, precision balanced": (Mode.HYBRID, Precision.BALANCED),
    "OwnSona, precision high": (Mode.HYBRID, Precision.HIGH),
    "cosine alone": (Mode.SEMANTIC, Precision.ALL),
    "BM25 alone": (Mode.KEYWORD, Precision.ALL),
}
