"""Background jobs of the MCP endpoint."""

from __future__ import annotations

from procrastinate.contrib.django import app

from common.clock import clock_watch
from mcpapi.approvals.approval_store import delete_old_approvals
from mcpapi.observability.audit import delete_old_lines
from mcpapi.state.rate_limit import delete_old_windows
from mcpapi.state.server_requests import delete_old_requests
from mcpapi.state.sessions import delete_idle_sessions
from mcpapi.state.sse_mailbox import remove_abandoned_sessions


@app.periodic(cron="20 3 * * *", periodic_id="forget_what_is_past")
@app.task(name="mcpapi.forget_what_is_past", queueing_lock="mcpapi.forget_what_is_past")
def delete_expired_rows(timestamp: int) -> None:
    """Once a day, delete idle and abandoned sessions, and old server requests, rate windows, activity and approvals.

    Does nothing if the clock was set a short time ago.
    """
    if not clock_watch.is_steady():
        return
    delete_idle_sessions()
    remove_abandoned_sessions()
    delete_old_requests()
    delete_old_windows()
    delete_old_lines()
    delete_old_approvals()
