"""Limits that the operating system enforces on the calling process. For separate processes without Django."""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

NOBODY: Final = 65_534
"""The id of a user and a group without rights on all common systems."""

_NETWORK_EVENTS: Final = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto")


def lower_limits(limits: Mapping[int, tuple[int, int]]) -> None:
    """Set the soft and the hard limit of each kind (`resource.RLIMIT_…`). A hard limit cannot be raised again.

    Linux enforces all of them. macOS has RLIMIT_AS, but refuses or ignores it.
    """
    for kind, (soft, hard) in limits.items():
        # ValueError, OSError: the platform does not know the limit, or a lower one is set already.
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))


def give_up_root() -> None:
    """Become the user and group nobody, for good, if this process is run by root.

    Otherwise RLIMIT_NPROC has no effect, and files of other users are readable.
    """
    if os.geteuid() != 0:
        return
    # OSError: a container can have no other users, or no permission to change.
    with suppress(OSError):
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def refuse_network(message: str) -> None:
    """Refuse connections from Python from now on, with PermissionError and this message."""

    def refuse(event: str, _arguments: tuple[object, ...]) -> None:
        if event in _NETWORK_EVENTS:
            raise PermissionError(message)

    sys.addaudithook(refuse)
