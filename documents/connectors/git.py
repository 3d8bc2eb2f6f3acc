"""Connector for a branch of a git repository."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.utils.translation import gettext_noop
from pydantic import Field, SecretStr, field_validator, model_validator

from common.networking.outbound import allowed_addresses
from common.texts import translatable
from documents.connectors.base import (
    Connector,
    ConnectorContext,
    PathSettings,
    Skipped,
    SourceError,
    SourceItem,
    setting_error,
)
from documents.connectors.parts.budget import Budget, out_of_time, too_large, total_too_large
from documents.connectors.parts.git_errors import source_error
from documents.connectors.parts.git_program import GitFailed, GitProgram, ObjectReader, require_version
from documents.connectors.parts.git_urls import GitAddress, parse_address
from documents.connectors.parts.keys import display_name, key_of, path_of, path_text
from documents.connectors.parts.network_policy import network_errors, policy

TIP = "refs/ownsona/tip"
BLOB_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# git-check-ref-format(1), and no leading hyphen.
BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|//|@\{|/\.|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])")
# https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md: a pointer has less than 1024 bytes.
LFS_POINTER = b"version https://git-lfs.github.com/spec/"
LFS_POINTER_BYTES = 1024


class GitSettings(PathSettings):
    """Settings of a git repository."""

    address_settings = frozenset({"url"})

    url: str = Field(
        description=gettext_noop("The repository: an https or ssh URL, or the path of one on this machine.")
    )
    branch: str = Field(
        default="", description=gettext_noop("The branch. Empty: the default branch of the repository.")
    )
    subfolder: str = Field(
        default="", description=gettext_noop("Read only this folder of the repository. Empty: all of it.")
    )
    token: SecretStr | None = Field(
        default=None, description=gettext_noop("An access token for https that may read the repository.")
    )
    username: str = Field(
        default="git",
        description=gettext_noop("The user name for the token. Most servers, such as GitHub, accept any."),
    )
    allow_private: bool = Field(
        default=False,
        description=gettext_noop(
            "Needed for servers in your home or company, and for http, which sends the token unencrypted."
        ),
    )

    @field_validator("url")
    @classmethod
    def _is_address(cls, url: str) -> str:
        parse_address(url)
        return url

    @field_validator("branch")
    @classmethod
    def _is_branch(cls, branch: str) -> str:
        if branch and (branch == "@" or not BRANCH.fullmatch(branch)):
            raise ValueError(translatable("must be the name of a branch"))
        return branch

    @field_validator("subfolder")
    @classmethod
    def _is_relative(cls, subfolder: str) -> str:
        subfolder = subfolder.strip("/")
        if subfolder:
            path_of(subfolder)
        return subfolder

    @field_validator("username")
    @classmethod
    def _is_user_name(cls, username: str) -> str:
        # RFC 7617, section 2: no colon and no control characters.
        if not username or ":" in username or not username.isprintable():
            raise ValueError(translatable("must not be empty or contain colons or control characters"))
        return username

    @property
    def local_setting(self) -> str | None:
        return "url" if parse_address(self.url).transport in {"file", "ssh"} else super().local_setting

    @model_validator(mode="after")
    def _fits_together(self) -> GitSettings:
        transport = parse_address(self.url).transport
        if transport == "http" and not self.allow_private:
            raise setting_error(
                "url",
                translatable("must be an https URL, unless servers in your own network are allowed"),
            )
        if self.token is not None and transport not in {"https", "http"}:
            raise setting_error("token", translatable("only used with an https URL"))
        return self


class GitConnector(Connector[GitSettings]):
    """A reader of the files in the latest commit of a branch.

    A bare repository in the cache folder has a shallow copy of the branch. Only one process at a time may use it.
    `modified_at` is None: a shallow copy does not know when a file was changed.
    """

    settings_model = GitSettings

    def __init__(self, settings: GitSettings, context: ConnectorContext) -> None:
        super().__init__(settings, context)
        self._filter = settings.path_filter()
        self._address = parse_address(settings.url)
        # Another URL is another repository, of which nothing is known.
        name = hashlib.sha256(settings.url.encode()).hexdigest()[:32]
        self._mirror = context.cache_folder / f"{name}.git"
        self._objects: ObjectReader | None = None

    def check(self) -> None:
        """Raise SourceError unless the repository has the branch."""
        budget = Budget(self._limits)
        deadline = budget.request_deadline()
        found = self._run(self._remote(budget), ["ls-remote", "origin", self._remote_ref], deadline)
        if not found:
            raise source_error("couldn't find remote ref")

    def listing(self, known: Mapping[str, str]) -> Iterator[SourceItem | Skipped]:
        """Fetch the branch and yield its files. Raises SourceError."""
        budget = Budget(self._limits)
        self._update(budget)
        is_empty = True
        for mode, blob_id, size, path in self._tree():
            is_empty = False
            budget.check_time()
            if not self._filter.matches(path_text(path)):
                continue
            found = self._described(mode, blob_id, path, size, known)
            if isinstance(found, SourceItem):
                budget.add_item()
                budget.add_bytes(found.size_bytes or 0)
            yield found
        if is_empty and self._settings.subfolder:
            raise SourceError("not_found", translatable("subfolder: The branch has no such folder. Check the name."))

    def read(self, item: SourceItem) -> bytes:
        """Return the content. Raises SourceError."""
        content = self._blob(item.fingerprint) if BLOB_ID.fullmatch(item.fingerprint) else None
        if content is None:
            raise SourceError(
                "not_found",
                translatable(
                    "%(display_name)s was changed or deleted. The next run notices that.",
                    display_name=display_name(item.key),
                ),
            )
        if len(content) > self._limits.item_bytes:
            raise SourceError("too_large", f"{display_name(item.key)}: {too_large(self._limits.item_bytes)}")
        return content

    def close(self) -> None:
        """End the process that reads objects."""
        if self._objects:
            self._objects.close()
            self._objects = None

    @property
    def _remote_ref(self) -> str:
        return f"refs/heads/{self._settings.branch}" if self._settings.branch else "HEAD"

    def _update(self, budget: Budget) -> None:
        """Fetch the branch. A repository in the cache that git cannot use is replaced by a new one."""
        self.close()
        is_new = not (self._mirror / "HEAD").exists()
        remote = self._remote(budget)
        try:
            self._fetch(remote, budget)
        except SourceError as error:
            if is_new or error.reason != "failed":
                raise
            shutil.rmtree(self._mirror, ignore_errors=True)
            self._fetch(self._remote(budget), budget)

    def _fetch(self, remote: GitProgram, budget: Budget) -> None:
        options = ["--quiet", "--depth=1", "--force", "--update-shallow", "--no-tags", "--no-write-fetch-head"]
        self._run(remote, ["fetch", *options, "origin", f"+{self._remote_ref}:{TIP}"], budget.deadline)
        # Once there are many packs, the objects of earlier commits are removed.
        self._run(self._local(), ["gc", "--auto", "--prune=now", "--quiet"], budget.deadline)

    def _remote(self, budget: Budget) -> GitProgram:
        """Return git with access to the remote repository, after its address was checked. Raises SourceError."""
        self._create_mirror(budget)
        settings = {"remote.origin.url": self._address.url}
        variables: dict[str, str] = {}
        if self._address.is_local:
            if not Path(self._address.url).exists():
                raise SourceError(
                    "not_found", translatable("url: There is no such path. If it is on a disk or a share, connect it.")
                )
        else:
            addresses = self._checked_addresses(budget)
            settings |= self._http_settings(addresses)
            variables["GIT_SSH_COMMAND"] = _ssh_command(self._address, addresses[0])
        return GitProgram(self._mirror, self._address.transport, settings, variables)

    def _local(self) -> GitProgram:
        """Return git without access to anything else than the copy in the cache."""
        return GitProgram(self._mirror, "", {})

    def _create_mirror(self, budget: Budget) -> None:
        if (self._mirror / "HEAD").exists():
            return
        self._mirror.mkdir(parents=True, exist_ok=True)
        local = self._local()
        require_version(local, budget.deadline)
        self._run(local, ["init", "--quiet", "--bare", "--template="], budget.deadline)

    def _checked_addresses(self, budget: Budget) -> list[str]:
        network = policy(self._context.network, allow_private=self._settings.allow_private)
        with network_errors("url: "):
            return allowed_addresses(self._address.host, network, budget.request_deadline())

    def _http_settings(self, addresses: list[str]) -> dict[str, str]:
        settings: dict[str, str] = {}
        if self._address.host not in addresses:
            bracketed = ",".join(f"[{address}]" if ":" in address else address for address in addresses)
            # git 2.37 and newer connects to the addresses that were checked. Older ones resolve the name again.
            settings["http.curloptResolve"] = f"{self._address.host}:{self._address.port}:{bracketed}"
        if self._settings.token is not None:
            login = f"{self._settings.username}:{self._settings.token.get_secret_value()}"
            header = f"Authorization: Basic {b64encode(login.encode()).decode()}"
            settings[f"http.{self._address.origin}.extraHeader"] = header
        return settings

    def _run(self, program: GitProgram, arguments: list[str], deadline: float) -> bytes:
        next_look = 0.0

        def is_too_large() -> bool:
            nonlocal next_look
            if time.monotonic() < next_look:
                return False
            next_look = time.monotonic() + 1
            # Packs are compressed and contain old commits, so this only stops a repository that is much too large.
            return _folder_size(self._mirror) > self._limits.total_bytes

        try:
            return program.run(arguments, deadline, is_too_large)
        except GitFailed as error:
            raise source_error(error.stderr) from None
        except TimeoutError:
            raise out_of_time(self._limits.seconds) from None
        except BufferError:
            shutil.rmtree(self._mirror, ignore_errors=True)
            raise total_too_large(self._limits.total_bytes) from None

    def _tree(self) -> Iterator[tuple[bytes, str, int, bytes]]:
        """Yield the mode, the id, the size in bytes and the path of each file below the subfolder."""
        subfolder = path_of(self._settings.subfolder) + b"/" if self._settings.subfolder else b""
        try:
            for record in self._local().records(["ls-tree", "-r", "-l", "-z", "--full-tree", TIP]):
                description, _, path = record.partition(b"\t")
                mode, _, blob_id, size = description.split()
                if path.startswith(subfolder):
                    # Submodules have no size.
                    yield mode, blob_id.decode("ascii"), int(size) if size.isdigit() else 0, path
        except GitFailed as error:
            raise source_error(error.stderr) from None

    def _described(
        self, mode: bytes, blob_id: str, path: bytes, size: int, known: Mapping[str, str]
    ) -> SourceItem | Skipped:
        key = key_of(path)
        if mode == b"160000":
            return Skipped(key, translatable("It is a submodule. Add its repository as a source of its own."))
        if mode == b"120000":
            return Skipped(key, translatable("It is a symbolic link, and links are not followed."))
        if size > self._limits.item_bytes:
            return Skipped(key, too_large(self._limits.item_bytes))
        if known.get(key) != blob_id and size < LFS_POINTER_BYTES and self._is_lfs_pointer(blob_id):
            return Skipped(
                key, translatable("Its content is in Git LFS, which is not supported. Use a clone with its content.")
            )
        return SourceItem(key=key, name=display_name(key), fingerprint=blob_id, size_bytes=size)

    def _is_lfs_pointer(self, blob_id: str) -> bool:
        return (self._blob(blob_id) or b"").startswith(LFS_POINTER)

    def _blob(self, blob_id: str) -> bytes | None:
        if self._objects is None:
            if not (self._mirror / "HEAD").exists():
                return None
            self._objects = self._local().open_objects()
        try:
            return self._objects.read(blob_id)
        except GitFailed as error:
            self.close()
            raise source_error(error.stderr) from None


def _ssh_command(address: GitAddress, server: str) -> str:
    """Return the command for ssh: without questions, and to the address that was checked."""
    alias = address.host if address.port == 22 else f"[{address.host}]:{address.port}"
    options = {
        "BatchMode": "yes",
        "StrictHostKeyChecking": "yes",
        "ConnectTimeout": "20",
        "ServerAliveInterval": "15",
        "PermitLocalCommand": "no",
        "ClearAllForwardings": "yes",
        "HostName": server,
        "HostKeyAlias": alias,
    }
    return "ssh " + " ".join(f"-o '{name}={value}'" for name, value in options.items())


def _folder_size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        try:
            size += path.lstat().st_size
        except OSError:
            # Temporary files of git come and go.
            continue
    return size
