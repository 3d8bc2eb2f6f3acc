"""The text with which a new tool begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from customtools.models import CustomTool

LUA: Final = """\
tool = {
  name = "days_until",
  description = "Tells how many days are left until a date. Use it instead of counting yourself.",
  parameters = {
    type = "object",
    properties = {
      date = { type = "string", description = "The date, such as 2030-12-24." },
    },
    required = { "date" },
  },
  scope = "memory:read",
}

function tool.execute(params, context)
  local year, month, day = params.date:match("^(%d%d%d%d)-(%d%d)-(%d%d)$")
  if not year then
    error("date: must be a date such as 2030-12-24")
  end
  local then_ = os.time({ year = tonumber(year), month = tonumber(month), day = tonumber(day), hour = 12 })
  local today = os.date("*t")
  local now = os.time({ year = today.year, month = today.month, day = today.day, hour = 12 })
  return { days = math.floor((then_ - now) / 86400 + 0.5) }
end
"""

HTTP: Final = """\
{
  "name": "switch_light",
  "description": "Switches a light in the house on or off.",
  "parameters": {
    "type": "object",
    "properties": {
      "room": {"type": "string", "enum": ["kitchen", "hall"], "description": "The room of the light."},
      "state": {"type": "string", "enum": ["on", "off"], "description": "What to do."}
    },
    "required": ["room", "state"]
  },
  "scope": "memory:write",
  "request": {
    "method": "POST",
    "url": "http://192.168.1.20:8123/api/services/light/turn_{{state}}",
    "headers": {"Authorization": "Bearer {{secret:home_token}}"},
    "json": {"entity_id": "light.{{room}}"}
  },
  "response": {"pointer": ""}
}
"""

EXAMPLES: Final[Mapping[str, str]] = {CustomTool.Kind.LUA: LUA, CustomTool.Kind.HTTP: HTTP}
"""By kind."""

ARGUMENTS: Final[Mapping[str, str]] = {
    CustomTool.Kind.LUA: '{"date": "2030-12-24"}',
    CustomTool.Kind.HTTP: '{"room": "kitchen", "state": "on"}',
}
"""The arguments of a test run of the example, by kind."""
