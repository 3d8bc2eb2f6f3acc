"""Periodic maintenance of the job queue and of what connection checks leave behind, maps, and backups."""

from __future__ import annotations

from procrastinate import JobContext
from procrastinate.contrib.django import app
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Status

from common.allocation import give_back_what_is_free
from common.clock import clock_watch
from ownsona_site.backup.kept.jobs import BACK_UP, follow_plan
from ownsona_site.backup.kept.making import make_backup
from ownsona_site.doctor.temporary_apps import forget_abandoned_apps
from ownsona_site.monitoring.job_process import HEARTBEAT_LOST_SECONDS
from ownsona_site.pages.memory_map.computing import COMPUTE, compute

KEEP_FINISHED_HOURS = 48
KEEP_FAILED_HOURS = 30 * 24

# A job process that died before the clock was set back would count as alive until the clock reaches its last heartbeat
# again. A live process renews its heartbeat within seconds.
DATE_BACK_HEARTBEATS = """
UPDATE procrastinate_workers SET last_heartbeat = now() WHERE last_heartbeat > now() + interval '1 minute'
"""


@app.periodic(cron="* * * * *", periodic_id="resume_stalled_jobs")
@app.task(name="site.resume_stalled_jobs", queueing_lock="site.resume_stalled_jobs", pass_context=True)
async def resume_stalled_jobs(context: JobContext, timestamp: int) -> None:
    """Put the unfinished jobs of dead job processes back into the queue."""
    manager = context.app.job_manager
    await context.app.connector.execute_query_async(DATE_BACK_HEARTBEATS)
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=HEARTBEAT_LOST_SECONDS):
        try:
            await manager.retry_job(job)
        except UniqueViolation:
            # A newer job with the same queueing lock is queued and waits for the lock of this one. Ending this job
            # frees that lock, and the newer job does the work of both.
            await manager.finish_job(job, Status.FAILED, delete_job=False)


@app.periodic(cron="30 3 * * *", periodic_id="delete_finished_jobs")
@app.task(name="site.delete_finished_jobs", queueing_lock="site.delete_finished_jobs", pass_context=True)
async def delete_finished_jobs(context: JobContext, timestamp: int) -> None:
    """Delete old jobs, because every minute adds a few rows to the queue's tables."""
    if not clock_watch.is_steady():
        return
    manager = context.app.job_manager
    await manager.delete_old_jobs(KEEP_FINISHED_HOURS)
    await manager.delete_old_jobs(KEEP_FAILED_HOURS, include_failed=True, include_cancelled=True, include_aborted=True)


@app.periodic(cron="35 3 * * *", periodic_id="forget_abandoned_apps")
@app.task(name="site.forget_abandoned_apps", queueing_lock="site.forget_abandoned_apps")
def delete_abandoned_apps(timestamp: int) -> None:
    """Delete the temporary apps of connection checks that were killed, once a day."""
    if clock_watch.is_steady():
        forget_abandoned_apps()


@app.task(name=COMPUTE, lock=COMPUTE)
def compute_map(owner_id: int) -> None:
    """Compute the map of an owner. One at a time: each takes much memory."""
    compute(owner_id)
    give_back_what_is_free()


@app.periodic(cron="*/10 * * * *", periodic_id="follow_backup_plan")
@app.task(name="site.follow_backup_plan", queueing_lock="site.follow_backup_plan")
def follow_backup_plan(timestamp: int) -> None:
    """Have the backup of the last night made, also when the machine was off at that time."""
    follow_plan()


@app.task(name=BACK_UP, lock=BACK_UP, pass_context=True)
def back_up(context: JobContext, *, is_nightly: bool) -> None:
    """Make a backup in the folder of backups."""
    make_backup(is_nightly=is_nightly, attempts=context.job.attempts)
    give_back_what_is_free()
