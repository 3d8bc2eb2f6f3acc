"""Typed settings from the environment and from `.env`, and their problems.

An invalid value raises nothing here. The default is used and the problem is recorded, so that the system check in
`checks.py` can report every invalid setting and its fix at once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import environ
import tzlocal

from common.networking.addresses import LOOPBACK_HOSTS

MAX_PREFIX_CHARS = 200

PREFIX = "OWNSONA_"
"""Only some settings begin with it. It is easily added to the others."""

LEAST_SIMILARITY, LEAST_SIMILARITY_WITH_PREFIX = 0.9, 0.8
"""Least similarity of a misspelled name and that of the setting, from 0 to 1, as `difflib` computes it. Names with the
prefix hardly belong to other programs."""


@dataclass(frozen=True)
class SettingProblem:
    """One invalid setting: its name, the problem and the fix."""

    setting: str
    message: str
    fix: str


@dataclass
class Environment:
    """Typed access to settings. `problems` collects the invalid settings, `names` the names of all settings read.

    Any setting can also be given as `NAME_FILE`, the path of a file that holds its value.
    """

    variables: Mapping[str, str]
    problems: list[SettingProblem] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    @classmethod
    def load(cls, env_file: Path) -> Environment:
        """Load the process environment, and from an env file, if it exists, the variables that are not set there.

        `OWNSONA_ENV_FILE` names another file than `env_file`.
        """
        environment = cls(os.environ)
        chosen = environment.text("OWNSONA_ENV_FILE")
        path = Path(chosen) if chosen else env_file
        if path.exists() and not os.access(path, os.R_OK):
            environment.reject("OWNSONA_ENV_FILE", f"{path} cannot be read.", "Make it readable, or remove it.")
        elif path.is_file():
            environ.Env.read_env(path, overwrite=False)
        elif chosen and not path.exists():
            environment.reject(
                "OWNSONA_ENV_FILE", f"There is no file {path}.", "Correct the path, or remove the setting."
            )
        return environment

    def reject(self, setting: str, message: str, fix: str) -> None:
        """Record that `setting` is invalid."""
        self.problems.append(SettingProblem(setting, message, fix))

    def misspelled(self) -> dict[str, str]:
        """Return the variables that are probably meant as a setting, each with the name of the setting.

        Call it when all settings have been read. Variables that are only similar may belong to other programs.
        """
        known = self.names | {f"{name}_FILE" for name in self.names}
        likely = {}
        for name in sorted(self.variables.keys() - known):
            rest = name.removeprefix(PREFIX)
            least = LEAST_SIMILARITY if rest == name else LEAST_SIMILARITY_WITH_PREFIX
            similar = [rest] if rest in known else get_close_matches(name, self.names, n=1, cutoff=least)
            if similar and "_" in name:
                likely[name] = similar[0]
        return likely

    def text(self, name: str, default: str = "") -> str:
        """Return the value of `name` without surrounding whitespace. An empty value counts as not set."""
        self.names.add(name)
        value = self.variables.get(name, "").strip()
        path = self.variables.get(f"{name}_FILE", "").strip()
        if value and path:
            self.reject(name, f"{name} and {name}_FILE are both set.", "Set only one of the two.")
        elif path:
            value = self._read_file(name, Path(path))
        return value or default

    def _read_file(self, name: str, path: Path) -> str:
        try:
            return path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            self.reject(f"{name}_FILE", f"{path} cannot be read: {error}.", "Point it at a readable text file.")
            return ""

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, or `default`."""
        value = self.text(name)
        if not value:
            return default
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if low <= number <= high:
            return number
        self.reject(name, f"{value!r} is not allowed.", f"Use a whole number from {low} to {high}.")
        return default

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a boolean, given as true/false, yes/no, on/off or 1/0."""
        value = self.text(name).lower()
        if not value:
            return default
        if value in {"1", "true", "yes", "on"}:
            return True
        if value not in {"0", "false", "no", "off"}:
            self.reject(name, f"{value!r} is neither true nor false.", "Use true or false.")
        return False

    def choice(self, name: str, allowed: tuple[str, ...]) -> str:
        """Return one of `allowed`, whose first value is the default."""
        value = self.text(name, allowed[0]).lower()
        if value in allowed:
            return value
        self.reject(name, f"{value!r} is not supported.", f"Use one of: {', '.join(allowed)}.")
        return allowed[0]

    def prefix(self, name: str) -> str | None:
        """Return a text that is put before others, with one space at its end: `none` means "", and not set None.

        A line break is written as \\n.
        """
        value = self.text(name).replace("\\n", "\n")
        if not value:
            return None
        if len(value) > MAX_PREFIX_CHARS or not value.replace("\n", " ").isprintable():
            self.reject(
                name,
                f"It is longer than {MAX_PREFIX_CHARS} characters or contains control characters.",
                "Use the prefix in the documentation of the model, or `none`.",
            )
            return None
        # Values are stripped. Models expect a space between the prefix and the text.
        return "" if value.lower() == "none" else f"{value} "

    def string_list(self, name: str) -> list[str]:
        """Return values that are separated by commas."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()]

    def origin_list(self, name: str) -> list[str]:
        """Return web origins (`https://host[:port]`) that are separated by commas."""
        origins = [origin.rstrip("/") for origin in self.string_list(name)]
        for origin in origins:
            if not is_origin(origin):
                self.reject(name, f"{origin!r} is not an origin.", "Use https://host or https://host:port.")
        return [origin for origin in origins if is_origin(origin)]

    def origin(self, name: str, default: str) -> str:
        """Return one web origin, without a trailing slash."""
        value = self.text(name, default).rstrip("/")
        if is_origin(value):
            return value
        self.reject(
            name, f"{value!r} is not the address of a server.", "Use https://host or http://host:port, no path."
        )
        return default

    def time_zone(self, name: str) -> ZoneInfo:
        """Return the time zone with an IANA name, such as Europe/Berlin. The default is the system's."""
        value = self.text(name) or system_time_zone()
        try:
            return ZoneInfo(value)
        except (KeyError, ValueError, OSError):  # An unknown name, a path, or a folder of zones.
            self.reject(
                name, f"{value[:100]!r} is not a time zone.", "Use an IANA name, such as Europe/Berlin, or UTC."
            )
            return ZoneInfo("UTC")

    def networks(self, name: str, default: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """Return addresses and networks (`192.0.2.0/24`) that are separated by commas, or `none`.

        A network of all addresses (`/0`) is rejected.
        """
        networks = []
        for part in self.text(name, default).split(","):
            try:
                network = None if part.strip().lower() in {"", "none"} else ip_network(part.strip())
            except ValueError:
                self.reject(name, f"{part.strip()!r} is not an address or a network.", "Use 192.0.2.1 or 192.0.2.0/24.")
                continue
            if network is not None and network.prefixlen == 0:
                self.reject(
                    name, f"{part.strip()!r} includes every address.", "Give the addresses of your own proxies only."
                )
            elif network is not None:
                networks.append(network)
        return tuple(networks)

    def url(self, name: str) -> str:
        """Return the unchanged URL of another server: https, or http on this machine. Empty if not set."""
        value = self.text(name)
        if not value or is_server_url(value):
            return value
        self.reject(name, f"{value!r} is not the address of a server.", "Use https://host/path, without ? and #.")
        return ""

    def database(self, name: str) -> dict[str, Any]:
        """Return Django's database settings for the PostgreSQL URL in `name`. Empty if not set."""
        url = self.text(name)
        if not url:
            return {}
        try:
            is_postgresql = urlsplit(url).scheme in {"postgres", "postgresql"}
            settings = environ.Env.db_url_config(url) if is_postgresql else {}
        except ValueError:  # An impossible port, or brackets around no address.
            settings = {}
        if not settings.get("NAME"):
            self.reject(
                name, "It does not name a PostgreSQL database.", "Use postgresql://user:password@host:port/database."
            )
            return {}
        # As in libpq, the host can be the folder of a socket, with percent-encoded slashes.
        options = {"connect_timeout": 10, **settings.get("OPTIONS", {})}
        return {
            **settings,
            "HOST": unquote(settings["HOST"]),
            "ENGINE": "django.db.backends.postgresql",
            "OPTIONS": options,
        }


def system_time_zone() -> str:
    """Return the IANA name of this machine's time zone, or UTC if it cannot be determined."""
    try:
        name = tzlocal.get_localzone_name()
        return ZoneInfo(name).key if name else "UTC"
    except (KeyError, ValueError, OSError):
        return "UTC"


def is_server_url(value: str) -> bool:
    """Return whether `value` is an https URL, or http on loopback, without user, query and fragment."""
    try:
        parts = urlsplit(value)
        is_valid = parts.port is None or parts.port > 0
    except ValueError:
        return False
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS)
    is_plain = not re.search(r"[?#@\s\x00-\x1f\\]", value)
    return is_valid and is_safe and is_plain and bool(parts.hostname)


def is_origin(value: str) -> bool:
    """Return whether `value` is a scheme (http or https), a host and optionally a port, and nothing else."""
    try:
        parts = urlsplit(value)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        return False
    extra = parts.path or parts.query or parts.fragment or parts.username is not None
    return port_is_valid and parts.scheme in {"http", "https"} and bool(parts.hostname) and not extra
