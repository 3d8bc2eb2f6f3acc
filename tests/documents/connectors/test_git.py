"""The connector for git, with real repositories and a real server."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from common.networking.outbound import NetworkPolicy
from documents.connectors.base import ConnectorContext, SourceError, SourceItem, SourceLimits
from documents.connectors.parts.git_program import GitFailed, GitProgram
from documents.connectors.registry import open_connector
from tests.documents.connectors.runs import connector, refusal, run
from tests.support.git_repository import Repository, serve
from tests.support.web_site import WebSite, web_site

TOKEN = "glpat-very-secret-token"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository.create(tmp_path / "project")
    found.commit({"README.md": b"hello", "docs/a.md": b"first"})
    return found


@pytest.fixture
def site() -> Iterator[WebSite]:
    with web_site() as running:
        yield running


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_the_files_of_the_latest_commit_are_listed_and_read(repository: Repository, cache: Path, prefix: str) -> None:
    opened = connector("git", cache, url=f"{prefix}{repository.path}")
    opened.check()
    result = run(opened)

    assert result.contents == {"README.md": b"hello", "docs/a.md": b"first"}
    assert result.items["docs/a.md"].fingerprint == repository.git("rev-parse", "HEAD:docs/a.md").strip()
    assert result.items["docs/a.md"].size_bytes == 5


def test_a_second_run_finds_changed_new_and_deleted_files(repository: Repository, cache: Path) -> None:
    known = run(connector("git", cache, url=str(repository.path))).known
    (repository.path / "README.md").unlink()
    repository.commit({"docs/a.md": b"second", "docs/b.md": b"new"})

    result = run(connector("git", cache, url=str(repository.path)), known)

    assert set(result.items) == {"docs/a.md", "docs/b.md"}
    assert result.contents == {"docs/a.md": b"second", "docs/b.md": b"new"}


def test_rewritten_history_is_a_run_like_any_other(repository: Repository, cache: Path) -> None:
    repository.commit({"secret.txt": b"oops"})
    known = run(connector("git", cache, url=str(repository.path))).known
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.commit({"docs/a.md": b"other"}, "--amend")

    result = run(connector("git", cache, url=str(repository.path)), known)

    assert set(result.items) == {"README.md", "docs/a.md"}
    assert result.contents == {"docs/a.md": b"other"}


def test_a_branch_and_a_folder_can_be_chosen(repository: Repository, cache: Path) -> None:
    repository.git("checkout", "--quiet", "-b", "feature/x")
    repository.commit({"docs/a.md": b"on a branch", "docsx/no.md": b"no", "docs/skip.log": b"no"})
    repository.git("checkout", "--quiet", "main")

    chosen = connector("git", cache, url=str(repository.path), branch="feature/x", subfolder="docs", exclude=["*.log"])

    assert run(chosen).contents == {"docs/a.md": b"on a branch"}
    assert refusal(connector("git", cache, url=str(repository.path), subfolder="nothing")).reason == "not_found"


def test_links_submodules_lfs_pointers_and_large_files_are_skipped(repository: Repository, cache: Path) -> None:
    (repository.path / "link").symlink_to("/etc/passwd")
    repository.commit({"movie.mp4": POINTER, "large.bin": b"x" * 2000, "small.txt": b"version 1"})
    head = repository.git("rev-parse", "HEAD").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{head},library")
    repository.git("commit", "--quiet", "-m", "Add a submodule")

    result = run(connector("git", cache, SourceLimits(item_bytes=1000), url=str(repository.path)))

    assert set(result.items) == {"README.md", "docs/a.md", "small.txt"}
    reasons = {key: skipped.why for key, skipped in result.skipped.items()}
    assert set(reasons) == {"link", "movie.mp4", "large.bin", "library"}
    assert "LFS" in reasons["movie.mp4"]
    assert "submodule" in reasons["library"]


def test_names_with_newlines_and_other_bytes_lead_back_to_their_files(repository: Repository, cache: Path) -> None:
    blob = repository.git("rev-parse", "HEAD:README.md").strip()
    repository.commit({"two\nlines.txt": b"newline", "evil\u202etxt.exe": b"bidi", 'tab\t"quote.txt': b"quote"})
    entry = f"100644 blob {blob}\t".encode() + b"caf\xe9.txt\0"
    repository.git("update-index", "--add", "-z", "--index-info", data=entry)
    repository.git("commit", "--quiet", "-m", "Add a name")

    result = run(connector("git", cache, url=str(repository.path)))

    assert result.contents["//caf%E9.txt"] == b"hello"
    assert result.contents["two\nlines.txt"] == b"newline"
    assert result.items["evil\u202etxt.exe"].name == "evil�txt.exe"


def test_a_damaged_cache_is_replaced(repository: Repository, cache: Path) -> None:
    run(connector("git", cache, url=str(repository.path)))
    (mirror,) = cache.iterdir()
    (mirror / "config").write_text("[core")

    assert set(run(connector("git", cache, url=str(repository.path))).items) == {"README.md", "docs/a.md"}


def test_the_cache_does_not_keep_every_old_version(repository: Repository, cache: Path) -> None:
    opened = connector("git", cache, url=str(repository.path))
    for _ in range(25):
        (repository.path / "noise.bin").write_bytes(os.urandom(20_000))
        repository.commit({})
        list(opened.listing({}))

    size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    assert size < 10 * 20_000


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"branch": "missing"}, "not_found"), ({"url": "/nonexistent/repository"}, "not_found"), ({}, None)],
)
def test_check_says_whether_the_branch_can_be_read(
    repository: Repository, cache: Path, settings: dict[str, Any], reason: str | None
) -> None:
    opened = connector("git", cache, **{"url": str(repository.path), **settings})
    if reason is None:
        opened.check()
        return
    with pytest.raises(SourceError) as error:
        opened.check()
    assert error.value.reason == reason
    assert refusal(opened).reason == reason


def test_a_folder_that_is_no_repository_is_not_found(tmp_path: Path, cache: Path) -> None:
    assert refusal(connector("git", cache, url=str(tmp_path))).reason == "not_found"


def test_a_missing_git_is_an_error_with_advice(
    repository: Repository, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = connector("git", cache, url=str(repository.path))
    monkeypatch.setenv("PATH", "/nonexistent")

    error = refusal(opened)

    assert (error.reason, "Install git" in str(error)) == ("not_configured", True)


def test_an_old_git_is_an_error_with_advice(
    repository: Repository, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "git", "echo git version 2.31.9")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")

    assert refusal(connector("git", cache, url=str(repository.path))).reason == "not_configured"


def program(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    "url",
    [
        "--upload-pack=touch pwned",
        "-oProxyCommand=touch pwned",
        "ext::sh -c touch% pwned",
        "ext::sh",
        "fd::17",
        "ssh://-oProxyCommand=touch/x",
        "ssh://-oProxyCommand=x@host/x",
        "-x@host:path",
        "git@-oProxyCommand=touch:path",
        "git://host/x",
        "ftp://host/x",
        "http://host/x",
        "https://host",
        "https://us er@host/x",
        "https://user:password@host/x",
        "https://token@host/x",
        "ssh://git:password@host/x",
        "https://host/x\ny",
        "relative/path",
        "file://host/path",
        "",
    ],
)
def test_an_address_that_is_no_plain_repository_is_refused(cache: Path, url: str) -> None:
    with pytest.raises(SourceError) as error:
        connector("git", cache, url=url)

    assert error.value.reason == "invalid"
    assert str(error.value).startswith("url: ")
    assert "password" not in str(error.value).replace("user name or password", "")


@pytest.mark.parametrize(
    "branch", ["--upload-pack=x", "-x", "a..b", "a b", "a:b", "@", "a@{1}", "/a", "a/", "a.lock", "*", "a\nb"]
)
def test_a_branch_with_an_option_or_a_refspec_is_refused(cache: Path, branch: str) -> None:
    with pytest.raises(SourceError, match="branch: "):
        connector("git", cache, url="/x", branch=branch)


@pytest.mark.parametrize("subfolder", ["../x", "a/../b", "a//b", "."])
def test_a_folder_outside_of_the_repository_is_refused(cache: Path, subfolder: str) -> None:
    with pytest.raises(SourceError, match="subfolder: "):
        connector("git", cache, url="/x", subfolder=subfolder)


def test_hooks_and_settings_of_the_machine_are_not_used(
    repository: Repository, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    home = tmp_path / "home"
    home.mkdir()
    hooks = tmp_path / "hooks"
    for name in ("reference-transaction", "post-checkout", "pre-auto-gc"):
        program(hooks / name, f"touch {marker}")
    (home / ".gitconfig").write_text(
        f'[core]\nhooksPath = {hooks}\n[url "/nonexistent"]\ninsteadOf = {repository.path}\n'
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(hooks))

    assert run(connector("git", cache, url=str(repository.path))).items
    assert not marker.exists()


def test_a_repository_is_read_over_http_with_a_token(repository: Repository, cache: Path, site: WebSite) -> None:
    url = serve(site, repository, TOKEN)

    result = run(connector("git", cache, url=url, token=TOKEN, allow_private=True))

    assert result.contents == {"README.md": b"hello", "docs/a.md": b"first"}


@pytest.mark.parametrize("token", [None, "wrong-" + TOKEN])
def test_a_missing_or_wrong_token_is_an_error_without_the_token(
    repository: Repository, cache: Path, site: WebSite, token: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    opened = connector("git", cache, url=serve(site, repository, TOKEN), token=token, allow_private=True)

    error = refusal(opened)

    assert error.reason == "forbidden"
    assert TOKEN not in f"{error!r}{error}{opened!r}{vars(opened)}{error.__cause__}{error.__context__}{caplog.text}"


def test_a_password_in_the_home_folder_is_not_used(
    repository: Repository, cache: Path, site: WebSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".netrc").write_text(f"machine 127.0.0.1 login git password {TOKEN}\n")
    monkeypatch.setenv("HOME", str(tmp_path))

    error = refusal(connector("git", cache, url=serve(site, repository, TOKEN), allow_private=True))

    assert error.reason == "forbidden"


def test_no_file_in_the_cache_contains_the_token(repository: Repository, cache: Path, site: WebSite) -> None:
    run(connector("git", cache, url=serve(site, repository, TOKEN), token=TOKEN, allow_private=True))

    for path in cache.rglob("*"):
        if path.is_file():
            assert TOKEN.encode() not in path.read_bytes()
            assert b"Authorization" not in path.read_bytes()


def test_a_server_in_the_own_network_is_refused_before_anything_is_sent(cache: Path, site: WebSite) -> None:
    port = site.origin.rpartition(":")[2]
    for url in (f"https://127.0.0.1:{port}/x", f"https://localhost:{port}/x", f"ssh://git@127.0.0.1:{port}/x"):
        error = refusal(connector("git", cache, url=url))
        assert (error.reason, "Allow servers in your own network" in str(error)) == ("forbidden", True)
    assert site.requests == []


def test_link_local_addresses_are_refused_in_any_case(cache: Path) -> None:
    assert refusal(connector("git", cache, url="http://169.254.169.254/x", allow_private=True)).reason == "forbidden"


def test_git_connects_to_the_address_that_was_checked(repository: Repository, cache: Path, site: WebSite) -> None:
    """git itself cannot resolve this name, so it can only reach the server at the address that it was given."""
    url = serve(site, repository).replace("127.0.0.1", "pinned.invalid")
    network = NetworkPolicy(look_up=lambda host: ["127.0.0.1"], is_allowed=lambda address: True, port=None)
    context = ConnectorContext(cache, network=network)

    result = run(open_connector("git", {"url": url, "allow_private": True}, context))

    assert result.items


def test_a_redirect_is_not_followed(repository: Repository, cache: Path, site: WebSite) -> None:
    with web_site() as other:
        target = serve(other, repository)
        path = "/moved/info/refs?service=git-upload-pack"
        site.page(path, status=301, location=f"{target}/info/refs?service=git-upload-pack")

        error = refusal(connector("git", cache, url=site.url("/moved"), allow_private=True))

        assert other.requests == []
    assert error.reason in {"invalid", "unreachable"}


@pytest.mark.parametrize(("status", "reason"), [(404, "not_found"), (403, "forbidden"), (500, "unreachable")])
def test_an_error_of_the_server_has_its_reason(cache: Path, site: WebSite, status: int, reason: str) -> None:
    site.page("/x/info/refs?service=git-upload-pack", status=status)

    assert refusal(connector("git", cache, url=site.url("/x"), allow_private=True)).reason == reason


def test_a_server_that_is_down_is_unreachable(cache: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]

    assert (
        refusal(connector("git", cache, url=f"http://127.0.0.1:{port}/x", allow_private=True)).reason == "unreachable"
    )


def test_a_server_that_does_not_respond_is_given_up(cache: Path, site: WebSite) -> None:
    is_over = Event()

    def dawdle(request: BaseHTTPRequestHandler) -> None:
        is_over.wait(30)

    site.responders["/x/info/refs?service=git-upload-pack"] = dawdle
    started = time.monotonic()

    error = refusal(connector("git", cache, SourceLimits(seconds=0.5), url=site.url("/x"), allow_private=True))
    is_over.set()

    assert error.reason == "unreachable"
    assert time.monotonic() - started < 5


def test_ssh_asks_no_questions_and_connects_to_the_address_that_was_checked(
    repository: Repository, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program in the place of ssh records its arguments and runs the command of git here."""
    recorded = tmp_path / "recorded"
    program(tmp_path / "bin" / "ssh", f'printf "%s\\n" "$@" > {recorded}\nfor last; do :; done\neval "$last"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    network = NetworkPolicy(look_up=lambda host: ["203.0.113.7"], is_allowed=lambda address: True, port=None)

    context = ConnectorContext(cache, network=network)
    result = run(open_connector("git", {"url": f"ssh://git@git.example:2222{repository.path}"}, context))

    assert result.items
    arguments = recorded.read_text().splitlines()
    assert {"BatchMode=yes", "StrictHostKeyChecking=yes", "HostName=203.0.113.7"} < set(arguments)
    assert "HostKeyAlias=[git.example]:2222" in arguments
    assert "git@git.example" in arguments


def test_a_repository_that_is_too_large_is_left(repository: Repository, cache: Path) -> None:
    repository.commit({"random.bin": os.urandom(300_000)})

    error = refusal(connector("git", cache, SourceLimits(total_bytes=100_000), url=str(repository.path)))

    assert error.reason == "too_large"


def test_too_many_files_are_an_error(repository: Repository, cache: Path) -> None:
    assert refusal(connector("git", cache, SourceLimits(items=1), url=str(repository.path))).reason == "too_many_items"


def test_an_item_of_another_version_is_not_found(repository: Repository, cache: Path) -> None:
    with connector("git", cache, url=str(repository.path)) as opened:
        for fingerprint in ("0" * 40, "HEAD:README.md", "--textconv"):
            with pytest.raises(SourceError) as error:
                opened.read(SourceItem("README.md", "README.md", fingerprint))
            assert error.value.reason == "not_found"
            list(opened.listing({}))


def test_only_the_transport_of_the_address_is_allowed(repository: Repository, cache: Path) -> None:
    run(connector("git", cache, url=str(repository.path)))
    (mirror,) = cache.iterdir()

    def look(transport: str) -> bytes:
        program = GitProgram(mirror, transport, {"remote.origin.url": str(repository.path)})
        return program.run(["ls-remote", "origin", "HEAD"], time.monotonic() + 10)

    assert look("file")
    with pytest.raises(GitFailed):
        look("https")


def test_no_process_is_left(repository: Repository, cache: Path) -> None:
    opened = connector("git", cache, url=str(repository.path))
    with opened:
        (item, *_) = (found for found in opened.listing({}) if isinstance(found, SourceItem))
        opened.read(item)
        process = opened._objects._process  # type: ignore[attr-defined]
        assert process.poll() is None
    assert process.poll() is not None
