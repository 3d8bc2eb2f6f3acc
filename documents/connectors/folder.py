"""Connector for a folder of this machine."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from django.utils.translation import gettext_noop
from pydantic import Field, field_validator

from common.texts import translatable
from documents.connectors.base import Connector, ConnectorContext, PathSettings, Skipped, SourceError, SourceItem
from documents.connectors.parts.budget import Budget, too_large
from documents.connectors.parts.keys import display_name, key_of, path_of, path_text
from documents.connectors.parts.patterns import IgnoreRules
from documents.connectors.parts.safe_open import FOLDER_FLAGS, NotRegular, folder_below, read_below

IGNORE_FILES = (b".gitignore", b".ownsonaignore")
IGNORE_FILE_BYTES = 256 * 1024
# The errors of a path that has become another one since it was listed: gone, a file instead of a folder, a link.
REPLACED = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class FolderSettings(PathSettings):
    """Settings of a folder."""

    path: str = Field(description=gettext_noop("The folder: an absolute path, or one that begins with `~/`."))
    ignore_files: bool = Field(
        default=True,
        description=gettext_noop("Leave out the files that a .gitignore or .ownsonaignore file in the folder lists."),
    )

    @property
    def local_setting(self) -> str | None:
        return "path"

    @field_validator("path")
    @classmethod
    def _is_absolute(cls, path: str) -> str:
        if "\0" in path or not os.path.isabs(os.path.expanduser(path)):
            raise ValueError(translatable("must be an absolute path, or begin with ~/"))
        return path


class FolderConnector(Connector[FolderSettings]):
    """A reader of the regular files in a folder and the folders below it.

    Symbolic links are not followed, wherever they lead: the target of a link that stays inside is listed by itself.
    """

    settings_model = FolderSettings

    def __init__(self, settings: FolderSettings, context: ConnectorContext) -> None:
        super().__init__(settings, context)
        self._filter = settings.path_filter()

    def check(self) -> None:
        """Raise SourceError unless the folder can be listed."""
        with self._root() as root:
            self._entries(root, ())

    def listing(self, known: Mapping[str, str]) -> Iterator[SourceItem | Skipped]:
        """Yield the files. Raises SourceError, also if the folder is empty and was not (see `_require_entries`)."""
        budget = Budget(self._limits)
        with self._root() as root:
            if known:
                self._require_entries(root)
            for found in self._walk(root, budget):
                if isinstance(found, SourceItem):
                    budget.add_item()
                    budget.add_bytes(found.size_bytes or 0)
                yield found
            self._require_same(root)

    def read(self, item: SourceItem) -> bytes:
        """Return the content. Raises SourceError."""
        shown = display_name(item.key)
        try:
            *folders, name = path_of(item.key).split(b"/")
            with self._root() as root, folder_below(root, folders, refuse=self._is_private) as folder:
                content = read_below(folder, name, self._limits.item_bytes)
        except ValueError as error:
            raise SourceError("invalid", translatable("The key of a file %(error)s.", error=error)) from None
        except FileNotFoundError:
            raise SourceError(
                "not_found", translatable("%(shown)s was deleted or moved. The next run notices that.", shown=shown)
            ) from None
        except PermissionError:
            raise SourceError(
                "forbidden", translatable("%(shown)s cannot be read. Allow OwnSona's user to read it.", shown=shown)
            ) from None
        except NotRegular:
            raise SourceError(
                "forbidden", translatable("%(shown)s is no longer a regular file.", shown=shown)
            ) from None
        except OSError as error:
            if error.errno in REPLACED:
                raise SourceError(
                    "forbidden", translatable("%(shown)s was replaced by a link, which is not followed.", shown=shown)
                ) from None
            raise self._failed(error) from None
        if content is None:
            raise SourceError(
                "too_large",
                translatable(
                    "%(shown)s has grown. %(too_large)s", shown=shown, too_large=too_large(self._limits.item_bytes)
                ),
            )
        return content

    @contextmanager
    def _root(self) -> Iterator[int]:
        """Open the folder, which may itself be reached through links, and yield its descriptor. Raises SourceError."""
        try:
            path = Path(os.path.realpath(os.path.expanduser(self._settings.path)))
            root = os.open(path, FOLDER_FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            raise SourceError(
                "not_found", translatable("path: There is no such folder. If it is on a disk or a share, connect it.")
            ) from None
        except PermissionError:
            raise SourceError("forbidden", translatable("path: Allow OwnSona's user to read the folder.")) from None
        except OSError as error:
            raise self._failed(error) from None
        try:
            if any(path.is_relative_to(os.path.realpath(private)) for private in self._context.private_folders):
                raise SourceError(
                    "forbidden", translatable("path: The folder of OwnSona's own data cannot be a source.")
                )
            yield root
        finally:
            os.close(root)

    def _require_entries(self, root: int) -> None:
        """Raise SourceError if there is nothing at all in the folder, as in the mount point of a missing disk."""
        if not self._entries(root, ()):
            raise SourceError(
                "not_found",
                translatable(
                    "path: The folder is empty, but it was not in the last run. If it is on a disk or a share, "
                    "connect it. If you have deleted the files, remove the source, too."
                ),
            )

    def _walk(self, root: int, budget: Budget) -> Iterator[SourceItem | Skipped]:
        pending: list[tuple[tuple[bytes, ...], IgnoreRules]] = [((), IgnoreRules())]
        while pending:
            budget.check_time()
            parts, rules = pending.pop()
            prefix = b"".join(part + b"/" for part in parts)
            try:
                with folder_below(root, parts) as folder:
                    if self._is_private(os.fstat(folder)):
                        continue
                    names = self._entries(folder, parts)
                    rules = self._extended(rules, folder, prefix, names)
                    found = [(prefix + name, status) for name in names if (status := _status(folder, name))]
            except OSError as error:
                if parts and error.errno in REPLACED:
                    # Deleted or replaced since the folder above was listed.
                    continue
                raise self._failed(error) from None
            for path, status in reversed(found):
                if stat.S_ISDIR(status.st_mode) and not self._is_left_out(path + b"/", rules):
                    pending.append((tuple(path.split(b"/")), rules))
            for path, status in found:
                if not stat.S_ISDIR(status.st_mode) and self._is_wanted(path, rules):
                    yield self._described(path, status)

    def _described(self, path: bytes, status: os.stat_result) -> SourceItem | Skipped:
        key = key_of(path)
        if stat.S_ISLNK(status.st_mode):
            return Skipped(key, translatable("It is a symbolic link, and links are not followed."))
        if not stat.S_ISREG(status.st_mode):
            return Skipped(key, translatable("It is a device, a FIFO or a socket."))
        if status.st_size > self._limits.item_bytes:
            return Skipped(key, too_large(self._limits.item_bytes))
        return SourceItem(
            key=key,
            name=display_name(key),
            # Programs can set the time of modification, but not that of the change of the inode.
            fingerprint=f"{status.st_size}-{status.st_mtime_ns}-{status.st_ctime_ns}",
            modified_at=_time(status.st_mtime),
            size_bytes=status.st_size,
        )

    def _entries(self, folder: int, parts: tuple[bytes, ...]) -> list[bytes]:
        """Return the names in the open `folder`, sorted. Raises SourceError."""
        try:
            return sorted(map(os.fsencode, os.listdir(folder)))
        except PermissionError:
            raise self._no_permission(parts) from None
        except OSError as error:
            raise self._failed(error) from None

    def _extended(self, rules: IgnoreRules, folder: int, prefix: bytes, names: list[bytes]) -> IgnoreRules:
        """Return `rules` with the ignore files of the open `folder`. Ignore files that cannot be read are not used."""
        if not self._settings.ignore_files:
            return rules
        for name in IGNORE_FILES:
            if name not in names:
                continue
            with suppress(OSError):
                content = read_below(folder, name, IGNORE_FILE_BYTES)
                rules = rules.extended(path_text(prefix), path_text(content or b"").splitlines())
        return rules

    def _is_wanted(self, path: bytes, rules: IgnoreRules) -> bool:
        return self._filter.matches(path_text(path)) and not rules.ignore(path_text(path))

    def _is_left_out(self, path: bytes, rules: IgnoreRules) -> bool:
        return self._filter.rules_out(path_text(path)) or rules.ignore(path_text(path))

    def _is_private(self, folder: os.stat_result) -> bool:
        return any(
            os.path.samestat(folder, private.stat()) for private in self._context.private_folders if private.exists()
        )

    def _require_same(self, root: int) -> None:
        """Raise SourceError if the path leads to another folder than `root` by now: a disk may be disconnected."""
        with self._root() as now:
            if not os.path.samestat(os.fstat(now), os.fstat(root)):
                raise SourceError(
                    "failed",
                    translatable("path: The folder was replaced while it was read. The next run reads it again."),
                )

    def _no_permission(self, parts: tuple[bytes, ...]) -> SourceError:
        if not parts:
            return SourceError("forbidden", translatable("path: Allow OwnSona's user to read the folder."))
        shown = display_name(key_of(parts[-1]))
        return SourceError(
            "forbidden",
            translatable(
                "The folder %(shown)s cannot be read. Allow OwnSona's user to read it, or add it to exclude.",
                shown=shown,
            ),
        )

    def _failed(self, error: OSError) -> SourceError:
        problem = error.strerror or type(error).__name__
        return SourceError(
            "failed",
            translatable("The folder cannot be read: %(problem)s. Check the disk or the share.", problem=problem),
        )


def _status(folder: int, name: bytes) -> os.stat_result | None:
    """Return the status of an entry of the open `folder`, not of the target of a link. None if it was deleted."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
