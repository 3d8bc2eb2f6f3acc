"""Background work of the authorization server."""

from __future__ import annotations

from procrastinate.contrib.django import app

from common.clock import clock_watch
from oauthserver.clients.registration_limits import forget_unused_apps
from oauthserver.housekeeping import delete_expired


@app.periodic(cron="25 3 * * *", periodic_id="forget_expired_grants")
@app.task(name="oauthserver.forget_expired_grants", queueing_lock="oauthserver.forget_expired_grants")
def forget_expired_grants(timestamp: int) -> None:
    """Remove what can do nothing any more, once a day, unless the clock was set a short time ago."""
    if clock_watch.is_steady():
        delete_expired()


@app.periodic(cron="*/5 * * * *", periodic_id="forget_unused_apps")
@app.task(name="oauthserver.forget_unused_apps", queueing_lock="oauthserver.forget_unused_apps")
def delete_unused_apps(timestamp: int) -> None:
    """Keep the number of registrations within bounds, whoever floods the server with them."""
    forget_unused_apps(for_their_age=clock_watch.is_steady())
