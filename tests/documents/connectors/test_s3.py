"""The connector for S3, with a server on this machine that checks signatures."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import boto3
import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.compat import HTTPHeaders
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st
from moto.server import ThreadedMotoServer

from documents.connectors.base import Connector, SourceError, SourceItem, SourceLimits
from documents.connectors.parts.s3_signature import S3Key, encoded_path, encoded_query, signed_headers
from tests.documents.connectors.runs import connector, refusal, run
from tests.support.web_site import WebSite, web_site

BUCKET = "papers"
ALLOWED = {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}}


@dataclass(frozen=True)
class Bucket:
    """A bucket, a client of another author for it, and the key of its only user."""

    endpoint: str
    client: Any
    access_key: str
    secret_key: str

    def put(self, key: str, content: bytes = b"x", **options: str) -> None:
        self.client.put_object(Bucket=BUCKET, Key=key, Body=content, **options)

    def connector(self, cache: Path, limits: SourceLimits | None = None, **settings: Any) -> Connector[Any]:
        own = {
            "endpoint": self.endpoint,
            "bucket": BUCKET,
            "access_key": self.access_key,
            "secret_key": self.secret_key,
            "allow_private": True,
        }
        return connector("s3", cache, limits, **own | settings)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    yield "http://{}:{}".format(*running.get_host_and_port())
    running.stop()


@pytest.fixture
def bucket(server: str) -> Bucket:
    """An empty bucket on a server that refuses every request without the signature of the user."""
    _post(server, "/moto-api/reset")
    _post(server, "/moto-api/reset-auth", b"inf")
    anyone = {"endpoint_url": server, "region_name": "us-east-1"}
    iam = boto3.client("iam", aws_access_key_id="x", aws_secret_access_key="x", **anyone)
    iam.create_user(UserName="owner")
    iam.put_user_policy(UserName="owner", PolicyName="all", PolicyDocument=json.dumps(ALLOWED))
    key = iam.create_access_key(UserName="owner")["AccessKey"]
    access, secret = key["AccessKeyId"], key["SecretAccessKey"]
    client = boto3.client("s3", aws_access_key_id=access, aws_secret_access_key=secret, **anyone)
    client.create_bucket(Bucket=BUCKET)
    _post(server, "/moto-api/reset-auth", b"0")
    return Bucket(server, client, access, secret)


def _post(server: str, path: str, data: bytes = b"") -> None:
    headers = {"Content-Type": "text/plain"}
    urlopen(Request(f"{server}{path}", data=data, headers=headers, method="POST"), timeout=10).close()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site() as running:
        yield running


def test_every_object_is_listed_and_read(bucket: Bucket, cache: Path) -> None:
    bucket.put("a.md", b"one")
    bucket.put("docs/b.md", b"two")
    bucket.put("docs/", b"")
    opened = bucket.connector(cache)
    opened.check()

    result = run(opened)

    assert result.contents == {"a.md": b"one", "docs/b.md": b"two"}
    item = result.items["docs/b.md"]
    assert (item.name, item.size_bytes) == ("b.md", 3)
    assert item.modified_at
    assert abs((datetime.now(UTC) - item.modified_at).total_seconds()) < 600


def test_only_changed_objects_have_another_fingerprint_and_deleted_ones_are_not_listed(
    bucket: Bucket, cache: Path
) -> None:
    for key in ("same", "changed", "deleted"):
        bucket.put(key, b"one")
    first = run(bucket.connector(cache))
    bucket.put("changed", b"two")
    bucket.client.delete_object(Bucket=BUCKET, Key="deleted")

    second = run(bucket.connector(cache), first.known)

    assert (set(second.items), second.contents) == ({"same", "changed"}, {"changed": b"two"})


@pytest.mark.parametrize(
    "key", ["a b+c&d=e?f#g%20.md", "grün/日本.md", "a//b", "./../x", "evil\u202etxt.exe", "~'()*!;:@$,[]"]
)
def test_any_name_is_listed_and_read(bucket: Bucket, cache: Path, key: str) -> None:
    bucket.put(key, key.encode())

    # Programs write such names, and hidden files are not the subject.
    assert run(bucket.connector(cache, hidden=True)).contents == {key: key.encode()}


def test_a_name_with_a_newline_is_decoded(cache: Path, site: WebSite) -> None:
    encoded = page("two%0Alines+%2B%C3%BC").replace("<Contents>", "<EncodingType>url</EncodingType><Contents>", 1)
    site.page(listing_path(), encoded)
    site.page(f"/{BUCKET}/two%0Alines%20%2B%C3%BC", "found")

    result = run(connector("s3", cache, endpoint=site.origin, bucket=BUCKET, allow_private=True))

    assert result.contents == {"two\nlines +ü": b"found"}
    assert result.items["two\nlines +ü"].name == "two�lines +ü"


def test_prefix_and_patterns_choose_the_objects(bucket: Bucket, cache: Path) -> None:
    for key in ("docs/a.md", "docs/b.log", "docsx/c.md", "docs/.hidden"):
        bucket.put(key)

    assert set(run(bucket.connector(cache, prefix="docs/")).items) == {"docs/a.md", "docs/b.log"}
    assert set(run(bucket.connector(cache, include=["*.md"], exclude=["/docs/"])).items) == {"docsx/c.md"}


def test_a_listing_has_several_pages(bucket: Bucket, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("documents.connectors.s3.PAGE_OBJECTS", 2)
    for number in range(5):
        bucket.put(f"{number}")

    assert list(run(bucket.connector(cache)).items) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("storage_class", ["GLACIER", "DEEP_ARCHIVE"])
def test_an_archived_object_is_skipped(bucket: Bucket, cache: Path, storage_class: str) -> None:
    bucket.put("old", StorageClass=storage_class)
    bucket.put("new", StorageClass="GLACIER_IR")

    result = run(bucket.connector(cache))

    assert (set(result.items), "archived" in result.skipped["old"].why) == ({"new"}, True)


def test_an_object_that_is_stored_compressed_is_decompressed(bucket: Bucket, cache: Path) -> None:
    bucket.put("a.json", gzip.compress(b"{}"), ContentEncoding="gzip")
    bucket.put("b.gz", gzip.compress(b"{}"))

    contents = run(bucket.connector(cache)).contents

    assert contents["a.json"] == b"{}"
    assert contents["b.gz"].startswith(b"\x1f\x8b")


def test_limits_end_the_listing_or_skip_the_object(bucket: Bucket, cache: Path) -> None:
    bucket.put("small", b"x")
    bucket.put("large", b"x" * 100)

    assert set(run(bucket.connector(cache, SourceLimits(item_bytes=99))).skipped) == {"large"}
    assert refusal(bucket.connector(cache, SourceLimits(items=1))).reason == "too_many_items"
    assert refusal(bucket.connector(cache, SourceLimits(total_bytes=100))).reason == "too_large"
    assert refusal(bucket.connector(cache, SourceLimits(seconds=0))).reason == "unreachable"
    with pytest.raises(SourceError) as error:
        bucket.connector(cache, SourceLimits(item_bytes=99)).read(SourceItem("large", "large", "x"))
    assert error.value.reason == "too_large"


@pytest.mark.parametrize("wrong", ["access_key", "secret_key"])
def test_wrong_credentials_are_an_error_without_them(bucket: Bucket, cache: Path, wrong: str) -> None:
    wrong_key: dict[str, Any] = {wrong: "AKIAWRONGWRONGWRONG"}
    opened = bucket.connector(cache, **wrong_key)

    error = refusal(opened)

    assert (error.reason, "access_key" in str(error)) == ("forbidden", True)
    shown = f"{error}{error!r}{opened!r}{vars(opened)}{error.__cause__}{error.__context__}"
    assert bucket.secret_key not in shown.replace(bucket.access_key, "")
    assert wrong == "access_key" or "AKIAWRONG" not in shown


def test_a_request_to_a_public_bucket_has_no_signature(cache: Path, site: WebSite) -> None:
    site.page(listing_path(), page("a"))
    site.page(f"/{BUCKET}/a", "one")
    opened = connector("s3", cache, endpoint=site.origin, bucket=BUCKET, allow_private=True)

    assert run(opened).contents == {"a": b"one"}
    assert not any("authorization" in headers for _, headers in site.requests)


def test_a_missing_bucket_or_object_is_not_found(bucket: Bucket, cache: Path) -> None:
    assert refusal(bucket.connector(cache, bucket="missing-bucket")).reason == "not_found"
    with pytest.raises(SourceError) as error:
        bucket.connector(cache).read(SourceItem("missing", "missing", "x"))
    assert error.value.reason == "not_found"


def test_a_server_in_the_own_network_needs_a_switch(cache: Path, site: WebSite) -> None:
    def opened(endpoint: str, **settings: Any) -> Connector[Any]:
        return connector("s3", cache, endpoint=endpoint, bucket=BUCKET, **settings)

    error = refusal(opened(site.origin.replace("http:", "https:")))
    assert (error.reason, "Allow servers in your own network" in str(error)) == ("forbidden", True)
    with pytest.raises(SourceError, match="endpoint: must be an https URL"):
        opened(site.origin)
    assert refusal(opened("http://169.254.169.254", allow_private=True)).reason == "forbidden"
    assert site.requests == []


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"endpoint": "https://host/path"}, "endpoint"),
        ({"endpoint": "ftp://host"}, "endpoint"),
        ({"endpoint": "https://user:sesame@host"}, "endpoint"),
        ({"bucket": "a/../b"}, "bucket"),
        ({"bucket": ""}, "bucket"),
        ({"region": "a b"}, "region"),
        ({"access_key": "a\nb: c", "secret_key": "sesame"}, "access_key"),
        ({"secret_key": "sesame"}, "secret_key"),
        ({"access_key": "sesame"}, "secret_key"),
        ({"secret": "sesame"}, "secret"),
        ({"secret_key": ["sesame"]}, "secret_key"),
    ],
)
def test_invalid_settings_are_named_without_their_values(cache: Path, settings: dict[str, Any], field: str) -> None:
    with pytest.raises(SourceError) as error:
        connector("s3", cache, **{"endpoint": "https://host", "bucket": BUCKET, **settings})

    assert error.value.reason == "invalid"
    assert str(error.value).startswith(f"{field}: ")
    assert "sesame" not in f"{error.value!r}{error.value.__cause__}"


def page(*keys: str, token: str = "") -> str:
    objects = "".join(f"<Contents><Key>{key}</Key><Size>1</Size><ETag>e</ETag></Contents>" for key in keys)
    rest = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>" if token else ""
    return f"<ListBucketResult>{objects}{rest}</ListBucketResult>"


def listing_path(token: str = "") -> str:
    following = f"continuation-token={token}&" if token else ""
    return f"/{BUCKET}?{following}encoding-type=url&list-type=2&max-keys=1000&prefix="


@pytest.mark.parametrize("first", [page("a", token="t"), page(token="t")])
def test_a_list_without_an_end_is_an_error(cache: Path, site: WebSite, first: str) -> None:
    site.page(listing_path(), first)
    site.page(listing_path("t"), page("b", token="t"))

    error = refusal(connector("s3", cache, endpoint=site.origin, bucket=BUCKET, allow_private=True))

    assert (error.reason, len(site.requests) <= 2) == ("invalid", True)


@pytest.mark.parametrize(
    "content",
    [
        "<html></html>",
        "",
        "{}",
        page("a")[:-5],
        '<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult/>',
        page("a").replace("1", "y"),
    ],
)
def test_a_response_that_is_no_list_is_an_error(cache: Path, site: WebSite, content: str) -> None:
    site.page(listing_path(), content)

    assert refusal(connector("s3", cache, endpoint=site.origin, bucket=BUCKET, allow_private=True)).reason == "invalid"


@pytest.mark.parametrize(
    ("status", "code", "reason"),
    [
        (500, "InternalError", "unreachable"),
        (503, "SlowDown", "unreachable"),
        (301, "PermanentRedirect", "invalid"),
        (400, "AuthorizationHeaderMalformed", "invalid"),
        (403, "RequestTimeTooSkewed", "failed"),
        (403, "", "forbidden"),
        (404, "", "not_found"),
        (418, "", "failed"),
    ],
)
def test_an_error_of_the_server_has_its_reason(cache: Path, site: WebSite, status: int, code: str, reason: str) -> None:
    site.page(listing_path(), f"<Error><Code>{code}</Code><Region>eu-west-1</Region></Error>", status)

    error = refusal(connector("s3", cache, endpoint=site.origin, bucket=BUCKET, allow_private=True))

    assert (error.reason, "eu-west-1" in str(error)) == (reason, reason == "invalid")


@given(
    path=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30),
    value=st.text(st.characters(exclude_categories=["Cs"])),
)
def test_the_signature_is_the_one_that_botocore_calculates(path: str, value: str) -> None:
    encoded, query = encoded_path(f"/bucket/{path}"), encoded_query({"prefix": value, "list-type": "2"})
    now = datetime.now(UTC)
    ours = signed_headers(S3Key("AKIA", "secret", "eu-west-1"), "host.example:9000", encoded, query, now)

    signer = S3SigV4Auth(Credentials("AKIA", "secret"), "s3", "eu-west-1")
    request = AWSRequest("GET", f"https://host.example:9000{encoded}?{query}")
    request.context["timestamp"] = ours["x-amz-date"]
    request.headers = HTTPHeaders()
    for name in ("x-amz-date", "x-amz-content-sha256"):
        request.headers[name] = ours[name]
    signature = signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)

    assert ours["Authorization"].endswith(f"Signature={signature}")


def test_the_example_of_the_documentation_has_the_stated_signature() -> None:
    """The bucket listing in "Signature Calculations for the Authorization Header" of Amazon S3."""
    key = S3Key("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
    query = encoded_query({"max-keys": "2", "prefix": "J"})
    headers = signed_headers(key, "examplebucket.s3.amazonaws.com", "/", query, datetime(2013, 5, 24, tzinfo=UTC))

    assert headers["Authorization"].endswith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    assert "wJalr" not in repr(key)
