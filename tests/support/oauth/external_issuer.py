"""An external issuer on this machine: its discovery document, its keys, and the tokens that it signs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "https://memory.example"
PATH = "/realms/home"


@dataclass
class Issuer:
    """An issuer that publishes `documents`, by path, and records the paths of `requests`.

    It responds only while `may_answer` is set; each request sets `was_asked`.
    """

    address: str
    key: RSAPrivateKey = field(default_factory=lambda: generate_private_key(public_exponent=65537, key_size=2048))
    documents: dict[str, Any] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    was_asked: Event = field(default_factory=Event)
    may_answer: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        return f"{self.address}{PATH}"

    def publish(self, *keys: dict[str, Any]) -> None:
        """Publish the metadata with these keys, or with the issuer's own one, and respond again."""
        self.may_answer.set()
        self.documents = {
            f"{PATH}/.well-known/openid-configuration": {"issuer": self.url, "jwks_uri": f"{self.address}/keys"},
            "/keys": {"keys": list(keys) or [public_jwk(self.key, "first")]},
        }

    def token(self, key: Any = None, algorithm: str = "RS256", header: Any = None, **changes: Any) -> str:
        """Return a token for the subject `ada`. A change to None leaves the claim out."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "sub": "ada",
            "aud": AUDIENCE,
            "exp": now + 300,
            "iat": now,
            "azp": "notes",
            "scope": "openid memory:read memory:write",
            **changes,
        }
        kept = {name: value for name, value in claims.items() if value is not None}
        payload = json.dumps(kept).encode()
        headers = {"kid": "first", "typ": "JWT", **(header or {})}
        return jwt.api_jws.encode(payload, key or self.key, algorithm=algorithm, headers=headers)


def public_jwk(key: RSAPrivateKey | EllipticCurvePrivateKey, kid: str, **members: Any) -> dict[str, Any]:
    """Return the public half of `key` in its published form."""
    if isinstance(key, RSAPrivateKey):
        jwk = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        jwk = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**{name: value for name, value in jwk.items() if name != "key_ops"}, "kid": kid, "use": "sig", **members}


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    """Yield an issuer that runs at an address of this machine."""
    state: list[Issuer] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state[0].requests.append(self.path)
            state[0].was_asked.set()
            state[0].may_answer.wait(30)
            document = state[0].documents.get(self.path)
            content = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(404 if document is None else 200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = Issuer(f"http://127.0.0.1:{listener.server_port}")
    issuer.publish()
    state.append(issuer)
    Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield issuer
    finally:
        listener.shutdown()
        listener.server_close()
