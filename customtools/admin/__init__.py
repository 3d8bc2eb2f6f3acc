"""The owner's pages on what custom tools may use, and on their log."""

from customtools.admin.hosts import AllowedHostAdmin
from customtools.admin.log import ToolLogLineAdmin
from customtools.admin.secrets import ToolSecretAdmin

__all__ = ["AllowedHostAdmin", "ToolLogLineAdmin", "ToolSecretAdmin"]
