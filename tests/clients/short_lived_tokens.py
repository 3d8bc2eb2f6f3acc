"""Settings of a server whose access tokens expire during a test."""

from ownsona_site.settings import *  # noqa: F403
from ownsona_site.settings import OAUTH2_PROVIDER

ACCESS_TOKEN_LIFETIME_SECONDS = 5
OAUTH2_PROVIDER = {**OAUTH2_PROVIDER, "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_LIFETIME_SECONDS}
