"""Background work of the machines' door."""

from __future__ import annotations

from procrastinate.contrib.django import app

from mcpapi.rate_limit import forget_old_windows
from mcpapi.sessions import delete_idle_sessions


@app.periodic(cron="20 3 * * *", periodic_id="forget_what_is_past")
@app.task(name="mcpapi.forget_what_is_past", queueing_lock="mcpapi.forget_what_is_past")
def forget_what_is_past(timestamp: int) -> None:
    """Remove the sessions that nobody used for too long, and what limits nothing any more, once a day."""
    delete_idle_sessions()
    forget_old_windows()
