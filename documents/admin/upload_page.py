"""Upload page. Without JavaScript it takes all files in one request, with it each in a request of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import IO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from common.pages.owner_pages import owner_page
from common.pages.translated import translated
from documents.admin.forms import UploadForm
from documents.admin.ids import given_uuid
from documents.drafts import ADDED, DocumentDraft, clean_file_name
from documents.extraction.detection import refuse_unknown
from documents.extraction.extracted import ExtractionError
from documents.extraction.media_types import SUPPORTED
from documents.models import Document
from documents.writing.adding import AddOutcome, add_document
from memories.access import Actor
from memories.admin.base import acting_owner, owner_id, owners_view
from memories.admin.forms import uploaded_name
from memories.errors import MemoriesError, StorageFull

FULL = gettext_noop("The disk of the server is full: nothing was stored. Free some space first.")


@dataclass(frozen=True, slots=True)
class UploadResult:
    """The result of one file. `outcome` is added, known, version or refused; `url` is the page of the document.

    `document` is its id if it is read now, which the script of the page then follows.
    """

    name: str
    outcome: str
    message: str
    url: str = ""
    document: str = ""


def upload_page(request: HttpRequest) -> HttpResponse:
    """Show the form (GET), or add the files and report on each (POST). `document` in the query gets a new version."""
    document = _document_to_replace(request)
    form = UploadForm(request.POST if request.method == "POST" else None)
    results: Sequence[UploadResult] = ()
    is_script = request.accepts("application/json") and not request.accepts("text/html")
    if form.is_valid():
        results = _add_all(request, document, form.cleaned_data["tags"])
        if not results and not is_script:
            form.add_error(None, gettext("Choose at least one file."))
    if request.method == "POST" and is_script:
        return JsonResponse({"results": [asdict(result) for result in results or _refused(request, form)]})
    context = {
        "crumb": {"url": reverse("admin:documents_document_changelist"), "title": gettext("Documents")},
        "form": form,
        "document": document,
        "results": results,
        "supported": translated(SUPPORTED),
        "max_mb": settings.MAX_DOCUMENT_MB,
        "max_bytes": settings.MAX_DOCUMENT_MB * 1_000_000,
    }
    return owner_page(
        request,
        "admin/documents/document/upload.html",
        context,
        title=gettext("New version of %(title)s") % {"title": document.title} if document else gettext("Add documents"),
    )


def _document_to_replace(request: HttpRequest) -> Document | None:
    """Return the document that gets a new version, if the page is for one. Sources keep theirs up to date."""
    if "document" not in request.GET:
        return None
    documents = Document.objects.visible_to(owners_view(request)).not_deleted().filter(source=ADDED)
    document = documents.filter(pk=given_uuid(request.GET["document"])).first()
    if document is None:
        raise Http404
    return document


def _add_all(request: HttpRequest, document: Document | None, tags: Sequence[str]) -> list[UploadResult]:
    actor = acting_owner(owner_id(request))
    # A document gets one version at a time.
    files = request.FILES.getlist("files")[: 1 if document else None]
    return [_add(actor, file, document, tags) for file in files]


def _refused(request: HttpRequest, form: UploadForm) -> list[UploadResult]:
    """Return a result for each file of a form that is not valid. A valid form has none."""
    problem = " ".join(str(message) for messages in form.errors.values() for message in messages)
    names = [clean_file_name(uploaded_name(file)) for file in request.FILES.getlist("files")]
    return [UploadResult(name, "refused", problem) for name in names if problem]


def _add(actor: Actor, file: UploadedFile[bytes], document: Document | None, tags: Sequence[str]) -> UploadResult:
    name = clean_file_name(uploaded_name(file))
    draft = DocumentDraft(name, tags=tuple(tags), source_key=document.source_key if document else None)
    try:
        refuse_unknown(cast(IO[bytes], file.file), name)
        outcome = add_document(actor, draft, cast(IO[bytes], file.file))
    except ExtractionError as error:
        return UploadResult(name, "refused", translated(str(error)))
    except StorageFull:
        return UploadResult(name, "refused", gettext(FULL))
    except MemoriesError as error:
        return UploadResult(
            name,
            "refused",
            gettext("The file %(problem)s") % {"problem": gettext(error.problem)}
            if error.argument == "file"
            else str(error),
        )
    return _result_of(name, outcome)


def _result_of(name: str, outcome: AddOutcome) -> UploadResult:
    document = str(outcome.document.pk)
    url = reverse("admin:documents_document_change", args=[document])
    if outcome.is_known:
        return UploadResult(name, "known", gettext("You already have this file."), url)
    if outcome.version.number > 1:
        message = gettext("Added as version %(number)s.") % {"number": outcome.version.number}
        return UploadResult(name, "version", message, url, document)
    message = gettext("Added. OwnSona is reading it. Open it to see when apps can find it.")
    return UploadResult(name, "added", message, url, document)
