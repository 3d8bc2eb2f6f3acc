"""The endpoint `POST /documents`: a file, or a text as JSON, that becomes a document."""

from __future__ import annotations

from io import BytesIO
from typing import IO, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.http.multipartparser import MultiPartParserError
from pydantic import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from common.scopes import WRITE
from common.tag_lists import split_tags
from documents.drafts import DocumentDraft
from documents.writing.adding import add_document
from mcpapi.calls.budgets import spend_call
from mcpapi.calls.caller import Caller
from mcpapi.methods.body_limits import too_large, tool_limit
from mcpapi.methods.tools import require_allowed
from mcpapi.rest.base import RestView, django_request
from mcpapi.rest.errors import tool_error_response
from mcpapi.rest.json import read_arguments
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import Call
from mcpapi.tool_failures import failure_from
from mcpapi.tools.documents import add_document as tool_module
from mcpapi.tools.documents.add_document import AddDocumentArgs, checked_text, quarantined_from
from memories.errors import InvalidInput, MemoriesError

MULTIPART = "multipart/form-data"
TOOL = tool_module.add_document
"""The tool that apps need to be allowed to use. The activity log uses its name."""


class Documents(RestView):
    """The endpoint `POST /documents`. The file is read in the background, so the response comes before that."""

    method = "tools/call"

    @property
    def call(self) -> Call:
        """See `RestView.call`."""
        return Call(self.method, {"name": TOOL.name})

    def post(self, request: Request) -> Response:
        """Store the document and return its id and state (HTTP 202), or an error."""
        self.caller.require_scope(WRITE)
        require_allowed(self.caller, TOOL.name)
        spend_call(self.caller, is_write=True)
        try:
            draft, file = _given(self.caller, django_request(request))
            outcome = add_document(self.caller.actor, draft, file)
        except (MemoriesError, ValidationError) as error:
            failure = failure_from(error)["error"]
            self.caller.failure = failure["code"]
            return tool_error_response(failure)
        self.caller.record_usage(is_write=True)
        self.caller.record_documents([outcome.document.pk])
        return Response({"id": str(outcome.document.pk), "state": outcome.version.state}, status=202)


def _given(caller: Caller, request: HttpRequest) -> tuple[DocumentDraft, IO[bytes]]:
    """Return the draft and the content in the body. Raises RpcError, MemoriesError and ValidationError."""
    if request.content_type == MULTIPART:
        return _from_form(caller, request)
    args = AddDocumentArgs.model_validate(read_arguments(request, tool_limit(TOOL)))
    text = checked_text(args.text)
    return _draft(caller, tool_module.FILE_NAME, args), BytesIO(text.encode())


def _from_form(caller: Caller, request: HttpRequest) -> tuple[DocumentDraft, IO[bytes]]:
    try:
        files, fields = request.FILES, request.POST
    except RequestDataTooBig:
        raise too_large(settings.MAX_DOCUMENT_MB * 1_000_000) from None
    except (MultiPartParserError, SuspiciousOperation):
        raise jsonrpc.invalid_request("The body is not a complete form with one file and its fields.") from None
    file = files.get("file")
    if file is None or len(files.getlist("file")) != 1 or len(files) != 1:
        raise InvalidInput("send exactly one file, in the field named file.", argument="file")
    given = {name: fields.get(name) for name in fields if name != "tags"}
    tags = [tag for value in fields.getlist("tags") for tag in split_tags(value)]
    # The text of the arguments is the file itself.
    args = AddDocumentArgs.model_validate({**given, "tags": tags, "text": "file"})
    return _draft(caller, file.name or "", args), cast(IO[bytes], cast("UploadedFile[bytes]", file).file)


def _draft(caller: Caller, name: str, args: AddDocumentArgs) -> DocumentDraft:
    return DocumentDraft(
        name,
        title=args.title,
        tags=tuple(args.tags),
        source_url=args.source_url,
        quarantined_from=quarantined_from(caller),
    )
