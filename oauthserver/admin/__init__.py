"""The owner's pages on apps, personal tokens and external identities."""

from oauthserver.admin.applications import ApplicationAdmin
from oauthserver.admin.budgets import BudgetAdmin
from oauthserver.admin.connections import ConnectionAdmin
from oauthserver.admin.external_identities import ExternalIdentityAdmin
from oauthserver.admin.personal_tokens import PersonalTokenAdmin

__all__ = ["ApplicationAdmin", "BudgetAdmin", "ConnectionAdmin", "ExternalIdentityAdmin", "PersonalTokenAdmin"]
