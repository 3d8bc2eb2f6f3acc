"""Background work of the authorization server."""

from __future__ import annotations

from procrastinate.contrib.django import app

from oauthserver.housekeeping import forget_expired


@app.periodic(cron="25 3 * * *", periodic_id="forget_expired_grants")
@app.task(name="oauthserver.forget_expired_grants", queueing_lock="oauthserver.forget_expired_grants")
def forget_expired_grants(timestamp: int) -> None:
    """Remove what can do nothing any more, once a day."""
    forget_expired()
