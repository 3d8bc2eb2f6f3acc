"""Background jobs of the authorization server."""

from __future__ import annotations

from procrastinate.contrib.django import app

from common.clock import clock_watch
from oauthserver.clients.registration_limits import delete_unused_apps
from oauthserver.housekeeping import delete_expired


@app.periodic(cron="25 3 * * *", periodic_id="forget_expired_grants")
@app.task(name="oauthserver.forget_expired_grants", queueing_lock="oauthserver.forget_expired_grants")
def delete_expired_grants(timestamp: int) -> None:
    """Delete expired data once a day, unless the system clock was changed recently."""
    if clock_watch.is_steady():
        delete_expired()


@app.periodic(cron="*/5 * * * *", periodic_id="forget_unused_apps")
@app.task(name="oauthserver.forget_unused_apps", queueing_lock="oauthserver.forget_unused_apps")
def delete_unused_registrations(timestamp: int) -> None:
    """Delete unused registrations every five minutes, so that a flood of them stays bounded.

    Age counts only if the system clock was not changed recently.
    """
    delete_unused_apps(for_their_age=clock_watch.is_steady())
