"""Tests of log lines about events that unknown clients cause."""

from __future__ import annotations

import logging

import pytest

from ownsona_site.web.tcp.counted_log import PAUSE_SECONDS, CountedLog


def test_a_million_events_are_a_line_a_minute_with_their_number(caplog: pytest.LogCaptureFixture) -> None:
    seconds = 0.0
    log = CountedLog(logging.getLogger("counted"), lambda: seconds)
    log.note("refused")
    log.flush()
    for _ in range(1000):
        log.note("refused", 1000)
        log.note("closed", 2)
        log.flush()
    assert [record.getMessage().partition(".")[0] for record in caplog.records] == ["Connections: 1 refused"]
    seconds = PAUSE_SECONDS
    log.flush()
    log.flush()
    assert len(caplog.records) == 2
    assert "2000 closed, 1000000 refused." in caplog.text


def test_without_events_there_is_no_line(caplog: pytest.LogCaptureFixture) -> None:
    log = CountedLog(logging.getLogger("counted"))
    log.note("refused", 0)
    log.flush()
    assert not caplog.records
