"""Git repositories on this machine, and a server for them over http."""

from __future__ import annotations

import os
import subprocess
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path

from tests.support.web_site import WebSite

ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    **{
        f"GIT_{role}_{field}": value
        for role in ("AUTHOR", "COMMITTER")
        for field, value in (("NAME", "Ada"), ("EMAIL", "a@example.org"))
    },
}


@dataclass(frozen=True)
class Repository:
    """A repository with a work tree."""

    path: Path

    @classmethod
    def create(cls, path: Path) -> Repository:
        """Create a repository with the branch main and no commit."""
        path.mkdir(parents=True)
        repository = cls(path)
        repository.git("init", "--quiet", "--initial-branch=main")
        return repository

    def git(self, *arguments: str, data: bytes = b"") -> str:
        """Run git with the input `data` in the work tree and return its output."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=os.environ | ENVIRONMENT,
            input=data,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode()

    def commit(self, files: Mapping[str, bytes], *options: str) -> None:
        """Write `files` and commit everything."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "Change", *options)


def serve(site: WebSite, repository: Repository, token: str = "") -> str:
    """Serve a repository over http with git-http-backend(1), and return its URL. With a token, a login is required."""
    login = "Basic " + b64encode(f"git:{token}".encode()).decode()

    def respond(request: BaseHTTPRequestHandler) -> None:
        if token and request.headers.get("Authorization") != login:
            request.send_response(401)
            request.send_header("WWW-Authenticate", 'Basic realm="git"')
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        path, _, query = request.path.partition("?")
        variables = {
            "GIT_PROJECT_ROOT": str(repository.path.parent),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": request.command,
            "CONTENT_TYPE": request.headers.get("Content-Type") or "",
            "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding") or "",
            "GIT_PROTOCOL": request.headers.get("Git-Protocol") or "",
            "REMOTE_ADDR": "127.0.0.1",
        }
        environment = os.environ | ENVIRONMENT | variables
        done = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode().splitlines()]
        request.send_response(next((int(value.split()[0]) for name, value in lines if name == "Status"), 200))
        for name, value in lines:
            if name != "Status":
                request.send_header(name, value)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content)

    base = f"/{repository.path.name}/.git"
    for path in ("/info/refs?service=git-upload-pack", "/git-upload-pack"):
        site.responders[base + path] = respond
    return site.url(base)
