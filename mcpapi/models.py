"""The tables of the MCP endpoint: sessions, server requests, prompts, approvals, counts and the activity log."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy

from common.risks import Risk


class Session(models.Model):
    """The result of one `initialize`. Only the hash of its id is stored, so that reading the table grants no session.

    `over_sse`: the session belongs to one HTTP+SSE stream, which carries its responses and with which it ends.
    """

    id_hash = models.BinaryField(max_length=32, primary_key=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    client_id = models.TextField()
    protocol_version = models.TextField()
    client_info = models.JSONField(default=dict)
    client_capabilities = models.JSONField(default=dict)
    log_level = models.TextField(null=True, editable=False)
    subscriptions = ArrayField(models.TextField(), default=list, editable=False)
    over_sse = models.BooleanField(default=False, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    last_seen_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [models.Index(fields=["last_seen_at"], name="session_last_seen")]

    def __str__(self) -> str:
        return f"session of {self.client_id}"

    @property
    def short_id(self) -> str:
        """The beginning of the hash of its id: enough to tell sessions apart, but no way back to the id."""
        return bytes(self.id_hash).hex()[:12]


class ServerRequest(models.Model):
    """A server request to the client of a session, until its reply is read; see mcpapi/state/server_requests.py.

    `id` is the id of the request, `topic` that of the waiting call, `name` the call's name for it. `reply` is the
    received JSON, null until then. `is_error`: the client replied with an error. The table is not written to the
    database's log: after a crash no call waits any more.
    """

    id = models.TextField(primary_key=True)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    topic = models.TextField(db_index=True)
    name = models.TextField()
    reply = models.BinaryField(null=True)
    is_error = models.BooleanField(default=False)
    asked_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "mcpapi_question"

    def __str__(self) -> str:
        return f"request to the client of {self.session}"


class OutgoingMessage(models.Model):
    """A message to be sent on the stream of an HTTP+SSE session, which another process may hold.

    See mcpapi/state/sse_mailbox.py.

    The table is not written to the database's log: after a crash no stream is left.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    content = models.BinaryField()
    kept_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"message for {self.session}"


class OwnPrompt(models.Model):
    """A prompt that the owner wrote for their assistants; see mcpapi/prompts/own.py.

    `arguments` are objects of `name`, `description` and `required`; `messages` of `role` (user or assistant) and `text`
    with {placeholders}.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    name = models.CharField(max_length=64)
    title = models.CharField(max_length=100, blank=True)
    description = models.CharField(max_length=300, blank=True)
    arguments = models.JSONField(default=list)
    messages = models.JSONField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "prompt"
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="own_prompt_unique_name")]

    def __str__(self) -> str:
        return self.title or self.name


class RateWindow(models.Model):
    """The number of requests of a connection in each of the last seconds, oldest first; see mcpapi/state/rate_limit.py.

    `second` is the last one, in Unix seconds. The table is not written to the database's log: after a crash it is
    empty.
    """

    permission = models.TextField(primary_key=True)
    second = models.BigIntegerField()
    slots = ArrayField(models.IntegerField())

    def __str__(self) -> str:
        return f"requests of {self.permission}"


class CallCount(models.Model):
    """The number of calls of one kind, and their total duration; see mcpapi/observability/call_counts.py.

    It covers the calls that took at most `at_most_seconds`, and longer than the next smaller bound. The table is not
    written to the database's log: after a crash the counts start from zero.
    """

    pk = models.CompositePrimaryKey("method", "tool", "result", "at_most_seconds")
    method = models.TextField()
    tool = models.TextField()
    result = models.TextField()
    at_most_seconds = models.FloatField()
    calls = models.BigIntegerField()
    seconds = models.FloatField()

    def __str__(self) -> str:
        return f"{self.calls} of {self.tool or self.method}"


class AuditLine(models.Model):
    """One call: its sender, its method, the memories and documents that it showed or changed, and its result.

    See mcpapi/observability/audit.py.

    `result` is OK, a tool's error code or the reason of a protocol error. `dry_run`: the call only asked what would
    happen. `hard_delete`: it was to delete permanently. `memory_ids` holds the first memories, `memory_count` their
    number. `document_ids` and `document_count` are the same for documents.
    """

    OK = "ok"

    at = models.DateTimeField()
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    client_id = models.TextField()
    client_name = models.TextField()
    session = models.TextField()
    protocol_version = models.TextField()
    method = models.TextField()
    tool = models.TextField()
    dry_run = models.BooleanField(default=False)
    hard_delete = models.BooleanField(default=False, db_default=False)
    memory_ids = ArrayField(models.BigIntegerField())
    memory_count = models.IntegerField()
    document_ids = ArrayField(models.UUIDField(), default=list)
    document_count = models.IntegerField(default=0)
    result = models.TextField()
    milliseconds = models.FloatField()
    query = models.TextField()

    class Meta:
        verbose_name = "call"
        verbose_name_plural = "activity"
        indexes = [
            models.Index(fields=["owner", "-at", "-id"], name="audit_newest"),
            models.Index(fields=["owner", "client_id", "-at", "-id"], name="audit_by_app"),
            models.Index(fields=["owner", "tool", "-at", "-id"], name="audit_by_tool"),
            models.Index(fields=["owner", "-at", "-id"], name="audit_failed", condition=~Q(result="ok")),
            GinIndex(fields=["memory_ids"], name="audit_memories"),
            GinIndex(fields=["document_ids"], name="audit_documents", condition=Q(document_count__gt=0)),
        ]

    def __str__(self) -> str:
        return f"{self.tool or self.method} by {self.client_name}"


class Approval(models.Model):
    """A risky call that an app wants to make, and the owner's decision; see mcpapi/approvals/approval_store.py.

    `permission` names the app's connection, as in RateWindow. `digest` is the SHA-256 of the action with what it
    affects. `summary` describes the action, `memory_ids` and `document_ids` what it affects: never texts or titles.
    `reason` is the app's, and is deleted with the decision. `expires_at` is the deadline of the decision, and once
    decided the end of its validity.
    """

    class State(models.TextChoices):
        """The states of an approval. All but the first are final, except that an approved one is used once."""

        ASKED = "asked", gettext_lazy("Waiting")
        APPROVED = "approved", gettext_lazy("Approved")
        REJECTED = "rejected", gettext_lazy("Rejected")
        USED = "used", gettext_lazy("Carried out")

    class Place(models.TextChoices):
        """The place of the decision."""

        APP = "app", gettext_lazy("in the app")
        PAGE = "page", gettext_lazy("on these pages")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+")
    permission = models.TextField()
    client_name = models.TextField()
    tool = models.TextField()
    risk = models.TextField(choices=Risk.choices)
    summary = models.TextField()
    memory_ids = ArrayField(models.BigIntegerField())
    document_ids = ArrayField(models.UUIDField(), default=list)
    reason = models.TextField()
    digest = models.BinaryField(max_length=32)
    state = models.TextField(choices=State.choices, default=State.ASKED)
    asked_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_in = models.TextField(choices=Place.choices, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["owner", "-asked_at"], name="approval_newest"),
            models.Index(fields=["permission", "-asked_at"], name="approval_of_app"),
        ]

    def __str__(self) -> str:
        return f"{self.summary}, requested by {self.client_name}"
