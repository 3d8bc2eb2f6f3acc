"""The second half of `manage.py serve`: the supervisor of the web server, in a process without Django's apps.

The first half loads the apps to check the settings and to prepare the database. It then replaces itself by this half,
which needs a third of the memory for as long as the server runs.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from django.conf import settings
from django.utils.log import configure_logging

from ownsona_site.embedded_postgres.errors import EmbeddedServerError
from ownsona_site.embedded_postgres.server import get_server
from ownsona_site.monitoring.disk_watch import watch_disk
from ownsona_site.startup.listening_socket import is_answering
from ownsona_site.startup.supervisor import (
    Program,
    ProgramEnded,
    exit_if_stopped,
    exit_on_stop_signal,
    stop_signals,
    supervise,
)

LISTENING_ON = "--listening-on"
"""Argument of `manage.py serve` that starts the second half: the two descriptors of `Handover` come next."""


class Handover(NamedTuple):
    """The descriptors that the first half passes on.

    - `listener`: the listening socket.
    - `signals`: a pipe with a byte for each stop signal that arrived while the process was replaced.
    """

    listener: int
    signals: int


def become_supervisor(listener: socket.socket) -> NoReturn:
    """Replace this process by the supervisor of the web server on `listener`.

    Stop signals that arrive meanwhile are handled by the supervisor.
    """
    signals, noted = os.pipe()
    os.set_blocking(noted, False)
    # Blocking the signals concerns this thread only. Another thread may receive one, which would be lost with the
    # process if Python did not write it to the pipe at once.
    signal.set_wakeup_fd(noted, warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_BLOCK, stop_signals())
    handover = Handover(listener.fileno(), signals)
    for descriptor in handover:
        os.set_inheritable(descriptor, True)
    sys.stdout.flush()
    sys.stderr.flush()
    program = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", LISTENING_ON, *map(str, handover)]
    os.execv(sys.executable, program)  # noqa: S606 - this program again


def handover_in(arguments: Sequence[str]) -> Handover | None:
    """Return the descriptors in the arguments of `manage.py` if they start the second half, else None."""
    match arguments:
        case [_, "serve", str(option), listener, signals] if option == LISTENING_ON and (listener + signals).isdigit():
            return Handover(int(listener), int(signals))
        case _:
            return None


def serve_on(handover: Handover) -> None:
    """Run the web server until a stop signal arrives. Exit with 1 and one line if it cannot start."""
    is_embedded = settings.DATABASES["default"]["ENGINE"] == "ownsona_site.embedded_postgres"
    listener = socket.socket(fileno=handover.listener)
    try:
        if is_embedded:
            # The first half left the server running. From here on it is stopped when this process exits.
            get_server(Path(settings.DATA_DIR)).register()
        # Before stop signals raise an exception: it imports modules, and in an import that becomes another exception.
        configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
        _handle_stop_signals(handover.signals)
        watch_disk()
        if is_embedded:
            get_server(Path(settings.DATA_DIR)).use()
        supervise(_web_server(listener), lambda: is_answering(listener), _show_next_steps)
    except (ProgramEnded, EmbeddedServerError) as error:
        exit_if_stopped()
        sys.exit(f"OwnSona stops. {error}")
    print("OwnSona has stopped.", flush=True)


def _handle_stop_signals(noted: int) -> None:
    """Exit on a stop signal, also on one that arrived while the process was replaced; `noted` is their pipe."""
    exit_on_stop_signal()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, stop_signals())
    # The other end was closed when the process was replaced: reading does not wait.
    if os.read(noted, 1):
        sys.exit(0)
    os.close(noted)


def _web_server(listener: socket.socket) -> Program:
    """Return the web server, which uses the open socket `listener`. One of its processes runs the jobs."""
    command = [
        *(sys.executable, "-m", "gunicorn", "ownsona_site.asgi", f"--bind=fd://{listener.fileno()}"),
        *("--worker-class=ownsona_site.startup.workers.create_worker", f"--workers={settings.WEB_CONCURRENCY + 1}"),
        # The code is loaded once and then forked, so more workers need neither start-up time nor memory for it.
        *("--preload", "--log-level=warning", "--no-control-socket", "--asgi-lifespan=off"),
        # For requests and jobs that run when the server is stopped. Less than the supervisor's STOP_LIMIT_SECONDS.
        "--graceful-timeout=10",
        # Longer than clients and proxies keep an idle connection (Caddy: two minutes). The sender of requests must be
        # the side that closes first: otherwise a request is lost if the server closes the connection at that moment.
        "--keep-alive=150",
        # gunicorn's maximum: during the login, an app's authorization request is embedded in another, longer URL.
        "--limit-request-line=8190",
        # Only `ownsona_site.web.trusted_proxies` decides which forwarded headers are trusted.
        "--forwarded-allow-ips=",
        *(f"--chdir={settings.BASE_DIR}", f"--worker-tmp-dir={settings.DATA_DIR}"),
    ]
    return Program("web server", command, inherits=[listener.fileno()])


def _show_next_steps() -> None:
    """Print the next steps for the owner, once the server responds."""
    print(
        f"\nOwnSona {settings.VERSION} is ready.\n\n"
        f"    Paste this URL into your assistant:  {settings.PUBLIC_URL}/mcp\n"
        f"    How to connect each client:          {settings.PUBLIC_URL}/\n"
        f"    See and manage your memories:        {settings.PUBLIC_URL}/admin/\n\n"
        f"Your data is in {settings.DATA_DIR}. Stop with Ctrl-C.",
        flush=True,
    )
