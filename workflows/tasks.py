"""Background tasks on workflows, run by the job process. Procrastinate looks for tasks in modules of this name."""

from __future__ import annotations

from procrastinate.contrib.django import app

from common.clock import clock_watch
from workflows.runs import clean_up_runs


@app.periodic(cron="50 3 * * *", periodic_id="clean_up_runs")
@app.task(name="workflows.clean_up_runs", queueing_lock="workflows.clean_up_runs")
def clean_up(timestamp: int) -> None:
    """Let abandoned runs expire, and delete old ones, once a day."""
    if clock_watch.is_steady():
        clean_up_runs()
