"""Tests of the log lines of requests by unknown clients."""

from __future__ import annotations

import pytest
from django.test import Client


def test_a_wrong_host_is_one_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    assert Client(headers={"host": "evil.example"}).get("/login/").status_code == 400
    [record] = caplog.records
    assert "evil.example" in record.getMessage()
    assert len(caplog.text.splitlines()) == 1
