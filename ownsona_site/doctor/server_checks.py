"""Steps that check the settings, the database, the owner and the job process of this server."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import gettext

from common.networking.addresses import LOOPBACK_HOSTS
from oauthserver.models import Application
from ownsona_site.doctor.findings import Finding, failed, passed, warning
from ownsona_site.doctor.network_checks import addresses_of
from ownsona_site.doctor.oauth_flow import OwnServerContext
from ownsona_site.monitoring.job_process import is_alive
from ownsona_site.startup.database_errors import database_place

EVERY_ADDRESS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def settings_are_consistent(context: OwnServerContext) -> Finding:
    """Check that the public address, the listening address and DEBUG are consistent."""
    public = urlsplit(settings.PUBLIC_URL)
    if public.hostname not in LOOPBACK_HOSTS:
        if settings.DEBUG:
            return failed(
                gettext("DEBUG is on, and other machines can reach the server."),
                gettext("Set DEBUG=false, and restart."),
            )
        return passed(gettext("The public address matches what the server listens on."))
    # OwnSona does not speak TLS, so an https address belongs to a proxy, which has a port of its own.
    if public.scheme == "http" and public.port != settings.PORT:
        return warning(
            gettext("OWNSONA_PUBLIC_URL names port %(value)s, and the server listens on %(port)s.")
            % {"value": public.port or 80, "port": settings.PORT},
            gettext("Unless a proxy forwards one port to the other, remove OWNSONA_PUBLIC_URL: PORT is enough."),
        )
    if settings.HOST in EVERY_ADDRESS:
        return warning(
            gettext("The server listens on all addresses, but OWNSONA_PUBLIC_URL is for this machine only."),
            gettext("Set OWNSONA_PUBLIC_URL to the address that other machines use, or HOST to 127.0.0.1."),
        )
    return passed(gettext("The public address matches what the server listens on."))


def database_is_current(context: OwnServerContext) -> Finding:
    """Check that all migrations of this version are applied."""
    executor = MigrationExecutor(connection)
    if not executor.loader.applied_migrations:
        return failed(
            gettext("The database in %(place)s has no tables yet.") % {"place": database_place()},
            gettext("Use the settings of the server, such as OWNSONA_DATA_DIR. If it is new, start it: `make run`."),
        )
    if pending := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return failed(
            gettext("Pending migrations: %(number)s.") % {"number": len(pending)},
            gettext("Restart OwnSona, or run `manage.py migrate`."),
        )
    return passed(gettext("The tables match this version."))


def owner_can_log_in(context: OwnServerContext) -> Finding:
    """Check that there is an active owner who can allow an app."""
    if context.person is None:
        return failed(gettext("There is no owner's account."), gettext("Start OwnSona: `manage.py serve` creates one."))
    if not context.person.is_active:
        return failed(
            gettext("The account %(get_username)s is deactivated.") % {"get_username": context.person.get_username()},
            gettext("Set OWNSONA_LOGIN_USERNAME to an active account, and restart."),
        )
    return passed(gettext("%(get_username)s can log in.") % {"get_username": context.person.get_username()})


def job_process_is_running(context: OwnServerContext) -> Finding:
    """Check that the job process runs: without it, texts get no vectors and expired tokens are never removed."""
    if is_alive():
        return passed(gettext("The job process is running."))
    return warning(
        gettext("The job process is not running."),
        gettext("`manage.py serve` restarts it automatically: check its output."),
    )


def client_address_arrives(context: OwnServerContext) -> Finding:
    """Check that the proxy passes on the client's address. Otherwise all clients share the address of the proxy."""
    seen = Application.objects.values_list("registered_from", flat=True).get(client_id=context.app["client_id"])
    if seen in LOOPBACK_HOSTS and not LOOPBACK_HOSTS.intersection(addresses_of(context)):
        return warning(
            gettext("All apps seem to have the address of this machine."),
            gettext(
                "An attacker who guesses passwords would lock you out, too. In nginx, add `proxy_set_header "
                "X-Forwarded-For $proxy_add_x_forwarded_for;`, and check that OWNSONA_TRUSTED_PROXIES includes the "
                "proxy."
            ),
        )
    return passed(gettext("The check came from %(seen)s.") % {"seen": seen})
