"""Custom tools, and what their owner allows them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class CustomTool(models.Model):
    """A tool that its owner has defined, on a page or as a file of the data folder.

    - `source`: the Lua script, or the HTTP template as JSON.
    - `declaration`: what it declares, validated (see `definitions/declaration.py`); None if it was never valid.
    - `file_name`: the file that it comes from; "" for a tool of the page. A file takes precedence.
    - `file_digest`: the SHA-256 of the file's content that was read last, in hexadecimal digits.
    - `problem`, `problem_line`: why that content cannot be used. The last valid definition stays active.
    - `version`: grows with each change. Two editors at the same time are noticed by it.
    """

    class Kind(models.TextChoices):
        LUA = "lua", "Lua script"
        HTTP = "http", "HTTP request"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.TextField()
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.LUA)
    source = models.TextField()
    declaration = models.JSONField(null=True, editable=False)
    is_enabled = models.BooleanField("enabled", default=True)
    file_name = models.TextField(default="", blank=True, editable=False)
    file_digest = models.CharField(max_length=64, default="", blank=True, editable=False)
    problem = models.TextField(default="", blank=True, editable=False)
    problem_line = models.PositiveIntegerField(default=0, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "name"], condition=Q(file_name=""), name="customtool_unique_name_on_page"
            ),
            models.UniqueConstraint(
                fields=["owner", "file_name"], condition=~Q(file_name=""), name="customtool_unique_file"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class AllowedHost(models.Model):
    """A server that the owner's custom tools may send requests to.

    `origin` is its scheme, host and port, such as https://api.example.com. With `is_private`, it may be in a private
    network or on this machine.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    origin = models.TextField("address")
    is_private = models.BooleanField("in a private network", default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "origin"], name="allowedhost_unique_origin")]

    def __str__(self) -> str:
        return self.origin


class ToolSecret(models.Model):
    """A secret that custom tools send to allowed servers by its name. Scripts never see its value."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.TextField()
    encrypted_value = models.TextField(editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="toolsecret_unique_name")]

    def __str__(self) -> str:
        return self.name


class ToolLogLine(models.Model):
    """A line for the owner: what a custom tool logged, or why a call failed. Secrets are redacted."""

    class Level(models.TextChoices):
        INFO = "info", "Message"
        ERROR = "error", "Error"
        TIMEOUT = "timeout", "Timeout"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    tool = models.TextField()
    at = models.DateTimeField()
    level = models.CharField(max_length=8, choices=Level.choices)
    text = models.TextField()
    client_name = models.TextField("app", default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "-at"], name="toollogline_by_time")]

    def __str__(self) -> str:
        return f"{self.tool}: {self.text}"
