"""The text format, read back by Prometheus' own library."""

from __future__ import annotations

import math

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ownsona_site.metrics.exposition import MetricFamily, Sample, exposition


@pytest.mark.parametrize("value", [0, 1, 2**53, 0.005, 1e-9, math.inf])
@pytest.mark.parametrize("label", ["ok", "", 'a "b" \\ c\nd', "ö{},="])
def test_what_is_written_is_what_is_read(value: float, label: str) -> None:
    page = exposition([MetricFamily("a_total", "counter", "Some things.", [Sample(value, {"x": label, "y": "z"})])])
    (family,) = text_string_to_metric_families(page)
    (sample,) = family.samples
    assert (family.type, family.documentation) == ("counter", "Some things.")
    assert (sample.name, sample.value, sample.labels) == ("a_total", value, {"x": label, "y": "z"})


def test_a_sample_without_labels_has_no_braces() -> None:
    page = exposition([MetricFamily("a", "gauge", "One thing.", [Sample(3)])])
    assert page == "# HELP a One thing.\n# TYPE a gauge\na 3\n"


def test_the_parts_of_a_histogram_belong_together() -> None:
    samples = [Sample(2, {"le": "+Inf"}, "_bucket"), Sample(0.5, {}, "_sum"), Sample(2, {}, "_count")]
    (family,) = text_string_to_metric_families(exposition([MetricFamily("h", "histogram", "Times.", samples)]))
    assert [sample.name for sample in family.samples] == ["h_bucket", "h_sum", "h_count"]
