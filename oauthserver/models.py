"""Who can log in, which apps were let in, and the keys that sign their tokens."""

from __future__ import annotations

import uuid
from typing import ClassVar, Self
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from oauth2_provider.models import AbstractApplication

from oauthserver.redirects import leads_to_this_computer, redirect_uri_matches, redirect_uri_problem


class User(AbstractUser):  # type: ignore[django-manager-missing]  # the app's link to its user has no types
    """A person who owns memories. `id` is the `sub` of their tokens and is never reused."""


class Application(AbstractApplication):  # type: ignore[misc]  # the library has no types
    """An app (OAuth client) that may ask a person for access to their memories."""

    class AuthMethod(models.TextChoices):
        """How the app proves who it is at the token endpoint (RFC 7591, section 2)."""

        NONE = "none", "Nothing (public app)"
        BASIC = "client_secret_basic", "Secret in the header"
        POST = "client_secret_post", "Secret in the body"

    objects: ClassVar[models.Manager[Application]] = models.Manager()

    # `salt$digest` of `client_secrets`, where the library would use a password hash.
    client_secret = models.CharField(max_length=128, blank=True, default="", editable=False)
    hash_client_secret: ClassVar[None] = None
    token_endpoint_auth_method = models.CharField(max_length=32, choices=AuthMethod.choices, default=AuthMethod.NONE)
    registration_token_sha256 = models.CharField(max_length=64, blank=True, default="", editable=False)
    # The address; of IPv6 the first of its /64.
    registered_from = models.GenericIPAddressField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "registered app"
        indexes = [models.Index(fields=["created"], name="application_created")]

    def clean(self) -> None:
        """Raises ValidationError when a redirect URI is missing or not allowed."""
        uris = self.redirect_uris.split()
        problems = [f"{uri!r} {problem}." for uri in uris if (problem := redirect_uri_problem(uri))]
        if not uris:
            problems = ["At least one redirect URI is needed."]
        if problems:
            raise ValidationError({"redirect_uris": problems})

    def redirect_uri_allowed(self, uri: str) -> bool:
        return any(redirect_uri_matches(registered, uri) for registered in self.redirect_uris.split())

    @property
    def is_self_registered(self) -> bool:
        """Whether the app itself chose its name, so that nobody vouches for it."""
        return bool(self.registration_source != self.RegistrationSource.MANUAL)

    @property
    def publisher(self) -> str:
        """The host that has published the document about the app, which proves that it stands behind it; else empty."""
        is_published = self.registration_source == self.RegistrationSource.CIMD
        return (urlsplit(self.client_id).hostname or "") if is_published else ""

    @property
    def can_be_impersonated(self) -> bool:
        """Whether any program on the person's computer can answer in the place of the app."""
        return all(map(leads_to_this_computer, self.redirect_uris.split()))


class Permission(models.Model):
    """What a person lets someone do with their memories: the most that any token of it is good for.

    `scopes` names the memory scopes (see scopes.py); `tags` the memories, by canonical tag, empty for all of them;
    `tools` the tools that can be called, by patterns (see tool_patterns.py), empty for all of them. Where `tools` is
    empty, `profile` says which tools are shown. With `quarantine` what the app infers waits for the person. `approvals`
    names the risks (see common/risks.py) of calls that the person is asked about first: in the app, too, with
    `asks_in_app`, else on the page Approvals alone.
    """

    class Profile(models.TextChoices):
        """How long a list of tools is wanted: every assistant pays for it in every conversation."""

        AUTOMATIC = "auto", "Automatic: everything to those who may erase and export, the core to others"
        CORE = "core", "Core: what daily use needs"
        MAINTENANCE = "maintenance", "Maintenance: what tidying up needs"
        ALL = "all", "All tools"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, editable=False, related_name="+")
    scopes = ArrayField(models.TextField(), default=list)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    tools = ArrayField(models.TextField(), default=list, blank=True)
    profile = models.CharField(max_length=16, choices=Profile.choices, default=Profile.AUTOMATIC)
    quarantine = models.BooleanField(default=False)
    approvals = ArrayField(models.TextField(), default=list, blank=True)
    asks_in_app = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    reads = models.BigIntegerField(default=0, editable=False)
    writes = models.BigIntegerField(default=0, editable=False)

    objects: ClassVar[models.Manager[Self]]

    class Meta:
        abstract = True


class Connection(Permission):
    """What a person allowed an app: kept when the app is disconnected, so that earlier choices can be shown again.

    `declined` names the scopes that the app asked for last time and the person left out.
    """

    objects: ClassVar[models.Manager[Connection]] = models.Manager()

    application = models.ForeignKey(Application, on_delete=models.CASCADE, editable=False, related_name="connections")
    declined = ArrayField(models.TextField(), default=list, editable=False)

    class Meta:
        verbose_name = "connected app"
        constraints = [models.UniqueConstraint(fields=["user", "application"], name="connection_unique")]

    def __str__(self) -> str:
        return str(self.application)


class PersonalToken(Permission):
    """A bearer token that a person made for a script of their own. Its value is shown once and stored hashed."""

    objects: ClassVar[models.Manager[PersonalToken]] = models.Manager()

    name = models.CharField(max_length=100)
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return self.name


class ExternalIdentity(Permission):
    """Someone of the external issuer whose tokens reach the memories of `user`."""

    objects: ClassVar[models.Manager[ExternalIdentity]] = models.Manager()

    issuer = models.CharField(max_length=255, editable=False)
    subject = models.CharField(max_length=255, help_text="What their tokens say in the claim sub.")

    class Meta:
        verbose_name_plural = "external identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="external_identity_unique")]

    def __str__(self) -> str:
        return self.subject


class SigningKey(models.Model):
    """An RSA key pair that signs access tokens. The private half is encrypted under `SECRET_KEY`."""

    kid = models.CharField(max_length=43, unique=True, help_text="The public key's RFC 7638 thumbprint.")
    encrypted_private_key = models.TextField(editable=False)
    public_jwk = models.JSONField(help_text="The public key as a JWK (RFC 7517), as published.")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Signs nothing new from then on.")

    def __str__(self) -> str:
        return self.kid


class RedeemedCode(models.Model):
    """An authorization code that was exchanged, so that a second exchange can revoke what the first one bought."""

    code_sha256 = models.CharField(max_length=64, unique=True)
    token_family = models.UUIDField(default=uuid.uuid4)
    redeemed_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"code redeemed at {self.redeemed_at:%Y-%m-%d %H:%M:%S}"


class GrantedScope(models.Model):
    """The scope that a person granted when `token_family` began, separated by blanks: that of its refresh tokens."""

    objects: ClassVar[models.Manager[GrantedScope]] = models.Manager()

    token_family = models.UUIDField(primary_key=True)
    application = models.ForeignKey(Application, on_delete=models.CASCADE, related_name="+")
    scope = models.TextField()

    def __str__(self) -> str:
        return self.scope


class RegistrationCount(models.Model):
    """How many registrations of a network (empty: unknown) came in a minute, in whole ones of Unix time."""

    objects: ClassVar[models.Manager[RegistrationCount]] = models.Manager()

    network = models.TextField(primary_key=True)
    minute = models.BigIntegerField()
    count = models.IntegerField()

    def __str__(self) -> str:
        return f"registrations from {self.network or 'an unknown address'}"


class LoginAttempt(models.Model):
    """A name with a password or code, heard at the login page. Failures are counted, successes make a place known."""

    name_digest = models.CharField(max_length=64, help_text="A keyed digest of what was typed as the name.")
    network = models.GenericIPAddressField(null=True, help_text="The address; of IPv6 the first of its /64.")
    succeeded = models.BooleanField(default=False)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        indexes = [
            models.Index(fields=["name_digest", "at"], name="login_attempt_by_name"),
            models.Index(fields=["network", "at"], name="login_attempt_by_network"),
        ]

    def __str__(self) -> str:
        return f"{'login' if self.succeeded else 'failed login'} at {self.at:%Y-%m-%d %H:%M:%S}"


class FailedHandshake(models.Model):
    """An app that was refused on its way in. `client` is who it says it is: its id, or the name that it gave itself."""

    class Step(models.TextChoices):
        """How far it came."""

        DISCOVERY = "discovery", "First contact"
        REGISTRATION = "registration", "Registration"
        AUTHORIZATION = "authorization", "Request for access"
        LOGIN = "login", "Login"
        CONSENT = "consent", "Your decision"
        TOKEN = "token", "Token"
        REFRESH = "refresh", "Renewal"
        CALL = "call", "Call"

    objects: ClassVar[models.Manager[FailedHandshake]] = models.Manager()

    step = models.CharField(max_length=16, choices=Step.choices)
    reason = models.CharField(max_length=50)
    client = models.CharField(max_length=200)
    address = models.GenericIPAddressField(null=True)
    user_agent = models.CharField(max_length=200)
    details = models.CharField(max_length=300)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField(db_index=True)
    count = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["step", "reason", "client", "address", "user_agent"],
                nulls_distinct=False,
                name="failed_handshake_unique",
            )
        ]

    def __str__(self) -> str:
        return f"{self.step}: {self.reason}"
