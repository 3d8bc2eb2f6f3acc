"""Background tasks on agents, run by the job process. Procrastinate looks for tasks in modules of this name."""

from __future__ import annotations

from procrastinate.contrib.django import app

from agents.files import store_files


@app.periodic(cron="* * * * *", periodic_id="read_agent_files")
@app.task(name="agents.read_files", lock="agents.read_files", queueing_lock="agents.read_files")
def read_files(timestamp: int = 0) -> None:
    """Read the files of agents: streams get notifications of changes also while no app uses agents."""
    store_files()
