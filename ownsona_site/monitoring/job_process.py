"""Heartbeat timeout of the job process."""

HEARTBEAT_LOST_SECONDS = 30
"""Three times the interval at which a job process reports that it is alive."""
