"""Tests of recognizing secrets in configurations and commands, and nothing else that developers write down."""

from __future__ import annotations

import pytest

from memories.validation.secrets.detection import kind_of_secret
from memories.validation.secrets.hiding import hide_secrets
from memories.validation.secrets.kinds import Kind

# Values are separate, so that secret scanners do not report this file.
PASSWORD, KEY = "Xk92" + "mfPq7", "9d8f7a6b5c4e" + "3d2f1a0b9c8d7e6f5a4b3c2d"
WORD, PUBLIC = "light" + "house", "0123456789abcdef" * 2
BASIC_WORD = "cm9iaW46bGln" + "aHRob3VzZQ=="
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
    f"localhost:5432:shop:app:{PASSWORD}",
    f"*:*:*:app:{WORD}",
    f"/var/run/postgresql:5432:shop:app:{PASSWORD}",
    f"db.example.com:6000:shop:app:{PASSWORD}",
    f"echo 'db:5432:shop:app:{PASSWORD}' >> ~/.pgpass",
    f"REDIS_AUTH={PASSWORD}",
    f"REDISCLI_AUTH='{PASSWORD}' redis-cli -h cache",
    f'ldapsearch -x -D "cn=admin,dc=example,dc=org" -w {PASSWORD} -b dc=example,dc=org',
    f'ldapsearch -x -H ldap://ldap -D cn=admin -w {WORD} "(uid=robin)"',
    f"https://{PUBLIC}:{KEY}@o12345.ingest.sentry.io/4711",
    f"mysql -u root -p{WORD} shop",
    f"mysqldump -u root -p{WORD} --all-databases > all.sql",
    f"sshpass -p {WORD} ssh root@build01",
    f"docker login -u robin -p {WORD} registry.example.com",
    f"curl -u robin:{WORD} https://ci.example.com/build",
    f"curl https://ci.example.com/build --user 'robin:{WORD}'",
    f"Authorization: Basic {BASIC_WORD}",
    f'psql "host=db user=app password={WORD} dbname=shop"',
    f'psql "password={PASSWORD} host=db"',
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
    # Configurations and commands with a placeholder or a reference, and what only looks like them.
    "In .pgpass, each line is hostname:port:database:username:password",
    "localhost:5432:shop:app:<password>",
    "localhost:5432:shop:app:$PGPASSWORD",
    "localhost:5432:shop:app:{{ password }}",
    "db:5432:*:app:xxxxxxxx",
    "*:*:*:postgres:postgres",
    "localhost:5432:shop:app:password",
    "chmod 600 ~/.pgpass, or psql ignores the file",
    "src/billing/invoice.py:118:9:error:undefined-name",
    "main.py:12:80:E501:line-too-long",
    "docker run -p 127.0.0.1:5432:5432 -v pgdata:/var/lib/postgresql postgres:16",
    "robin:x:1000:1000:Robin:/home/robin:/bin/zsh",
    "arn:aws:sns:eu-central-1:123456789012:alerts",
    "The build took 01:12:45:11 in frames",
    "REDIS_AUTH=<password>",
    "REDIS_AUTH=$REDIS_PASSWORD",
    "REDIS_AUTH=${REDIS_AUTH:-}",
    'REDIS_AUTH: "{{ redis_password }}"',
    "REDIS_AUTH=changeme",
    "REDIS_AUTH_ENABLED=true",
    "REDIS_AUTH=disabled",
    "REDIS_AUTH=acl_file",
    "SMTP_AUTH=CRAM-MD5",
    "NEXT_AUTH=v5.0.0-beta.25",
    "POSTGRES_HOST_AUTH_METHOD=scram-sha-256",
    "BASIC_AUTH=false on staging",
    'ldapsearch -x -D "cn=admin,dc=example,dc=org" -W -b dc=example,dc=org',
    "ldapsearch -x -D cn=admin -w <password>",
    "ldapsearch -x -D cn=admin -w $LDAP_PASSWORD -b dc=example",
    'ldapsearch -x -D cn=admin -w "$(pass show ldap)" "(uid=robin)"',
    "ldapsearch -x -D cn=admin -y /run/secrets/ldap_bind_2",
    "With ldapsearch, -w takes the password and -W asks for it",
    "ldapsearch -w option is visible in ps, so use -y with a file",
    "ldapsearch -LLL -o ldif-wrap=no -x -b dc=example,dc=org uid=robin",
    "SENTRY_DSN=https://0123456789abcdef0123456789abcdef@o12345.ingest.sentry.io/4711",
    "SENTRY_DSN=https://public:secret@sentry.example.com/1 is the old form of a DSN",
    "report-uri https://o12345.ingest.sentry.io/api/4711/security/?sentry_key=0123456789abcdef0123456789abcdef",
    "A Sentry DSN is public; the auth token for uploading source maps is not",
    "mysql -p asks for the password, mysql -psecret would show it in the history",
    "mysql -u root -p$MYSQL_ROOT_PASSWORD shop",
    'mysql -u root -p"${MYSQL_PWD}" shop < dump.sql',
    "mysql -u root -pPASSWORD shop",
    "mysql -u root -pxxxxxxxx shop",
    "mysqldump --single-transaction --quick shop > shop_2026-10-01.sql",
    "mysql --port=3307 --protocol=tcp shop",
    "sshpass -p <password> ssh deploy@build01",
    'sshpass -p "$SSHPASS" rsync -a dist/ deploy@web2:/srv/www',
    "sshpass -f ~/.config/deploy_pw1 ssh deploy@web2",
    "sshpass -e ssh deploy@web2 reads the variable SSHPASS",
    "sshpass -p 'your-password' ssh user@host",
    "sshpass -p shows the password in the list of processes, so we use keys",
    'psql "host=db user=app password=$PGPASSWORD dbname=shop"',
    'psql "postgresql://app@db/shop?sslmode=verify-full&passfile=/run/secrets/pgpass1"',
    'psql "password=<password> host=db"',
    'psql "host=db user=app password=secret dbname=shop"',
    "curl -u user:pass https://example.com is the documented form",
    'curl -u "$CI_USER:$CI_TOKEN" https://ci.example.com/api/json',
    "curl -u robin: https://api.example.com asks for the password",
    "curl --user {{ user }}:{{ password }} https://example.com/v2",
    "curl -u 1000:1000 is wrong, that is docker run -u 1000:1000",
    "curl -U proxyuser:proxypass -x http://proxy.example.com:3128 https://example.com",
    "Authorization: Basic <credentials>",
    'Authorization: Basic $(echo -n "$USER:$PASS" | base64)',
    "Authorization: Basic dXNlcjpwYXNz",
    "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== is the example of RFC 7617",
    "Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l",
    "Authorization: Basic authentication is off since v2.3",
    'The proxy answers WWW-Authenticate: Basic realm="staging2"',
    "docker login -u robin --password-stdin registry.example.com < token.txt",
    "docker login -u robin -p xxx registry.example.com",
    "wget --user=robin --ask-password https://files.example.com/build-118.tar.gz",
    "The staging DB listens on db:5432 and the replica on db2:5433:read-only",
    "traefik.http.routers.shop.rule=Host(`shop.example.com`) && PathPrefix(`/api`)",
    "mysql -h db -u root -p shop_production_2 < schema.sql",
    "Use mysql -uroot -prootroot for the local container only",
    "curl -u elastic:changeme localhost:9200/_cat/indices",
    "pgbouncer runs at pgbouncer:6432:shop:session",
    "postgres:5432:5432:host-gateway:internal",
    "10.0.0.1:5432:replica:streaming:async",
    "docker login -u AWS -p $(aws ecr get-login-password) 1234.dkr.ecr.eu-central-1.amazonaws.com",
    'ldapsearch -x -b "dc=example,dc=org" -w prompt',
    "ldapmodify -x -D cn=admin -W -f change_01.ldif",
    "REDIS_AUTH=none in dev, and a secret from Vault in production",
    "We set host=db user=app and password=required in the form",
    "form fields: user=text password=masked host=select",
    "docker login -p is deprecated, use --password-stdin instead",
    "mysql -psomething leaks into the shell history",
    "curl --user admin:admin http://localhost:3000/api/health",
    "tshark -r trace.pcap -w filtered2.pcap, then ldapsearch again",
    "ldapsearch output goes to a file, tcpdump -w ldap-trace2.pcap captures it",
    "Basic knowledge of Kubernetes is enough",
    "Basic ZmlsdGVyaW5nOmVuYWJsZWQ= is the encoded setting",
    "gradle:8.5:jdk21:build:compileJava",
    "test_orders.py:5432:in:checkout:timeout",
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
    assert not any(value in hidden for value in (PASSWORD, KEY, WORD, "YWRtaW46c3VwZXJzZWNyZXQ5OQ", BASIC_WORD))
    assert hidden[:5] == text[:5]


@pytest.mark.parametrize(
    "unit",
    [
        "a://b:",
        "token=",
        "token: a1",
        "docker login ",
        "curl -u a",
        "Basic QUFB",
        "api_key=a1b2",
        "://:a1b2@",
        "a:5432:",
        "a.",
        "\\\\:",
        "*:*:a:a:\\\\:",
        "mysql -a b ",
        "sshpass -p lighthouse ",
        "curl -u a:lighthouse b",
        "ldapsearch -w a ",
        "redis_auth=",
        "password=lighthouse host=",
    ],
)
def test_no_text_makes_the_search_slow(unit: str) -> None:
    # A pattern that backtracks would take hours; this takes a second.
    assert kind_of_secret(unit * (100_000 // len(unit)) + f" \nSECRET_KEY={KEY}")
