"""Background work of the machines' door."""

from __future__ import annotations

from procrastinate.contrib.django import app

from mcpapi.sessions import delete_idle_sessions


@app.periodic(cron="20 3 * * *", periodic_id="forget_idle_sessions")
@app.task(name="mcpapi.forget_idle_sessions", queueing_lock="mcpapi.forget_idle_sessions")
def forget_idle_sessions(timestamp: int) -> None:
    """Remove the sessions that nobody used for too long, once a day."""
    delete_idle_sessions()
