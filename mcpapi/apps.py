"""The MCP endpoint as a Django app."""

from typing import Any

from django.apps import AppConfig
from django.utils.module_loading import import_string

from oauthserver.connections.signals import connection_revoked


class McpApiConfig(AppConfig):
    name = "mcpapi"
    verbose_name = "MCP"

    def ready(self) -> None:
        """Connect the signal that withdraws the approvals and cancels the imports of a revoked connection."""
        connection_revoked.connect(_withdraw_approvals, dispatch_uid="mcpapi.approvals")
        connection_revoked.connect(_cancel_imports, dispatch_uid="mcpapi.imports")


def _withdraw_approvals(name: str, **_: Any) -> None:
    # Imported by name because models load after this module.
    import_string("mcpapi.approvals.approval_store.withdraw")(name)


def _cancel_imports(name: str, **_: Any) -> None:
    import_string("memories.transfer.background.requests.cancel_imports_of")(name)
