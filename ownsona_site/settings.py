"""Django settings, read from the environment or `.env`. `.env.example` documents each variable."""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from common.networking import addresses
from ownsona_site.configuration.data_directory import BACKUPS, default_data_directory
from ownsona_site.configuration.environment import Environment
from ownsona_site.configuration.log_filters import full_disk_once, only_own_errors, without_traceback
from ownsona_site.configuration.secret_key import chosen_secret_key
from ownsona_site.configuration.version import VERSION as _VERSION
from ownsona_site.languages.available import ENGLISH, languages_in
from ownsona_site.web.trusted_proxies import SCHEME_HEADER

VERSION = _VERSION
BASE_DIR = Path(__file__).resolve().parent.parent

env = Environment.load(BASE_DIR / ".env")
SETTING_PROBLEMS = env.problems

# --- Where it runs and where it keeps its data

HOST = env.text("HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, 1, 65535)
WEB_CONCURRENCY = env.integer("WEB_CONCURRENCY", 2, 1, 64)
WEB_THREADS = env.integer("WEB_THREADS", 4, 1, 64)
WEB_CONNECTIONS = env.integer("WEB_CONNECTIONS", 2048, 16, 60_000)
WEB_CONNECTIONS_PER_ADDRESS = env.integer("WEB_CONNECTIONS_PER_ADDRESS", WEB_CONNECTIONS // 2, 1, WEB_CONNECTIONS)
DATA_DIR = Path(env.text("OWNSONA_DATA_DIR", str(default_data_directory()))).expanduser().absolute()
MODELS_DIR = DATA_DIR / "models"
# Files in it are custom tools of the owner.
TOOLS_DIR = DATA_DIR / "tools"
AGENTS_DIR = DATA_DIR / "agents"
# The archives that the job process makes.
BACKUP_DIR = Path(env.text("BACKUP_DIR", str(DATA_DIR / BACKUPS))).expanduser().absolute()
if BACKUP_DIR == DATA_DIR or (DATA_DIR in BACKUP_DIR.parents and BACKUP_DIR != DATA_DIR / BACKUPS):
    # A restore replaces the data folder, and keeps only the folder with that name.
    env.reject(
        "BACKUP_DIR",
        f"It is in the data folder, which a restore replaces, and is not {DATA_DIR / BACKUPS}.",
        "Use a folder on another disk, or remove the setting.",
    )
PUBLIC_URL = env.origin("OWNSONA_PUBLIC_URL", f"http://127.0.0.1:{PORT}")
DEBUG = env.flag("DEBUG")

SECRET_KEY_IN_DATA_DIR = not env.text("SECRET_KEY")
SECRET_KEY = chosen_secret_key(env, DATA_DIR)

# Normalized as on the login page: otherwise a name in other characters that look alike could not be typed there.
LOGIN_USERNAME = unicodedata.normalize("NFKC", env.text("OWNSONA_LOGIN_USERNAME"))
LOGIN_PASSWORD = env.text("OWNSONA_LOGIN_PASSWORD")
if len(LOGIN_USERNAME) > 150:
    env.reject("OWNSONA_LOGIN_USERNAME", "It is longer than 150 characters.", "Use a shorter name.")

# With less than DISK_MINIMUM_MB free, the embedded database stores nothing more, which leaves it space for its other
# work. A file of DISK_RESERVE_MB keeps space that other programs would otherwise fill.
DISK_WARNING_MB = env.integer("DISK_WARNING_MB", 1024, 0, 1_000_000)
DISK_MINIMUM_MB = env.integer("DISK_MINIMUM_MB", 256, 0, 1_000_000)
DISK_RESERVE_MB = env.integer("DISK_RESERVE_MB", 128, 0, 100_000)

# --- The web

_public = urlsplit(PUBLIC_URL)
LOOPBACK_HOSTS = addresses.LOOPBACK_HOSTS
PUBLIC_URL_IS_LOOPBACK = _public.hostname in LOOPBACK_HOSTS
_loopback = [f"[{name}]" if ":" in name else name for name in sorted(LOOPBACK_HOSTS)]
ALLOWED_HOSTS = list(dict.fromkeys([_public.netloc.rpartition("@")[2].removesuffix(f":{_public.port}"), *_loopback]))
# An https URL implies a proxy, since OwnSona has no TLS. By default the proxy runs on this machine.
TRUSTED_PROXIES = env.networks("OWNSONA_TRUSTED_PROXIES", "127.0.0.0/8, ::1" if _public.scheme == "https" else "none")
SECURE_PROXY_SSL_HEADER = (SCHEME_HEADER, "https")
ALLOWED_ORIGINS = env.origin_list("OWNSONA_ALLOWED_ORIGINS")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _public.scheme == "https"
# RFC 6265bis, section 4.1.3.2: browsers accept cookies with this prefix only over TLS and from this exact host.
_cookie_prefix = "__Host-" if SESSION_COOKIE_SECURE else ""
SESSION_COOKIE_NAME = f"{_cookie_prefix}sessionid"
CSRF_COOKIE_NAME = f"{_cookie_prefix}csrftoken"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"

INSTALLED_APPS = [
    "ownsona_site.apps.SiteConfig",
    "memories.apps.MemoriesConfig",
    "documents.apps.DocumentsConfig",
    "customtools.apps.CustomToolsConfig",
    "agents.apps.AgentsConfig",
    "workflows.apps.WorkflowsConfig",
    "oauthserver.apps.OAuthServerConfig",
    "mcpapi.apps.McpApiConfig",
    "ownsona_site.apps.OwnerAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "oauth2_provider",
    "procrastinate.contrib.django",
]
# The modules of the jobs, which a process loads when it first queues or runs one. By default every command loads them.
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = ""
PROCRASTINATE_IMPORT_PATHS = [
    f"{app}.tasks" for app in ("ownsona_site", "memories", "documents", "agents", "workflows", "oauthserver", "mcpapi")
]
MIDDLEWARE = [
    "ownsona_site.web.trusted_proxies.apply_proxy_headers",
    "ownsona_site.web.fast_path.mcp_fast_path",
    "oauthserver.authorization.cors.open_to_any_origin",
    "ownsona_site.web.security_headers.security_headers",
    "ownsona_site.web.head_requests.drop_content",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "ownsona_site.web.owner_time.owner_time_zone",
    "ownsona_site.languages.page_language.page_language",
]
ROOT_URLCONF = "ownsona_site.urls"
CSRF_FAILURE_VIEW = "ownsona_site.pages.outdated_form.outdated_form"
ASGI_APPLICATION = "ownsona_site.asgi.application"
# `/mcp/` and `/mcp` are both served, so Django must not redirect to add a slash.
APPEND_SLASH = False
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "ownsona_site" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}

# --- The database

DATABASE_URL = env.text("DATABASE_URL")
DATABASE: dict[str, Any] = env.database("DATABASE_URL") or {
    "ENGINE": "ownsona_site.embedded_postgres",
    "NAME": "ownsona",
}
# Besides the connection of each request thread, there may be one for a call that continues in the background, and per
# process one that listens for changes and one for the health check.
if not DATABASE_URL and WEB_CONCURRENCY * (WEB_THREADS + 1) > 90:
    env.reject(
        "WEB_CONCURRENCY",
        f"{WEB_CONCURRENCY} processes of {WEB_THREADS} threads need more connections than the embedded PostgreSQL has.",
        "Keep WEB_CONCURRENCY x (WEB_THREADS + 1) at 90 or less.",
    )
DATABASE["OPTIONS"] = {
    **DATABASE.get("OPTIONS", {}),
    # Repeated statements are planned only once: parameters are sent separately from the SQL text.
    "server_side_binding": True,
    "prepare_threshold": 2,
}
# A connection lives as long as its thread, so that no request waits for a new connection.
DATABASES = {"default": {**DATABASE, "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- People

AUTH_USER_MODEL = "oauthserver.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
OTP_TOTP_ISSUER = "OwnSona"
SESSION_COOKIE_AGE = env.integer("LOGIN_LIFETIME_SECONDS", 14 * 86_400, 300, 365 * 86_400)
# In the session, so that pages set no cookies besides those for the session and CSRF.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
# The pages are in one of these languages, and everything else in English: see ownsona_site/languages/page_language.py.
CATALOGUES = BASE_DIR / "locale"
LANGUAGE_CODE = ENGLISH
LANGUAGES = languages_in(CATALOGUES)
LOCALE_PATHS = [DATA_DIR / "languages"]
# Records are in UTC. The owner's pages are in OWNER_TIME_ZONE: see ownsona_site/web/owner_time.py.
TIME_ZONE = "UTC"
USE_TZ = True
# The time zone of the owner's pages, and of dates and times without a zone in the arguments that assistants send.
OWNER_TIME_ZONE = env.time_zone("OWNSONA_TIME_ZONE")
# Django sets TZ to UTC, so child processes cannot determine the system's time zone. They read it from this variable.
if not env.text("OWNSONA_TIME_ZONE"):
    os.environ["OWNSONA_TIME_ZONE"] = OWNER_TIME_ZONE.key

# --- The authorization server

ACCESS_TOKEN_LIFETIME_SECONDS = env.integer("ACCESS_TOKEN_LIFETIME_SECONDS", 3600, 60, 86_400)
REFRESH_TOKEN_LIFETIME_SECONDS = env.integer("REFRESH_TOKEN_LIFETIME_SECONDS", 30 * 86_400, 3600, 365 * 86_400)
AUTHORIZATION_CODE_LIFETIME_SECONDS = env.integer("AUTHORIZATION_CODE_LIFETIME_SECONDS", 60, 10, 600)

# A second issuer whose tokens are accepted, the audience (claim `aud`) that they must have, and the URL of the issuer's
# keys if its metadata does not name it.
OIDC_ISSUER = env.url("OIDC_ISSUER")
OIDC_AUDIENCE = env.text("OIDC_AUDIENCE")
OIDC_JWKS_URL = env.url("OIDC_JWKS_URL")
if OIDC_ISSUER == PUBLIC_URL:
    env.reject("OIDC_ISSUER", "It is this server's own address.", "Use another issuer, or remove the setting.")
if bool(OIDC_ISSUER) != bool(OIDC_AUDIENCE):
    _name = "OIDC_AUDIENCE" if OIDC_ISSUER else "OIDC_ISSUER"
    env.reject(_name, "OIDC_ISSUER and OIDC_AUDIENCE must be set together.", f"Set {_name}, or remove both.")
if OIDC_JWKS_URL and not OIDC_ISSUER:
    env.reject("OIDC_JWKS_URL", "It has no effect without OIDC_ISSUER.", "Set OIDC_ISSUER, or remove the setting.")

OAUTH2_PROVIDER_APPLICATION_MODEL = "oauthserver.Application"
OAUTH2_PROVIDER = {
    "OAUTH2_SERVER_CLASS": "oauthserver.authorization.request_rules.AuthorizationServer",
    "OAUTH2_BACKEND_CLASS": "oauthserver.authorization.oauthlib_backend.Backend",
    "OAUTH2_VALIDATOR_CLASS": "oauthserver.authorization.grant_rules.Validator",
    "SCOPES_BACKEND_CLASS": "oauthserver.connections.scopes.MemoryScopes",
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": ACCESS_TOKEN_LIFETIME_SECONDS,
    "AUTHORIZATION_CODE_EXPIRE_SECONDS": AUTHORIZATION_CODE_LIFETIME_SECONDS,
    "REFRESH_TOKEN_EXPIRE_SECONDS": REFRESH_TOKEN_LIFETIME_SECONDS,
    # All rules of RFC 9700, the best current practice for OAuth 2.0 security.
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_SCHEME": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
}

# --- Embeddings

EMBEDDING_PROVIDER = env.choice("EMBEDDING_PROVIDER", ("local", "openai", "fake"))
EMBEDDING_ENDPOINT = env.text("EMBEDDING_ENDPOINT")
EMBEDDING_API_KEY = env.text("EMBEDDING_API_KEY")
EMBEDDING_MODEL = env.text("EMBEDDING_MODEL")
EMBEDDING_DIMENSIONS = env.integer("EMBEDDING_DIMENSIONS", 0, 1, 16_000)
EMBEDDING_QUERY_PREFIX = env.prefix("EMBEDDING_QUERY_PREFIX")
EMBEDDING_PASSAGE_PREFIX = env.prefix("EMBEDDING_PASSAGE_PREFIX")
EMBEDDING_WAIT_SECONDS = env.integer("EMBEDDING_WAIT_SECONDS", 10, 1, 40)
if EMBEDDING_PROVIDER == "openai":
    for _name, _value in (("EMBEDDING_MODEL", EMBEDDING_MODEL), ("EMBEDDING_DIMENSIONS", EMBEDDING_DIMENSIONS)):
        if not _value:
            env.reject(
                _name, "EMBEDDING_PROVIDER=openai requires it.", f"Set {_name} as the endpoint's documentation says."
            )

# --- Limits

MAX_TEXT_CHARS = env.integer("MAX_TEXT_CHARS", 16_000, 100, 100_000)
MAX_DOCUMENT_MB = env.integer("MAX_DOCUMENT_MB", 100, 1, 500)
MAX_IMPORT_MB = env.integer("MAX_IMPORT_MB", 500, 1, 4000)
DEFAULT_RECALL_LIMIT = env.integer("DEFAULT_RECALL_LIMIT", 8, 1, 500)
MAX_RECALL_LIMIT = env.integer("MAX_RECALL_LIMIT", 50, 1, 500)
MAX_BATCH_SIZE = env.integer("MAX_BATCH_SIZE", 200, 1, 1000)
MAX_EXPORT_ROWS = env.integer("MAX_EXPORT_ROWS", 10_000, 1, 10_000)
if DEFAULT_RECALL_LIMIT > MAX_RECALL_LIMIT:
    env.reject(
        "DEFAULT_RECALL_LIMIT",
        f"{DEFAULT_RECALL_LIMIT} is more than MAX_RECALL_LIMIT ({MAX_RECALL_LIMIT}).",
        "Lower it, or increase MAX_RECALL_LIMIT.",
    )

# --- MCP

# ownsona_site/web/body_sizes.py limits all bodies. Django's limit would apply only to bodies with a known length.
DATA_UPLOAD_MAX_MEMORY_SIZE = None
# Files are kept on disk, whatever their size.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
# The dotted path of the catalog of tools, resources and prompts.
MCP_CATALOG = "mcpapi.catalog.PRODUCT"
MCP_RATE_LIMIT_PER_MINUTE = env.integer("MCP_RATE_LIMIT_PER_MINUTE", 60, 0, 1_000_000)
# How many days the activity log is kept, and whether it contains the search queries.
AUDIT_DAYS = env.integer("AUDIT_DAYS", 90, 0, 3650)
AUDIT_QUERIES = env.flag("AUDIT_QUERIES")
# How many recalls the recall log keeps per owner, with their matches and signals.
AUDIT_RECALLS = env.integer("AUDIT_RECALLS", 1000, 0, 100_000)
# The same as memories.cleanup.detection.found.FindingKind, which needs the settings.
ALL_FINDINGS = ("duplicates", "contradiction", "past", "fragment", "unused", "same_tags", "tag_suggestion")
MIN_HISTORY_DAYS = 30
# The kinds of findings that a search on the page Clean-up looks for.
FINDING_KINDS = env.string_list("CLEANUP_FINDINGS") or list(ALL_FINDINGS)
if unknown := sorted(set(FINDING_KINDS) - set(ALL_FINDINGS)):
    env.reject(
        "CLEANUP_FINDINGS",
        f"There is no finding called {unknown[0]}.",
        f"Use some of {', '.join(ALL_FINDINGS)}, separated by commas.",
    )
# How many days the history of memories is kept; 0: forever. What it keeps longer: memories/undo/retention.py.
HISTORY_DAYS = env.integer("HISTORY_DAYS", 0, 0, 36_500)
if 0 < HISTORY_DAYS < MIN_HISTORY_DAYS:
    env.reject(
        "HISTORY_DAYS",
        f"{HISTORY_DAYS} days would end the promise that every change can be undone for {MIN_HISTORY_DAYS} days.",
        f"Use 0 to keep the whole history, or at least {MIN_HISTORY_DAYS}.",
    )
# Forgetting more memories than this in one call counts as a bulk forget, for which an owner can require an approval.
APPROVAL_BULK_FORGET = env.integer("APPROVAL_BULK_FORGET", 10, 1, 1000)
# Less than a minute, after which many clients abandon a call.
APPROVAL_WAIT_SECONDS = env.integer("APPROVAL_WAIT_SECONDS", 45, 0, 600)
APPROVAL_LIFETIME_SECONDS = env.integer("APPROVAL_LIFETIME_SECONDS", 3600, 60, 7 * 86_400)
MCP_MAX_STREAMS = env.integer("MCP_MAX_STREAMS", 100, 1, 100_000)
MCP_QUESTION_SECONDS = env.integer("MCP_QUESTION_SECONDS", 900, 1, 86_400)
# The token for /metrics. It must be long, because the number of guesses is not limited.
METRICS_TOKEN = env.text("METRICS_TOKEN")
if METRICS_TOKEN and not re.fullmatch(r"[!-~]{32,}", METRICS_TOKEN):
    env.reject(
        "METRICS_TOKEN",
        "It must have at least 32 characters, all printable ASCII.",
        "Use the output of openssl rand -hex 32, or remove the setting.",
    )
MCP_REQUIRE_SESSION = env.flag("MCP_REQUIRE_SESSION")
MCP_SESSION_IDLE_SECONDS = env.integer("MCP_SESSION_IDLE_SECONDS", 30 * 86_400, 60, 365 * 86_400)

# --- The owner's pages

FORMAT_MODULE_PATH = "ownsona_site.formats"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {
        "without_traceback": {"()": "django.utils.log.CallbackFilter", "callback": without_traceback},
        "full_disk_once": {"()": "django.utils.log.CallbackFilter", "callback": full_disk_once},
        "only_own_errors": {"()": "django.utils.log.CallbackFilter", "callback": only_own_errors},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["full_disk_once"]}},
    "root": {"handlers": ["stderr"], "level": env.choice("LOG_LEVEL", ("info", "debug", "warning", "error")).upper()},
    "loggers": {
        "django.request": {"level": "ERROR", "filters": ["only_own_errors"]},
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
        "django.security.RequestDataTooBig": {"filters": ["without_traceback"]},
        "httpx": {"level": "WARNING"},
        "procrastinate": {"level": "WARNING"},
    },
}

MISSPELLED_SETTINGS = env.misspelled()
