"""The servers and secrets that HTTP tools need and that their owner has not set up."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from customtools.definitions.reading import read_http
from customtools.models import AllowedHost, CustomTool, ToolSecret
from memories.errors import MemoriesError


@dataclass(frozen=True, slots=True)
class Missing:
    """The origin of the server of a tool if it is not allowed, otherwise "", and the names of unknown secrets."""

    origin: str = ""
    secrets: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.origin or self.secrets)


@dataclass(frozen=True, slots=True)
class Available:
    """The servers and secrets that the tools of an owner can use."""

    origins: Collection[str]
    secrets: Collection[str]

    @classmethod
    def of(cls, owner_id: int) -> Available:
        """Return those of an owner. Two queries."""
        return cls(
            frozenset(AllowedHost.objects.filter(owner_id=owner_id).values_list("origin", flat=True)),
            frozenset(ToolSecret.objects.filter(owner_id=owner_id).values_list("name", flat=True)),
        )

    def missing(self, tool: CustomTool) -> Missing:
        """Return what the tool needs and cannot use. Nothing is known of a script before it runs."""
        if tool.kind != CustomTool.Kind.HTTP or tool.declaration is None:
            return Missing()
        try:
            template = read_http(tool.source).template
        except MemoriesError:
            return Missing()
        origin = "" if template.origin in self.origins else template.origin
        return Missing(origin, [name for name in template.secret_names if name not in self.secrets])
