"""Content and form of the consent page."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, gettext_lazy
from oauthlib.common import Request

from common.scopes import ADMIN
from common.tag_lists import split_tags
from oauthserver.connections.connection_changes import has_tokens
from oauthserver.connections.provided_choices import canonical_tags, offered_tags
from oauthserver.connections.scopes import MEMORY_SCOPES, SCOPES, Scope
from oauthserver.models import Application, Connection, User
from oauthserver.redirects import destination

MAX_TYPED_TAGS_LENGTH = 1000
ALL_MEMORIES, TAGGED_MEMORIES = "all", "tagged"


@dataclass(frozen=True)
class Consent:
    """A validated authorization request, with the owner's earlier connection of the app, for the consent page."""

    application: Application
    user: User
    redirect_uri: str
    asked: tuple[str, ...]
    named_by_app: bool
    earlier: Connection | None

    @classmethod
    def for_request(cls, request: Request, user: User) -> Consent:
        """Build the consent of `user` to `request`, which the authorization server has validated."""
        earlier = Connection.objects.filter(user=user, application=request.client).first()
        return cls(request.client, user, request.redirect_uri, tuple(request.scopes), bool(request.scope), earlier)

    @property
    def is_paused(self) -> bool:
        """Whether the owner has paused the app. A click on Allow must not resume it as a side effect."""
        return bool(self.earlier and self.earlier.paused_at)

    @property
    def destination(self) -> str:
        return destination(self.redirect_uri)

    @property
    def stays_open(self) -> bool:
        """Whether the browser hands the answer to another program and keeps showing the page."""
        return not self.redirect_uri.startswith(("https:", "http:"))

    @property
    def offered(self) -> list[Scope]:
        """The requested memory scopes, one checkbox each."""
        return [SCOPES[name] for name in MEMORY_SCOPES if name in self.asked]

    @property
    def ticked(self) -> list[str]:
        """The scopes that are ticked initially.

        Earlier choices are repeated. New scopes are ticked, but `memory:admin` only if the app requested it by name.
        """
        return [scope.name for scope in self.offered if self._comes_ticked(scope.name)]

    def _comes_ticked(self, scope: str) -> bool:
        if self.earlier and scope in self.earlier.scopes:
            return True
        if self.earlier and scope in self.earlier.declined:
            return False
        return self.named_by_app or scope != ADMIN

    @property
    def newly_requested(self) -> list[str]:
        """The scopes that an app with an earlier connection requests for the first time."""
        if self.earlier is None:
            return []
        known = {*self.earlier.scopes, *self.earlier.declined}
        return [scope.name for scope in self.offered if scope.name not in known]

    @property
    def already_granted(self) -> list[Scope]:
        """The scopes that the connected app has already and does not request this time."""
        if self.earlier is None or not has_tokens(self.earlier):
            return []
        return [SCOPES[name] for name in self.earlier.scopes if name not in self.asked]

    @property
    def implicit_scopes(self) -> list[Scope]:
        """The requested scopes that are granted without a choice, along with any memory scope."""
        return [SCOPES[name] for name in self.asked if name not in MEMORY_SCOPES]

    @functools.cached_property
    def offered_tags(self) -> list[str]:
        """The tags to choose from: those chosen before, then those that the owner uses most."""
        return list(dict.fromkeys([*self.earlier_tags, *offered_tags(self.user.pk)]))

    @property
    def earlier_tags(self) -> list[str]:
        return self.earlier.tags if self.earlier else []


class ConsentForm(forms.Form):
    """The owner's choices. `cleaned_data` holds the ticked `scope` and the canonical `tags`, empty for all memories."""

    scope = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Select at least one permission, or choose Deny.")},
    )
    memories = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=[
            (ALL_MEMORIES, gettext_lazy("All")),
            (TAGGED_MEMORIES, gettext_lazy("Only those with at least one of these tags")),
        ],
        error_messages={"required": gettext_lazy("Choose which memories it may use.")},
    )
    tag = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple, required=False)
    typed_tags = forms.CharField(required=False, max_length=MAX_TYPED_TAGS_LENGTH)

    def __init__(self, consent: Consent, data: QueryDict | None = None) -> None:
        tags = consent.earlier_tags
        initial = {
            "scope": consent.ticked,
            "memories": TAGGED_MEMORIES if tags else ALL_MEMORIES,
            "tag": tags,
        }
        super().__init__(data, initial=initial)
        self._consent = consent
        _choices_of(self.fields["scope"], [(scope.name, scope) for scope in consent.offered])
        _choices_of(self.fields["tag"], [(tag, tag) for tag in consent.offered_tags])

    def clean(self) -> dict[str, object]:
        """Add `tags` to the cleaned data, or an error to the form if the app is limited to tags and none is given."""
        cleaned = self.cleaned_data
        named = [*cleaned.get("tag", []), *split_tags(cleaned.get("typed_tags", ""))]
        is_limited = cleaned.get("memories") == TAGGED_MEMORIES
        cleaned["tags"] = canonical_tags(self._consent.user.pk, named) if is_limited else []
        if is_limited and not cleaned["tags"]:
            self.add_error("tag", gettext("Choose at least one tag, or all memories."))
            # On a phone, the tags are below the first screen: the focus shows them and the error beside them.
            self.fields["typed_tags"].widget.attrs |= {"autofocus": True, "aria-describedby": "tags-error"}
        return cleaned


def _choices_of(field: forms.Field, choices: list[tuple[str, object]]) -> None:
    assert isinstance(field, forms.MultipleChoiceField)
    field.choices = choices
