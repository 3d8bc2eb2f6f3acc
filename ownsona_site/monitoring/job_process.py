"""When the job process counts as dead."""

HEARTBEAT_LOST_SECONDS = 30
"""Three times the interval at which a job process reports that it is alive."""
