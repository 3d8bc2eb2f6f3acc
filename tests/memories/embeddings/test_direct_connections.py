from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from urllib3 import Timeout
from urllib3.util import parse_url

from memories.embeddings.direct_connections import DirectConnections, ExchangeFailed

BODY = b'{"data": []}'
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n" + BODY
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n"
    + BODY[:5]
    + b"\r\n7\r\n"
    + BODY[5:]
    + b"\r\n0\r\n\r\n"
)
PACKED_BODY = gzip.compress(BODY)
PACKED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(PACKED_BODY), PACKED_BODY)


@contextmanager
def serving(*connections: Sequence[Sequence[bytes]]) -> Iterator[tuple[DirectConnections, list[bytes]]]:
    """Yield connections to a server, and the requests that it received.

    Each of its `connections` answers one request after the other with the pieces of a response, and is then closed.
    """
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for responses in connections:
                connection, _ = listener.accept()
                with connection:
                    for pieces in responses:
                        received.append(connection.recv(65_536))
                        for piece in pieces:
                            connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        url = parse_url(f"http://127.0.0.1:{listener.getsockname()[1]}/v1/embeddings")
        yield DirectConnections(url, {"X-Key": "k"}, ssl.create_default_context(), most_kept=2), received
        thread.join(10)


def exchange(connections: DirectConnections, seconds: float = 5.0) -> bytes:
    response = connections.post(b"{}", Timeout(connect=5, read=seconds))
    try:
        body = b""
        while piece := response.read():
            body += piece
    except BaseException:
        response.close()
        raise
    response.release()
    return body


@pytest.mark.parametrize(
    "pieces",
    [
        [WHOLE],
        [WHOLE.replace(b"Content-Length: ", b"Connection: keep-alive\r\ncontent-length:")],
        [WHOLE[:20], WHOLE[20:45], WHOLE[45:]],
        [CHUNKED],
        [CHUNKED[:60], CHUNKED[60:]],
        [PACKED],
        [b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE],
        [WHOLE.replace(b"200 OK", b"201 Created")],
        [WHOLE.replace(b"Content-Length: 12", b"X-Folded: a\r\n b\r\nContent-Length: 12")],
    ],
    ids=[
        "whole",
        "named keep-alive",
        "in pieces",
        "chunked",
        "chunks in pieces",
        "packed",
        "continue",
        "201",
        "folded",
    ],
)
def test_a_response_is_read_and_its_connection_used_again(pieces: list[bytes]) -> None:
    with serving([pieces, pieces]) as (connections, received):
        bodies = [exchange(connections), exchange(connections)]

    assert bodies == [BODY, BODY]
    assert all(
        request.endswith(b"X-Key: k\r\nAccept-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}")
        for request in received
    )


@pytest.mark.parametrize(
    "response",
    [
        WHOLE.replace(b"Content-Length", b"Connection: close\r\nContent-Length"),
        b"HTTP/1.1 200 OK\r\n\r\n" + BODY,
        WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
    ids=["close", "no length", "1.0"],
)
def test_a_connection_that_the_server_closes_is_not_used_again(response: bytes) -> None:
    with serving([[response]], [[response]]) as (connections, _):
        assert [exchange(connections), exchange(connections)] == [BODY, BODY]


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced() -> None:
    with serving([[WHOLE]], [[WHOLE]]) as (connections, _):
        assert exchange(connections) == BODY
        kept = connections._kept[0]
        kept.recv(1)
        assert exchange(connections) == BODY


@pytest.mark.parametrize(
    "response",
    [b"", b"SSH-2.0-OpenSSH\r\n\r\n", WHOLE[:-3], CHUNKED[:-12], WHOLE + b"surplus"],
    ids=["nothing", "not HTTP", "short", "short chunks", "long"],
)
def test_a_broken_response_is_a_failure_that_is_not_late(response: bytes) -> None:
    with serving([[response]]) as (connections, _), pytest.raises(ExchangeFailed) as caught:
        exchange(connections)

    assert not caught.value.is_late


@pytest.mark.parametrize("begun", [b"", WHOLE[:30], WHOLE[:-3], CHUNKED[:50]], ids=["head", "header", "body", "chunk"])
def test_a_silent_server_is_a_failure_that_is_late(begun: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = parse_url(f"http://127.0.0.1:{listener.getsockname()[1]}/v1/embeddings")
        connections = DirectConnections(url, {}, ssl.create_default_context(), most_kept=2)
        accepted: list[socket.socket] = []

        def begin() -> None:
            accepted.append(listener.accept()[0])
            accepted[0].sendall(begun)

        served = threading.Thread(target=begin)
        served.start()
        with pytest.raises(ExchangeFailed) as caught:
            exchange(connections, seconds=0.3)
        served.join(10)
        accepted[0].close()

    assert caught.value.is_late
