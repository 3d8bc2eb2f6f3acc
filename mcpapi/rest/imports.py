"""The endpoints under `/imports`: an app sends a file, looks at the preview, starts it and follows its progress."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import SEEK_END
from tempfile import TemporaryFile
from typing import IO, Any, cast
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, StreamingHttpResponse
from django.http.multipartparser import MultiPartParserError
from pydantic import Field, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from common.scopes import READ, WRITE, Scope
from common.tag_lists import split_tags
from mcpapi.methods.body_limits import too_large
from mcpapi.methods.tools import require_allowed
from mcpapi.rest.base import RestView, django_request
from mcpapi.rest.errors import tool_error_response
from mcpapi.rpc import jsonrpc
from mcpapi.rpc.jsonrpc import Call
from mcpapi.tool_failures import failure_from
from mcpapi.tools.arguments import Flag, Tags
from mcpapi.tools.base import Args
from memories.errors import InvalidInput, MemoriesError, NotFound
from memories.models import ImportJob, ImportReport
from memories.transfer.background.choices import Choices
from memories.transfer.background.requests import cancel_import, create_import, start_import

MULTIPART = "multipart/form-data"
TOOL = "remember_batch"
"""The tool that apps need to be allowed to use. The activity log uses its name."""

_CHUNK_BYTES = 1 << 20


class ImportArgs(Args):
    """The options of an import: fields of the form, or parameters of the URL."""

    name: str = Field("import", max_length=1_000)
    format: str | None = None
    conversations: str | None = None
    dedup_policy: str | None = None
    source_provider: str | None = None
    tags: Tags = []
    dry_run: Flag = False


class ImportView(RestView):
    """An endpoint for imports. An app sees its own imports only."""

    method = "tools/call"

    @property
    def call(self) -> Call:
        """See `RestView.call`."""
        return Call(self.method, {"name": TOOL})

    @contextmanager
    def failures(self) -> Iterator[list[Response]]:
        """Turn an error of the block into the response, which is then in the list."""
        responses: list[Response] = []
        try:
            yield responses
        except (MemoriesError, ValidationError) as error:
            failure = failure_from(error)["error"]
            self.caller.failure = failure["code"]
            responses.append(tool_error_response(failure))

    def admit(self, scope: Scope) -> None:
        """Raise RpcError unless the caller may do this."""
        self.caller.require_scope(scope)
        require_allowed(self.caller, TOOL)

    def own(self, import_id: UUID) -> ImportJob:
        """Return an import of the caller. Raises NotFound."""
        jobs = ImportJob.objects.filter(owner_id=self.caller.actor.owner_id, client=self.caller.actor.client)
        job = jobs.filter(pk=import_id).first()
        if job is None:
            raise NotFound("There is no import with this id.")
        return job


class Imports(ImportView):
    """The endpoint `POST /imports`: a form with a file, or a file as the body."""

    def post(self, request: Request) -> Response:
        """Store the file and return the import (HTTP 202), or an error. `dry_run` has it checked only."""
        self.admit(WRITE)
        with self.failures() as failed, _received(django_request(request)) as (given, content):
            args = ImportArgs.model_validate(given)
            self.caller.is_dry_run = args.dry_run
            choices = Choices.of(args.model_dump(exclude={"name", "dry_run"}))
            permission = self.caller.principal.permission_name or ""
            actor = self.caller.actor
            job = create_import(actor, args.name, content, choices, starts=not args.dry_run, permission=permission)
            if job.state == ImportJob.State.FAILED:
                raise InvalidInput(job.problem, argument="file")
            self.caller.record_usage(is_write=True)
            return Response(import_json(job), status=202)
        return failed[0]


class OneImport(ImportView):
    """The endpoint `/imports/{id}`."""

    def get(self, request: Request, import_id: UUID) -> Response:
        """Return an import with its progress, preview and counts."""
        self.admit(READ)
        with self.failures() as failed:
            return Response(import_json(self.own(import_id)))
        return failed[0]

    def delete(self, request: Request, import_id: UUID) -> Response:
        """Cancel an import. What it has stored stays."""
        self.admit(WRITE)
        with self.failures() as failed:
            job = self.own(import_id)
            cancel_import(job)
            return Response(import_json(job))
        return failed[0]


class ImportStart(ImportView):
    """The endpoint `POST /imports/{id}/start`."""

    def post(self, request: Request, import_id: UUID) -> Response:
        """Start an import that was checked (HTTP 202)."""
        self.admit(WRITE)
        with self.failures() as failed:
            job = self.own(import_id)
            start_import(job)
            self.caller.record_usage(is_write=True)
            return Response(import_json(job), status=202)
        return failed[0]


class ImportOutcomes(ImportView):
    """The endpoint `GET /imports/{id}/report`."""

    def get(self, request: Request, import_id: UUID) -> Any:
        """Return the outcome of every entry as JSON Lines."""
        self.admit(READ)
        with self.failures() as failed:
            reports = ImportReport.objects.filter(job=self.own(import_id)).order_by("first")
            lines = reports.values_list("lines", flat=True).iterator(chunk_size=10)
            return StreamingHttpResponse(lines, content_type="application/x-ndjson")
        return failed[0]


def import_json(job: ImportJob) -> dict[str, Any]:
    """Return an import as apps see it."""
    shown = {
        "id": str(job.pk),
        "state": job.state,
        "name": job.name,
        "position": job.position,
        "total": job.total,
        "change_set": str(job.change_set),
    }
    details = {"preview": job.preview, "counts": job.counts, "problem": job.problem}
    return shown | {name: value for name, value in details.items() if value}


@contextmanager
def _received(request: HttpRequest) -> Iterator[tuple[Mapping[str, Any], IO[bytes]]]:
    """Yield the arguments and the content of the file. Raises RpcError and InvalidInput."""
    if request.content_type == MULTIPART:
        yield _from_form(request)
        return
    with TemporaryFile(prefix="ownsona-import-") as file:
        try:
            shutil.copyfileobj(request, file, _CHUNK_BYTES)
        except RequestDataTooBig:
            raise too_large(settings.MAX_IMPORT_MB * 1_000_000) from None
        if not file.seek(0, SEEK_END):
            raise InvalidInput("send a file: as the body, or in a form in the field named file.", argument="file")
        yield _arguments(request.GET), cast(IO[bytes], file)


def _from_form(request: HttpRequest) -> tuple[Mapping[str, Any], IO[bytes]]:
    try:
        files, fields = request.FILES, request.POST
    except RequestDataTooBig:
        raise too_large(settings.MAX_IMPORT_MB * 1_000_000) from None
    except (MultiPartParserError, SuspiciousOperation):
        raise jsonrpc.invalid_request("The body is not a complete form with one file and its fields.") from None
    file = cast("UploadedFile[bytes] | None", files.get("file"))
    if file is None or len(files.getlist("file")) != 1 or len(files) != 1:
        raise InvalidInput("send exactly one file, in the field named file.", argument="file")
    given = {"name": file.name or "", **_arguments(request.GET), **_arguments(fields)}
    return given, cast(IO[bytes], file.file)


def _arguments(fields: Any) -> Mapping[str, Any]:
    given = {name: fields.get(name) for name in fields if name != "tags"}
    tags = [tag for value in fields.getlist("tags") for tag in split_tags(value)]
    return {**given, "tags": tags} if tags else given
