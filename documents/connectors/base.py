"""Interface of connectors: items, errors, limits, settings, and the base class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Generic, Literal, Self, TypeVar

from django.utils.translation import gettext_noop
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from common.networking.outbound import NetworkPolicy
from documents.connectors.parts.patterns import PathFilter

MEGABYTE = 1_000_000

Reason = Literal[
    "not_configured", "not_found", "forbidden", "unreachable", "too_large", "too_many_items", "invalid", "failed"
]
"""Why a source or an item cannot be read. `unreachable` is the only one that may pass without the owner's help."""


class SourceError(Exception):
    """A failure to read a source or an item.

    `str(error)` is for the owner: it says how to fix the problem and contains no credential.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """An invalid setting of a source: its name, and the problem as a phrase without its value."""

    setting: str
    problem: str

    def __str__(self) -> str:
        return f"{self.setting}: {self.problem}." if self.setting else f"{self.problem}."


class InvalidSettings(SourceError):
    """Settings that a connector refuses."""

    def __init__(self, problems: Sequence[SettingProblem]) -> None:
        super().__init__("invalid", " ".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class SourceItem:
    """A document of a source, without its content.

    `key` identifies it within the source across runs. `name` is a file name for display and for detecting the format.
    `fingerprint` is opaque; it changes whenever the content changes, so an item with a known fingerprint need not be
    read again. `content_type` is the header of that name, if the source has one. `modified_at` is aware.

    All strings can be encoded in UTF-8 and contain no NUL.
    """

    key: str
    name: str
    fingerprint: str
    url: str | None = None
    modified_at: datetime | None = None
    size_bytes: int | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """An item that is left out, and a sentence that says why.

    If it `is_temporary`, it exists but could not be read in this run: keep the version of the last run. Otherwise, it
    is not part of the source any more.
    """

    key: str
    why: str
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """Limits of one run.

    `items` and `seconds` are for a listing, `request_seconds` for one request to a server. Larger items than
    `item_bytes` are skipped. `total_bytes` is the size of all items together, or of all responses to the listing of a
    web source.
    """

    items: int = 10_000
    item_bytes: int = 100 * MEGABYTE
    total_bytes: int = 10_000 * MEGABYTE
    seconds: float = 3600.0
    request_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class ConnectorContext:
    """Surroundings of a connector, which its settings do not contain.

    `cache_folder` belongs to one source and may be deleted between two runs. `network` is the policy for servers on
    the internet. Files in `private_folders`, such as the data folder with the secret key, are never read.
    """

    cache_folder: Path
    limits: SourceLimits = SourceLimits()
    network: NetworkPolicy = field(default_factory=lambda: NetworkPolicy(port=None))
    private_folders: tuple[Path, ...] = ()


SETTING_ERROR = "setting"
"""The type of errors of `setting_error`."""


def setting_error(setting: str, problem: str) -> PydanticCustomError:
    """Return the error of a validator that compares several settings. It is about the one named `setting`."""
    return PydanticCustomError(SETTING_ERROR, "{problem}", {"setting": setting, "problem": problem})


class ConnectorSettings(BaseModel):
    """Settings of a connector. Secrets are `SecretStr`, and no error repeats a value.

    `address_settings` are those that decide which server receives the secrets.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    address_settings: ClassVar[frozenset[str]] = frozenset()

    @property
    def local_setting(self) -> str | None:
        """The name of the setting by which the source reads what belongs to the person who runs the server, if there is
        one: files of this machine, servers in its network, or what its ssh key opens.
        """
        return "allow_private" if getattr(self, "allow_private", False) else None


class PathSettings(ConnectorSettings):
    """Settings of a connector with items that have paths."""

    include: list[str] = Field(
        default=[],
        description=gettext_noop(
            "Patterns in the format of .gitignore, such as `*.md` or `/docs/`. Only files that match one are "
            "read. Empty: all files."
        ),
    )
    exclude: list[str] = Field(
        default=[], description=gettext_noop("Patterns in the format of .gitignore. Files that match one are not read.")
    )
    hidden: bool = Field(
        default=False, description=gettext_noop("Read files and folders with names that begin with a dot.")
    )

    @field_validator("include", "exclude")
    @classmethod
    def _are_patterns(cls, patterns: list[str]) -> list[str]:
        PathFilter(patterns)
        return patterns

    def path_filter(self) -> PathFilter:
        """Return the filter that these settings describe."""
        return PathFilter(self.include, self.exclude, hidden=self.hidden)


Settings = TypeVar("Settings", bound=ConnectorSettings)


class Connector(ABC, Generic[Settings]):
    """A reader of one source. Not thread-safe. A context manager that closes it at the end."""

    settings_model: ClassVar[type[ConnectorSettings]]

    def __init__(self, settings: Settings, context: ConnectorContext) -> None:
        self._settings = settings
        self._context = context
        self._limits = context.limits

    @abstractmethod
    def check(self) -> None:
        """Raise SourceError unless the source can be read now."""

    @abstractmethod
    def listing(self, known: Mapping[str, str]) -> Iterator[SourceItem | Skipped]:
        """Yield every item of the source, each key once.

        `known` maps the keys of the last run to their fingerprints, so that unchanged items are not downloaded. Keys in
        `known` that are not yielded have been deleted. Raises SourceError if the listing is not complete: then nothing
        is known about the keys that were not yielded.
        """

    @abstractmethod
    def read(self, item: SourceItem) -> bytes:
        """Return the content, of at most `item_bytes`. Raises SourceError.

        Cheapest between two items of the listing, immediately after `item`.
        """

    def close(self) -> None:
        """Release processes and connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
