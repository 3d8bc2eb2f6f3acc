"""The suite's resources and its template."""

from __future__ import annotations

import json

from mcpapi.resources.base import JSON, TEXT, Resource, Template
from tests.conformance.fixtures import PNG

RESOURCES = (
    Resource(
        uri="test://static-text",
        name="static-text",
        title="Static text",
        description="A text that stays the same.",
        mime_type=TEXT,
        read=lambda caller: {"text": "This is the content of the static text resource."},
    ),
    Resource(
        uri="test://static-binary",
        name="static-binary",
        title="Static picture",
        description="A picture that stays the same.",
        mime_type="image/png",
        read=lambda caller: {"blob": PNG},
    ),
    Resource(
        uri="test://watched-resource",
        name="watched-resource",
        title="Watched text",
        description="A text that clients subscribe to.",
        mime_type=TEXT,
        read=lambda caller: {"text": "Watched resource content"},
    ),
)
TEMPLATES = (
    Template(
        prefix="test://template/",
        variable="id",
        suffix="/data",
        name="template",
        title="Data by id",
        description="Says which id it was asked for.",
        mime_type=JSON,
        read=lambda caller, value: {
            "text": json.dumps({"id": value, "templateTest": True, "data": f"Data for ID: {value}"})
        },
        complete=lambda caller, beginning: [],
    ),
)
