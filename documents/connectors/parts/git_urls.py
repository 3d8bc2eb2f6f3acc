"""Addresses of git repositories (git-clone(1), section GIT URLS)."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from common.texts import translatable

# [user@]host:path, without `::`, with which git marks the address of a transport helper such as ext.
SCP_LIKE = re.compile(r"(?:(?P<user>[\w.][\w.-]*)@)?(?P<host>[A-Za-z0-9][\w.-]*):(?P<path>(?![:/])[^\s]+)")
HOST = re.compile(r"[A-Za-z0-9][\w.-]*|[0-9A-Fa-f:.]+")
DEFAULT_PORTS = {"https": 443, "http": 80, "ssh": 22}


@dataclass(frozen=True, slots=True)
class GitAddress:
    """A repository: the URL for git, its transport, and for a server its host and port."""

    url: str
    transport: str
    host: str = ""
    port: int = 0

    @property
    def is_local(self) -> bool:
        """Whether the repository is on this machine."""
        return self.transport == "file"

    @property
    def origin(self) -> str:
        """The part of an http or https URL before the path."""
        return "/".join(self.url.split("/", 3)[:3]) + "/"


def parse_address(text: str) -> GitAddress:
    """Parse a URL or path. Raises ValueError for one that is not supported, or that contains a password."""
    if not text.isprintable():
        raise ValueError(translatable("must not contain control characters"))
    if text.startswith(("/", "~")):
        return _local(os.path.expanduser(text))
    if any(character.isspace() for character in text):
        raise ValueError(translatable("must not contain white space"))
    if "://" not in text:
        return _scp_like(text)
    parts = urlsplit(text)
    if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
        return _local(unquote(parts.path))
    if parts.scheme not in DEFAULT_PORTS or not parts.path.strip("/"):
        raise ValueError(translatable("must be an https or ssh URL with a path, or an absolute path"))
    if parts.password is not None or (parts.username is not None and parts.scheme != "ssh"):
        raise ValueError(translatable("must not contain a user name or password; use the field token"))
    if not HOST.fullmatch(parts.hostname or "") or (parts.username or "").startswith("-"):
        raise ValueError(translatable("must contain a valid host name"))
    return GitAddress(text, parts.scheme, parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme])


def _local(path: str) -> GitAddress:
    if not os.path.isabs(path):
        raise ValueError(translatable("must be an https or ssh URL, or an absolute path"))
    return GitAddress(str(Path(path)), "file")


def _scp_like(text: str) -> GitAddress:
    found = SCP_LIKE.fullmatch(text)
    if not found:
        raise ValueError(translatable("must be an https or ssh URL, or an absolute path"))
    return GitAddress(text, "ssh", found["host"], DEFAULT_PORTS["ssh"])
