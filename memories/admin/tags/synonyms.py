"""Pages of tag synonyms: variants and their canonical tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from common.pages.list_rows import ListWords, Row
from memories.admin.base import OwnedAdmin, acting_owner, owner_id
from memories.errors import InvalidInput
from memories.models import TagSynonym
from memories.validation.text import clean_tags
from memories.writing.synonyms import locked_synonyms, put_synonyms


class TagField(forms.CharField):
    """A field for one tag, cleaned like every tag."""

    widget = forms.TextInput

    def clean(self, value: Any) -> str:
        typed = super().clean(value)
        try:
            tags = clean_tags([typed])
        except InvalidInput as error:
            raise forms.ValidationError(str(error)) from None
        if not tags:
            raise forms.ValidationError(_("A tag must have at least two characters: letters, digits and hyphens."))
        return tags[0]


class SynonymForm(forms.ModelForm):  # type: ignore[type-arg]  # takes no argument at run time
    """A form for a variant and its canonical tag, which must not be a variant itself, so that one look-up is enough."""

    variant = TagField(label=_("Tag"), help_text=_("The tag as an app may write it, such as coding."))
    canonical = TagField(
        label=_("Stored as"),
        help_text=_("The tag that is stored instead, such as software. Existing memories keep their tags."),
    )

    owner_id: int

    class Meta:
        model = TagSynonym
        fields = ("variant", "canonical")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.instance.owner_id = self.owner_id
        if not self.errors:
            self._check_flat(cleaned["variant"], cleaned["canonical"])
        return cleaned

    def _check_flat(self, variant: str, canonical: str) -> None:
        others = TagSynonym.objects.filter(owner_id=self.instance.owner_id).exclude(pk=self.instance.pk)
        if variant == canonical:
            self.add_error("canonical", _("It must differ from the tag."))
        elif others.filter(variant=variant).exists():
            self.add_error(
                "variant",
                _("“{tag}” is already stored as another tag. Change that synonym instead.").format(tag=variant),
            )
        elif others.filter(canonical=variant).exists():
            self.add_error(
                "variant",
                _("Other tags are stored as “{tag}”, so it cannot be stored as another one.").format(tag=variant),
            )
        elif further := others.filter(variant=canonical).values_list("canonical", flat=True).first():
            self.add_error(
                "canonical",
                _("“{tag}” is stored as “{other}” itself. Use “{other}”.").format(tag=canonical, other=further),
            )


@admin.register(TagSynonym)
class TagSynonymAdmin(OwnedAdmin):
    form = SynonymForm
    list_title = _("Tag synonyms")
    list_words = ListWords(
        _("No synonyms yet"),
        _("If your apps write different tags for the same thing, choose the one that is stored."),
        intro=_("Apps use different tags for the same thing. Here you choose the one that is stored."),
        add=_("Add a synonym"),
        symbol="tag",
    )
    delete_hint = _("From then on the tag is stored as it is written. Memories keep their tags.")
    search_fields = ("variant", "canonical")
    ordering = ("canonical", "variant")
    list_per_page = 100

    def row(self, obj: TagSynonym) -> Row:
        return Row(gettext("“{variant}” is stored as “{tag}”").format(variant=obj.variant, tag=obj.canonical))

    def short_name(self, obj: TagSynonym) -> str:
        """Return the tag: the sentence about it has quotation marks itself."""
        return obj.variant

    def get_form(self, request: HttpRequest, obj: TagSynonym | None = None, **options: Any) -> Any:
        """Return the form for rows of the logged-in owner."""
        form = super().get_form(request, obj, **options)
        return type(form.__name__, (form,), {"owner_id": owner_id(request)})

    def save_model(self, request: HttpRequest, obj: TagSynonym, form: SynonymForm, change: bool) -> None:
        """Store the synonym in a change set of its own, so that it can be undone."""
        before = form.initial.get("variant")
        wanted = {obj.variant: obj.canonical}
        _put(request, wanted if before in (None, obj.variant) else {before: None, **wanted})
        obj.pk = TagSynonym.objects.get(owner_id=owner_id(request), variant=obj.variant).pk

    def delete_model(self, request: HttpRequest, obj: TagSynonym) -> None:
        """Remove a synonym in a change set of its own."""
        _put(request, {obj.variant: None})

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[TagSynonym]) -> None:
        """Remove synonyms in one change set."""
        _put(request, dict.fromkeys(queryset.values_list("variant", flat=True)))


def _put(request: HttpRequest, wanted: Mapping[str, str | None]) -> None:
    actor = acting_owner(owner_id(request))
    with transaction.atomic():
        put_synonyms(actor, locked_synonyms(actor), wanted)
