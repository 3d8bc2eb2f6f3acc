"""Tests of recognizing secrets in configurations and commands, and nothing else that developers write down."""

from __future__ import annotations

import pytest

from memories.validation.secrets.detection import kind_of_secret
from memories.validation.secrets.hiding import hide_secrets
from memories.validation.secrets.kinds import Kind

# Values are separate, so that secret scanners do not report this file.
PASSWORD, KEY = "Xk92" + "mfPq7", "9d8f7a6b5c4e" + "3d2f1a0b9c8d7e6f5a4b3c2d"
SECRETS = [
    f"DATABASE_URL=postgres://app:{PASSWORD}@db.example.internal:5432/shop",
    f"redis://:{KEY}@cache.example.io:6379/0",
    f"git clone https://robin:{PASSWORD}@git.example.com/shop.git",
    f"PGPASSWORD={PASSWORD} psql -h db",
    f"MYSQL_PWD='{PASSWORD}'",
    f'"dbPassword": "{PASSWORD}"',
    f"SECRET_KEY={KEY}",
    f"JWT_SECRET: {KEY}",
    f"//registry.npmjs.org/:_authToken={KEY}",
    f"AccountName=shop;AccountKey={KEY}==;EndpointSuffix=core.windows.net",
    f'api_key = "{KEY}"',
    f"docker login -u robin -p {PASSWORD} registry.example.com",
    f"sshpass -p '{PASSWORD}' ssh root@build01",
    f"mysql -u root -p{PASSWORD} shop",
    f"curl -u robin:{PASSWORD} https://ci.example.com/build",
    "curl -H 'Authorization: Basic " + "YWRtaW46c3VwZXJzZWNyZXQ5OQ=='",
    f"Authorization: Bearer {KEY}",
]
HARMLESS = [
    "postgres://localhost:5432/shop_test",
    "postgres://user:password@localhost:5432/shop is the default",
    "postgres://shop1:shop1@localhost/shop",
    "postgresql://$PGUSER:$PGPASSWORD@db:5432/shop",
    "redis://:${REDIS_PW}@cache:6379",
    "https://x-access-token:${GH_TOKEN}@github.com/example/shop",
    "ssh://git@example.com:2222/shop.git",
    "http://localhost:3000/@vite/client",
    "SECRET_KEY = env.str('DJANGO_SECRET')",
    "SECRET_KEY=<a long random value, 50 characters>",
    "client_secret: process.env.CLIENT_SECRET_2",
    "secretKeyRef: {name: shop-db, key: password}",
    "imagePullSecret: regcred-prod-2",
    "api_key: shop-prod-eu1-key3-v2",
    "password: ${{ secrets.DB_PASSWORD_1 }}",
    "export GITHUB_TOKEN=$(gh auth token)",
    "private_key=/run/secrets/jwt_rs256_a1b2c3d4.pem",
    "token_url=https://login.example.com/a1b2c3d4e5f6/token",
    f"next_page_token={KEY}",
    f"csrf_token: {KEY}",
    f"idempotency_key = {KEY}",
    f"the tag of the image is the commit {KEY}",
    "AUTH_TOKEN_TTL_SECONDS=3600",
    "bypass: v2.1.4-rc1",
    "docker run -p 8080:80 -u 1000:1000 shop",
    "docker login -u robin -p $REGISTRY_PASSWORD registry.example.com",
    "mysql -p shop_prod < dump_2026.sql",
    "mysql -P3306 -h db",
    'curl -u "$USER:$PASS" https://registry.example.com/v2/_catalog',
    "Authorization: Basic dXNlcjpwYXNzd29yZA== is user:password",
    "Authorization: Bearer $TOKEN",
    "In tests, users have password='test'",
    "password = forms.CharField(widget=forms.PasswordInput)",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_in_a_configuration_or_a_command_is_a_password(text: str) -> None:
    assert kind_of_secret(text) == Kind.PASSWORD
    assert kind_of_secret(f"We set it up on Monday:\n\n    {text}\n\nIt works.") == Kind.PASSWORD


@pytest.mark.parametrize("text", HARMLESS)
def test_code_without_a_secret_is_stored(text: str) -> None:
    assert kind_of_secret(text) is None


@pytest.mark.parametrize("text", SECRETS)
def test_only_the_value_is_hidden(text: str) -> None:
    hidden = hide_secrets(text, [Kind.PASSWORD], lambda kind, value: "[hidden]")
    assert not any(value in hidden for value in (PASSWORD, KEY, "YWRtaW46c3VwZXJzZWNyZXQ5OQ"))
    assert hidden[:5] == text[:5]


@pytest.mark.parametrize(
    "unit", ["a://b:", "token=", "token: a1", "docker login ", "curl -u a", "Basic QUFB", "api_key=a1b2", "://:a1b2@"]
)
def test_no_text_makes_the_search_slow(unit: str) -> None:
    # A pattern that backtracks would take hours; this takes a second.
    assert kind_of_secret(unit * (100_000 // len(unit)) + f" \nSECRET_KEY={KEY}")
