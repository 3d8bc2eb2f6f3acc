"""An OpenAI-compatible embedding endpoint that responds at once, so that the server is measured and no model.

The vector of a text is the mean of random vectors of its words: texts that share words are near.
"""

from __future__ import annotations

import asyncio
import base64
import re
import sys
from functools import cache, lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt
import orjson

DIMENSIONS = 1_536
CACHED_TEXTS = 4_000
_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@cache
def vector_of_word(word: str) -> npt.NDArray[np.float32]:
    """Return the random vector of a word, equal in every run."""
    return np.random.default_rng(crc32(word.encode())).standard_normal(DIMENSIONS, dtype=np.float32)


@lru_cache(CACHED_TEXTS)
def encoded_vector(text: str) -> str:
    """Return the vector of a text as little-endian float32 in base64."""
    vectors = [vector_of_word(word) for word in _WORD.findall(text.lower())] or [vector_of_word("")]
    mean: npt.NDArray[np.float32] = np.mean(vectors, axis=0)
    return base64.b64encode(mean.astype("<f4").tobytes()).decode()


class Connection(asyncio.Protocol):
    """A connection of a client that sends one request after another."""

    def __init__(self) -> None:
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol. Respond to every request that is complete."""
        self._received += data
        while (end := self._received.find(_HEAD_END)) >= 0:
            length = _LENGTH.search(self._received, 0, end)
            body_end = end + len(_HEAD_END) + (int(length[1]) if length else 0)
            if len(self._received) < body_end:
                return
            self._respond(self._received[end + len(_HEAD_END) : body_end])
            self._received = self._received[body_end:]

    def _respond(self, body: bytes) -> None:
        vectors = [encoded_vector(text) for text in orjson.loads(body)["input"]]
        items = [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]
        content = orjson.dumps({"data": items})
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        self._transport.write(head % len(content) + content)


async def serve(port: int) -> None:
    """Serve on a port of this machine until the process is stopped."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
    print("ready", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1])))
