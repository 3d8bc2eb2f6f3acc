"""Tests of the embedded PostgreSQL: starting it, stopping it, and recovering from crashes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from ownsona_site.embedded_postgres import binaries, cluster, processes, socket_folder
from ownsona_site.embedded_postgres.account import Account, server_account
from ownsona_site.embedded_postgres.errors import EmbeddedServerError
from ownsona_site.embedded_postgres.server import Server
from tests.support.processes import LIMIT_SECONDS, child, command_of, eventually, temporary_data_directory

USE = """
import sys
from pathlib import Path
from ownsona_site.embedded_postgres.server import get_server
server = get_server(Path(sys.argv[1]))
server.use()
print("using")
sys.stdin.read()
"""

STOP_AFTER_LAUNCH = """
import sys
from pathlib import Path
from ownsona_site.embedded_postgres.account import Account
from ownsona_site.embedded_postgres.server import get_server
start = Account.start
def start_and_exit(*arguments):
    start(*arguments)
    sys.exit()
Account.start = start_and_exit
get_server(Path(sys.argv[1])).use()
"""

FORK = """
import os, sys
from pathlib import Path
from ownsona_site.embedded_postgres.processes import postmaster
from ownsona_site.embedded_postgres.server import get_server
server = get_server(Path(sys.argv[1]))
server.use()
child_uses, parent_released = os.pipe(), os.pipe()
if os.fork() == 0:
    server.use()
    os.write(child_uses[1], b"x")
    os.read(parent_released[0], 1)
    server.release()
    os._exit(0)
os.read(child_uses[0], 1)
server.release()
print("after the parent:", postmaster(server.cluster) is not None)
os.write(parent_released[1], b"x")
os.wait()
print("after the child:", postmaster(server.cluster) is not None)
"""

WRITE = """
import sys
from pathlib import Path
import psycopg
from ownsona_site.embedded_postgres.server import get_server
server = get_server(Path(sys.argv[1]))
server.use()
with psycopg.connect(host=str(server.socket), user="ownsona", dbname="ownsona", autocommit=True) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS written (number integer PRIMARY KEY)")
    number = connection.execute("SELECT coalesce(max(number), 0) FROM written").fetchone()[0]
    while True:
        number += 1
        connection.execute("INSERT INTO written VALUES (%s)", [number])
        print("acknowledged", number)
"""


BECOME_ANOTHER_PROGRAM = """
import os, sys
from pathlib import Path
from ownsona_site.embedded_postgres.server import get_server
get_server(Path(sys.argv[1])).use()
os.execv(sys.executable, [sys.executable, "-c", "import sys; print('another program'); sys.stdin.read()"])
"""


@pytest.fixture
def data_directory() -> Iterator[Path]:
    with temporary_data_directory() as path:
        yield path


@pytest.fixture(scope="session")
def made_once() -> Iterator[Path]:
    """The files of a new database. Copying them is faster than creating them for every test."""
    with temporary_data_directory() as path:
        server = Server(path)
        server.use()
        server.release()
        yield server.cluster


@pytest.fixture
def new_server(data_directory: Path) -> Iterator[Server]:
    server = Server(data_directory)
    yield server
    server.release()


@pytest.fixture
def server(new_server: Server, made_once: Path) -> Server:
    subprocess.run(["cp", "-a", made_once, new_server.cluster], check=True)
    return new_server


def ask(server: Server, query: str) -> tuple[object, ...]:
    with psycopg.connect(host=str(server.socket), user="ownsona", dbname="ownsona") as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row


def postmaster_pid(server: Server) -> int:
    process = processes.postmaster(server.cluster)
    assert process is not None
    return process.pid


def kill_everything(server: Server) -> None:
    for process in processes.server_processes(server.cluster):
        # A child may exit by itself when its postmaster is killed.
        with suppress(psutil.NoSuchProcess):
            process.kill()
    assert processes.wait_until_gone(server.cluster, LIMIT_SECONDS)


def test_a_server_has_ended_even_if_the_program_that_started_it_has_not_noticed(
    server: Server, data_directory: Path
) -> None:
    with child("-c", BECOME_ANOTHER_PROGRAM, str(data_directory)) as starter:
        starter.wait_for("another program")
        postmaster = processes.postmaster(server.cluster)
        assert postmaster is not None
        assert not processes.wait_until_ended(postmaster, 0)
        server.use()
        server.release()
        assert postmaster.status() == psutil.STATUS_ZOMBIE
        assert processes.wait_until_ended(postmaster, 0)


def test_the_first_use_makes_a_durable_database_that_only_its_socket_reaches(new_server: Server) -> None:
    server = new_server
    server.use()
    durability = "current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')"
    assert ask(server, f"SELECT {durability}, current_setting('data_checksums')") == ("on", "on", "on", "on")
    assert ask(server, "SELECT current_setting('listen_addresses'), current_setting('server_encoding')") == ("", "UTF8")
    assert server.socket.stat().st_mode & 0o077 == 0
    assert server.cluster.stat().st_mode & 0o077 == 0


def test_the_extensions_that_memories_need_are_there(server: Server) -> None:
    server.use()
    names = "'vector', 'pg_trgm', 'unaccent'"
    assert ask(server, f"SELECT count(*) FROM pg_available_extensions WHERE name IN ({names})") == (3,)


def test_processes_share_one_server_and_the_last_one_stops_it(server: Server) -> None:
    with child("-c", USE, str(server.data_directory)) as other:
        other.wait_for("using")
        started_by_the_other = postmaster_pid(server)
        server.use()
        assert postmaster_pid(server) == started_by_the_other
        other.close_stdin()
        assert other.end() == 0
        assert ask(server, "SELECT 1") == (1,)
    server.release()
    assert processes.server_processes(server.cluster) == []


def test_processes_that_start_at_once_make_and_start_one_server(new_server: Server) -> None:
    server = new_server
    with child("-c", USE, str(server.data_directory)) as one, child("-c", USE, str(server.data_directory)) as two:
        one.wait_for("using")
        two.wait_for("using")
        assert len([each for each in processes.server_processes(server.cluster) if "-D" in command_of(each)]) == 1


def test_a_killed_user_does_not_keep_the_server_alive(server: Server) -> None:
    with child("-c", USE, str(server.data_directory)) as other:
        other.wait_for("using")
        server.use()
        other.process.kill()
        other.process.wait(LIMIT_SECONDS)
        server.release()
        assert processes.server_processes(server.cluster) == []


def test_a_terminated_user_stops_the_server_it_used_last(server: Server) -> None:
    with child("-c", USE, str(server.data_directory)) as user:
        user.wait_for("using")
        user.process.terminate()
        user.end()
    assert processes.server_processes(server.cluster) == []


def test_a_user_that_ends_while_the_server_starts_stops_it(server: Server) -> None:
    with child("-c", STOP_AFTER_LAUNCH, str(server.data_directory)) as user:
        assert user.end() == 0
    assert not eventually(lambda: processes.server_processes(server.cluster) != [], limit_seconds=3.0)


def test_a_forked_child_has_a_share_of_its_own(server: Server) -> None:
    with child("-c", FORK, str(server.data_directory)) as forking:
        assert forking.end() == 0
    assert "after the parent: True" in forking.output
    assert "after the child: False" in forking.output


def test_no_acknowledged_write_is_lost_when_everything_is_killed(server: Server) -> None:
    acknowledged = 0
    for _ in range(4):
        with child("-c", WRITE, str(server.data_directory)) as writer:
            writer.wait_for(f"acknowledged {acknowledged + 100}\n")
            writer.process.kill()
            kill_everything(server)
            writer.end()
        acknowledged = int(writer.output.rpartition("\n")[0].rpartition(" ")[2])
        server.use()
        # The last write may be committed although its acknowledgement was not sent.
        (highest, count) = ask(server, "SELECT max(number), count(*) FROM written")
        assert highest in {acknowledged, acknowledged + 1}
        assert count == highest
        acknowledged = int(str(highest))


def test_the_next_use_heals_a_server_whose_postmaster_was_killed(server: Server) -> None:
    server.use()
    killed = postmaster_pid(server)
    # A busy process does not notice by itself that its postmaster is gone.
    with psycopg.connect(host=str(server.socket), user="ownsona", dbname="ownsona") as connection:
        connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000000)")
        os.kill(killed, signal.SIGKILL)
        assert eventually(lambda: processes.postmaster(server.cluster) is None)
        server.use()
        assert ask(server, "SELECT 1") == (1,)
        assert postmaster_pid(server) != killed
        connection.close()


@pytest.mark.parametrize("content", ["", "12"], ids=["empty", "another process"])
def test_a_stale_lock_file_does_not_stop_the_start(server: Server, content: str, tmp_path: Path) -> None:
    server.use()
    lock_file = server.cluster / "postmaster.pid"
    original = lock_file.read_text(encoding="ascii")
    kill_everything(server)
    with open(tmp_path / "output", "wb") as output:
        bystander = server_account().start(["/bin/sleep", str(LIMIT_SECONDS)], output)
    try:
        # As after a reboot, when another process of the same user has got the process id.
        stale = original.replace(original.partition("\n")[0], str(bystander.pid), 1) if content else ""
        lock_file.write_text(stale, encoding="ascii")
        server.use()
        assert ask(server, "SELECT 1") == (1,)
        server.release()
        assert bystander.poll() is None, "the bystander was taken for the server"
    finally:
        bystander.kill()
        bystander.wait()


def test_what_a_start_left_half_made_is_made_anew(new_server: Server) -> None:
    server = new_server
    half_made = server.cluster.with_name("postgres.being-made")
    half_made.mkdir()
    (half_made / "PG_VERSION").write_text("18\n", encoding="ascii")
    server.use()
    assert ask(server, "SELECT 1") == (1,)
    assert not half_made.exists()


def test_files_without_the_database_are_not_kept(new_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # A database of this name exists, so creating it fails.
    monkeypatch.setattr(cluster, "DATABASE_NAME", "template1")
    with pytest.raises(EmbeddedServerError, match=r"postgres failed: .*already exists"):
        new_server.use()
    assert not new_server.cluster.exists()


def test_a_data_folder_too_deep_for_a_socket_works(data_directory: Path) -> None:
    deep = data_directory / ("deep-" * 20) / "folder, with a comma"
    deep.mkdir(parents=True)
    server = Server(deep)
    try:
        server.use()
        assert ask(server, "SELECT 1") == (1,)
        assert server.socket.stat().st_mode & 0o077 == 0
    finally:
        server.release()
    assert not server.socket.exists()


def test_a_moved_data_folder_works(data_directory: Path, made_once: Path) -> None:
    before, after = data_directory / "before", data_directory / "after"
    before.mkdir(mode=0o711)
    subprocess.run(["cp", "-a", made_once, before / "postgres"], check=True)
    first = Server(before)
    first.use()
    ask(first, "SELECT 1")
    first.release()
    before.rename(after)
    second = Server(after)
    second.use()
    try:
        assert ask(second, "SELECT 1") == (1,)
    finally:
        second.release()


def test_a_socket_folder_that_others_can_open_is_refused(tmp_path: Path) -> None:
    open_to_all = tmp_path / "socket"
    open_to_all.mkdir()
    server_account().take_ownership(open_to_all)
    open_to_all.chmod(0o777)
    with pytest.raises(EmbeddedServerError, match="not a private folder"):
        socket_folder.make_socket_folder(open_to_all, server_account(), is_ours=False)


def test_the_socket_folder_of_a_copied_data_folder_is_replaced(tmp_path: Path) -> None:
    copied = tmp_path / "socket"
    copied.mkdir()
    copied.chmod(0o755)
    for name in (socket_folder.SOCKET_NAME, f"{socket_folder.SOCKET_NAME}.lock"):
        (copied / name).touch()
    account = server_account()

    socket_folder.make_socket_folder(copied, account, is_ours=True)

    assert list(copied.iterdir()) == []
    assert (copied.stat().st_uid, copied.stat().st_mode & 0o077) == (account.uid, 0)


@pytest.mark.parametrize("is_link", [False, True])
def test_a_socket_folder_that_holds_something_else_is_left_alone(tmp_path: Path, is_link: bool) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real").chmod(0o755)
    (tmp_path / "real" / "letters").touch()
    folder = tmp_path / "socket"
    if is_link:
        folder.symlink_to(tmp_path / "real")
    else:
        (tmp_path / "real").rename(folder)

    with pytest.raises(EmbeddedServerError, match=f"{folder} is not a private folder"):
        socket_folder.make_socket_folder(folder, server_account(), is_ours=True)

    assert (folder / "letters").exists()


@pytest.fixture
def copied_server(server: Server) -> Server:
    """A server whose stopped data folder was copied without owners and modes."""
    server.use()
    server.release()
    for path in (server.socket, server.logs, *server.logs.iterdir(), server.cluster):
        if server_account().is_other:
            os.chown(path, 0, 0)
        path.chmod(0o755 if path.is_dir() else 0o600)
    return server


def own_again(server: Server) -> None:
    for path in (server.cluster, *server.cluster.rglob("*")):
        server_account().take_ownership(path)


def test_in_a_copied_data_folder_all_but_the_database_is_put_right(copied_server: Server) -> None:
    own_again(copied_server)
    copied_server.cluster.chmod(0o700)

    copied_server.use()

    assert ask(copied_server, "SELECT 1") == (1,)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to another user")
def test_files_of_another_user_are_refused_with_the_command_that_helps(copied_server: Server) -> None:
    with pytest.raises(EmbeddedServerError) as raised:
        copied_server.use()

    cluster = copied_server.cluster
    assert str(raised.value) == (
        f"The database in {cluster} belongs to the user root, and PostgreSQL runs as ownsona: "
        f"run `chown -R ownsona: {cluster}` and start again."
    )


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_files_that_are_open_to_others_are_refused_with_the_command_that_helps(
    copied_server: Server, mode: int
) -> None:
    own_again(copied_server)
    copied_server.cluster.chmod(mode)

    with pytest.raises(EmbeddedServerError) as raised:
        copied_server.use()

    cluster = copied_server.cluster
    assert str(raised.value) == (
        f"The database in {cluster} is open to other users of this machine (mode {mode:o}): "
        f"run `chmod -R go= {cluster}` and start again."
    )


def test_files_that_a_group_can_read_are_accepted(server: Server) -> None:
    server.cluster.chmod(0o750)
    server.use()
    assert ask(server, "SELECT 1") == (1,)


@pytest.mark.parametrize("content", [None, b"", b"\xff\xff", b"\0\0\0"])
def test_a_folder_that_holds_no_whole_database_is_refused(server: Server, content: bytes | None) -> None:
    if content is None:
        (server.cluster / "PG_VERSION").unlink()
    else:
        (server.cluster / "PG_VERSION").write_bytes(content)
    with pytest.raises(EmbeddedServerError, match=f"{server.cluster} does not contain a complete database: .*backup"):
        server.use()


def test_what_a_server_says_before_it_has_a_log_is_the_reason(server: Server) -> None:
    server.use()
    # An earlier error, which is not the reason for the failed start below.
    with pytest.raises(psycopg.OperationalError, match="nowhere"):
        psycopg.connect(host=str(server.socket), user="ownsona", dbname="nowhere")
    server.release()
    (server.cluster / "postgresql.conf").unlink()
    with pytest.raises(EmbeddedServerError, match=r"did not start: .*postgresql\.conf.*No such file"):
        server.use()


def test_files_of_another_version_are_refused_with_what_to_do(server: Server) -> None:
    (server.cluster / "PG_VERSION").write_text("17\n", encoding="ascii")
    with pytest.raises(EmbeddedServerError, match=r"created by PostgreSQL 17, but this is PostgreSQL 18: .*export"):
        server.use()


def test_a_data_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="ascii")
    with pytest.raises(EmbeddedServerError) as raised:
        Server(tmp_path / "file" / "data").use()
    assert str(tmp_path / "file") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_server_that_cannot_start_says_why_and_where_its_log_is(server: Server) -> None:
    server.use()
    server.release()
    with open(server.cluster / "postgresql.conf", "a", encoding="ascii") as configuration:
        configuration.write("max_connections = 'many'\n")
    with pytest.raises(EmbeddedServerError, match=f"did not start: .*{server.logs}"):
        server.use()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")
def test_under_root_a_closed_folder_above_the_data_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(EmbeddedServerError, match="has no access to"):
        Server(closed / "data").use()
    assert closed.stat().st_mode & 0o777 == 0o700


def test_programs_out_of_reach_are_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    programs = home / "embedded_postgres" / "pginstall" / "bin"
    programs.mkdir(parents=True)
    (programs / "postgres").write_text("a program", encoding="ascii")
    (programs / "postgres").chmod(0o700)
    home.chmod(0o700)
    monkeypatch.setattr(binaries, "packaged_programs", lambda: programs)
    stranger = Account(uid=65_534, gid=65_534, name="nobody", is_other=True)
    outdated = tmp_path / "postgresql-17.0"
    outdated.mkdir()

    copied = binaries.program_folder(tmp_path, stranger)
    assert copied.is_relative_to(tmp_path / f"postgresql-{binaries.PACKAGE_VERSION}")
    assert (copied / "postgres").stat().st_mode & 0o005 == 0o005
    assert not outdated.exists()

    (programs / "postgres").write_text("changed", encoding="ascii")
    assert binaries.program_folder(tmp_path, stranger) == copied
    assert (copied / "postgres").read_text(encoding="ascii") == "a program"


def test_copied_programs_work(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Account, "can_reach", lambda _account, _path: False)
    server.use()
    assert ask(server, "SELECT 1") == (1,)
    process = processes.postmaster(server.cluster)
    assert process is not None
    assert Path(process.exe()).is_relative_to(server.data_directory)


def test_the_postmaster_is_found_by_its_folder_and_not_by_a_number(server: Server) -> None:
    (server.cluster / "postmaster.pid").write_text(f"{os.getpid()}\n", encoding="ascii")
    assert psutil.pid_exists(os.getpid())
    assert processes.postmaster(server.cluster) is None
