"""The table of agents."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Agent(models.Model):
    """An agent that was written on the page or read from a file, or that a shipped agent is disabled.

    `definition` is `AgentDefinition.as_data`; null for a file that was never valid, and for a shipped agent. `version`
    grows with each change, so that two editors do not overwrite each other. Of a file, `name` is its name without
    suffix, `digest` the SHA-256 of the content that was read last, and `problem` its error, with the line if it has
    one: then `definition` is the last valid one.
    """

    class Source(models.TextChoices):
        """The place of the definition. That of a file is its suffix."""

        PAGE = "page"
        TOML = "toml"
        LUA = "lua"
        SHIPPED = "shipped"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    source = models.TextField(choices=Source)
    name = models.TextField()
    definition = models.JSONField(null=True)
    is_enabled = models.BooleanField(default=True)
    version = models.PositiveIntegerField(default=1)
    digest = models.TextField(default="", blank=True)
    problem = models.TextField(default="", blank=True)
    problem_line = models.PositiveIntegerField(null=True)
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["owner", "name", "source"], name="agent_unique_name"),
            models.CheckConstraint(
                condition=models.Q(source__in=["page", "toml", "lua", "shipped"]), name="agent_source"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def file_name(self) -> str:
        """The name of the file, if it is one."""
        return f"{self.name}.{self.source}"


FILES = (Agent.Source.TOML, Agent.Source.LUA)
"""The places that are files. If two have the same name, the first one is used."""
