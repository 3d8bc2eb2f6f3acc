"""Users, apps and their connections, signing keys, and the records of logins and connection failures."""

from __future__ import annotations

import uuid
from typing import ClassVar, Self
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext, gettext_lazy
from oauth2_provider.models import AbstractApplication

from oauthserver.redirects import leads_to_this_computer, redirect_uri_matches, redirect_uri_problem


class User(AbstractUser):  # type: ignore[django-manager-missing]  # the app's link to its user has no types
    """An owner of memories. `id` is the `sub` claim of their tokens and is never reused."""

    # The code of the language of the pages. Empty: that of the browser.
    language = models.CharField(max_length=16, blank=True, default="", editable=False)


class Application(AbstractApplication):  # type: ignore[misc]  # the library has no types
    """An app (OAuth client) that may ask an owner for access to their memories."""

    class AuthMethod(models.TextChoices):
        """A client authentication method of the token endpoint (RFC 7591, section 2)."""

        NONE = "none", "Nothing (public app)"
        BASIC = "client_secret_basic", "Secret in the header"
        POST = "client_secret_post", "Secret in the body"

    objects: ClassVar[models.Manager[Application]] = models.Manager()

    # `salt$digest` (see client_secrets.py) in place of the library's password hash.
    client_secret = models.CharField(max_length=128, blank=True, default="", editable=False)
    hash_client_secret: ClassVar[None] = None
    token_endpoint_auth_method = models.CharField(max_length=32, choices=AuthMethod.choices, default=AuthMethod.NONE)
    registration_token_sha256 = models.CharField(max_length=64, blank=True, default="", editable=False)
    # The IPv4 address, or the first address of the IPv6 /64 network.
    registered_from = models.GenericIPAddressField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "registered app"
        indexes = [models.Index(fields=["created"], name="application_created")]

    def clean(self) -> None:
        """Validate the redirect URIs. Raises ValidationError when there are none or when one is not allowed."""
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
        """Whether the app was not entered by hand, so that it chose its own, unverified name."""
        return bool(self.registration_source != self.RegistrationSource.MANUAL)

    @property
    def publisher(self) -> str:
        """The verified host that publishes the app's client document; empty for an app without one."""
        is_published = self.registration_source == self.RegistrationSource.CIMD
        return (urlsplit(self.client_id).hostname or "") if is_published else ""

    @property
    def can_be_impersonated(self) -> bool:
        """Whether any program on the user's computer can impersonate the app: all redirect URIs are loopback."""
        return all(map(leads_to_this_computer, self.redirect_uris.split()))


PERSONAL_CLIENT = "token:"
"""Prefix of a personal token's number, which takes the place of an app's client id."""

EXTERNAL_CLIENT = "external:"
"""Prefix of the id that an external issuer gave to an app."""


class Permission(models.Model):
    """An owner's permission to use their memories: the upper limit of every token that is issued for it.

    `scopes` holds memory scopes (see scopes.py). `tags` holds the canonical tags of the visible memories, and `tools`
    the patterns of the tools that can be called (see tool_patterns.py); both are empty for no restriction. If `tools`
    is empty, `profile` selects the tools that are listed. With `quarantine`, memories that the app inferred are
    quarantined until the owner accepts them. `approvals` holds the risks (see common/risks.py) of calls that need the
    owner's approval: in the app or on the page Approvals with `asks_in_app`, otherwise on that page only.
    `refused_inferences` holds the canonical tags about which the app cannot store what it inferred, or `*` for all
    (see common/inferences.py).
    """

    class Profile(models.TextChoices):
        """A selection of the listed tools. The list costs an assistant tokens in every conversation."""

        AUTOMATIC = "auto", gettext_lazy("Automatic (all for apps that may erase and export, otherwise the core)")
        CORE = "core", gettext_lazy("Core (for daily use)")
        MAINTENANCE = "maintenance", gettext_lazy("Maintenance (for tidying up)")
        ALL = "all", gettext_lazy("All tools")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, editable=False, related_name="+")
    scopes = ArrayField(models.TextField(), default=list)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    tools = ArrayField(models.TextField(), default=list, blank=True)
    profile = models.CharField(max_length=16, choices=Profile.choices, default=Profile.AUTOMATIC)
    quarantine = models.BooleanField(default=False)
    approvals = ArrayField(models.TextField(), default=list, blank=True)
    asks_in_app = models.BooleanField(default=True)
    refused_inferences = ArrayField(models.TextField(), default=list, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    reads = models.BigIntegerField(default=0, editable=False)
    writes = models.BigIntegerField(default=0, editable=False)

    objects: ClassVar[models.Manager[Self]]

    class Meta:
        abstract = True


class Connection(Permission):
    """An owner's permission for an app. It outlives a disconnection, so that the consent page can show earlier choices.

    `declined` holds the scopes that the app has requested and the owner did not grant.
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
    """A bearer token that an owner created for a script. Its value is shown once and stored as a hash."""

    objects: ClassVar[models.Manager[PersonalToken]] = models.Manager()

    name = models.CharField(max_length=100)
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return self.name


class ExternalIdentity(Permission):
    """A subject of the external issuer whose tokens give access to the memories of `user`.

    `name` is what the owner calls it; empty for none.
    """

    objects: ClassVar[models.Manager[ExternalIdentity]] = models.Manager()

    issuer = models.CharField(max_length=255, editable=False)
    subject = models.CharField(max_length=255, help_text="What their tokens say in the claim sub.")
    name = models.CharField(max_length=100, blank=True, default="")

    class Meta:
        verbose_name_plural = "external identities"
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="external_identity_unique")]

    def __str__(self) -> str:
        return self.name or self.subject


class Budget(models.Model):
    """A limit of what an app, token or external identity may use per day or month, or of what all may use together.

    `limit` and `used` count what `measure` says: calls, characters, or money in the currency of `price`, which is the
    price of a million tokens that are embedded. `used` belongs to the period that began at `period_began`; the limit is
    then whole again. Without a connection, a token and an identity, the budget applies to all of them together.
    """

    class Measure(models.TextChoices):
        """The quantity that is counted."""

        CALLS = "calls", gettext_lazy("Calls")
        WRITES = "writes", gettext_lazy("Calls that change something")
        RETURNED = "characters_returned", gettext_lazy("Characters returned")
        EMBEDDED = "characters_embedded", gettext_lazy("Characters sent to the embedding endpoint")
        COST = "embedding_cost", gettext_lazy("Cost of the embedding endpoint")

    class Period(models.TextChoices):
        """The time for which the limit applies, by the owner's calendar."""

        DAY = "day", gettext_lazy("Day")
        MONTH = "month", gettext_lazy("Month")

    objects: ClassVar[models.Manager[Budget]] = models.Manager()

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, editable=False, related_name="+")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, null=True, editable=False, related_name="+")
    personal_token = models.ForeignKey(
        PersonalToken, on_delete=models.CASCADE, null=True, editable=False, related_name="+"
    )
    external_identity = models.ForeignKey(
        ExternalIdentity, on_delete=models.CASCADE, null=True, editable=False, related_name="+"
    )
    measure = models.CharField(max_length=32, choices=Measure.choices)
    period = models.CharField(max_length=8, choices=Period.choices)
    limit = models.DecimalField(max_digits=20, decimal_places=6)
    price = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    used = models.DecimalField(max_digits=20, decimal_places=6, default=0, editable=False)
    period_began = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "connection", "personal_token", "external_identity", "measure", "period"],
                nulls_distinct=False,
                name="budget_unique",
            ),
            models.CheckConstraint(condition=models.Q(limit__gte=0, used__gte=0), name="budget_not_negative"),
        ]

    def __str__(self) -> str:
        per = gettext("%(measure)s per month") if self.period == self.Period.MONTH else gettext("%(measure)s per day")
        return per % {"measure": self.get_measure_display()}


class SigningKey(models.Model):
    """An RSA key pair that signs access tokens. The private key is encrypted with a key derived from `SECRET_KEY`."""

    kid = models.CharField(max_length=43, unique=True, help_text="The public key's RFC 7638 thumbprint.")
    encrypted_private_key = models.TextField(editable=False)
    public_jwk = models.JSONField(help_text="The public key as a JWK (RFC 7517), as published.")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, blank=True, help_text="Signs nothing new from then on.")

    def __str__(self) -> str:
        return self.kid


class RedeemedCode(models.Model):
    """A used authorization code. A second exchange of it revokes the tokens that the first one issued."""

    code_sha256 = models.CharField(max_length=64, unique=True)
    token_family = models.UUIDField(default=uuid.uuid4)
    redeemed_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"code redeemed at {self.redeemed_at:%Y-%m-%d %H:%M:%S}"


class GrantedScope(models.Model):
    """The space-separated scope granted at the consent that began `token_family`: the scope of its refresh tokens."""

    objects: ClassVar[models.Manager[GrantedScope]] = models.Manager()

    token_family = models.UUIDField(primary_key=True)
    application = models.ForeignKey(Application, on_delete=models.CASCADE, related_name="+")
    scope = models.TextField()

    def __str__(self) -> str:
        return self.scope


class RegistrationCount(models.Model):
    """The number of registrations from a network (empty: unknown) in one minute, given in minutes of Unix time."""

    objects: ClassVar[models.Manager[RegistrationCount]] = models.Manager()

    network = models.TextField(primary_key=True)
    minute = models.BigIntegerField()
    count = models.IntegerField()

    def __str__(self) -> str:
        return f"registrations from {self.network or 'an unknown address'}"


class LoginAttempt(models.Model):
    """An attempt to log in with a password or code. Failures are limited; a success makes the user's network known."""

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
    """A connection failure. `client` is the unverified id or name that the app gave."""

    class Step(models.TextChoices):
        """The step at which the app was refused."""

        DISCOVERY = "discovery", gettext_lazy("First contact")
        REGISTRATION = "registration", gettext_lazy("Registration")
        AUTHORIZATION = "authorization", gettext_lazy("Request for access")
        LOGIN = "login", gettext_lazy("Login")
        CONSENT = "consent", gettext_lazy("Your decision")
        TOKEN = "token", gettext_lazy("Token")
        REFRESH = "refresh", gettext_lazy("Renewal")
        CALL = "call", gettext_lazy("Call")

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
