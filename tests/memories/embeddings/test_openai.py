from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from pytest_django import Settings

from memories.embeddings import endpoint
from memories.embeddings.base import EmbedderConfig, Space
from memories.embeddings.endpoint import RetryPolicy
from memories.embeddings.interactive import interactive_embedding
from memories.embeddings.openai import MAX_REQUEST_BYTES, OpenAIEmbedder, embedder
from memories.errors import EmbeddingError
from tests.support.embeddings.embedders import matrices
from tests.support.embeddings.embedding_server import (
    DIMENSIONS,
    Answer,
    EmbeddingServer,
    Request,
    embeddings,
    good_answer,
    vector_of,
)

KEY = "the-key-of-the-owner"
TEXT = "a private text"
BRIEF = RetryPolicy(attempts=3, first_delay_seconds=0.01, connect_seconds=2, read_seconds=2, total_seconds=5)


def client(
    server: EmbeddingServer, *, model: str = "bge-m3", retry_policy: RetryPolicy = BRIEF, key: str = KEY
) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        endpoint=server.url, model=model, dimensions=DIMENSIONS, api_key=key, retry_policy=retry_policy
    )


def failure(remote: OpenAIEmbedder) -> EmbeddingError:
    """Return the error of embedding TEXT, and check that it contains neither the key nor the text."""
    with pytest.raises(EmbeddingError) as caught:
        remote.embed([TEXT])
    assert KEY not in str(caught.value)
    assert TEXT not in str(caught.value)
    return caught.value


def test_texts_become_unit_vectors_in_order(server: EmbeddingServer) -> None:
    found = matrices(client(server), ["one", "three"])

    expected = [np.array(vector_of(text)) for text in ("one", "three")]
    assert [matrix.shape for matrix in found] == [(1, DIMENSIONS)] * 2
    for matrix, vector in zip(found, expected, strict=True):
        assert matrix[0] == pytest.approx(vector / np.linalg.norm(vector), abs=1e-6)


def test_the_request_is_what_the_api_documents(server: EmbeddingServer) -> None:
    client(server).embed([TEXT])

    body: dict[str, object] = {"model": "bge-m3", "input": [TEXT], "encoding_format": "base64"}
    assert server.requests == [Request("/v1/embeddings", f"Bearer {KEY}", body)]


def test_vectors_in_base64_are_those_in_floats(server: EmbeddingServer) -> None:
    floats = matrices(client(server), ["one", "three"])
    server.behave = in_base64
    packed = matrices(client(server), ["one", "three"])
    assert [matrix.tolist() for matrix in packed] == [matrix.tolist() for matrix in floats]


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_base64_is_asked_for_floats_from_then_on(server: EmbeddingServer, status: int) -> None:
    server.behave = lambda request: Answer(status) if "encoding_format" in request.body else good_answer(request)
    remote = client(server)

    assert len(remote.embed(["one"])) == len(remote.embed(["two"])) == 1

    assert ["encoding_format" in request.body for request in server.requests] == [True, False, False]


def test_after_base64_was_accepted_a_refusal_is_about_the_text(server: EmbeddingServer) -> None:
    remote = client(server)
    remote.embed(["one"])
    server.behave = lambda request: Answer(400)

    failure(remote)

    assert ["encoding_format" in request.body for request in server.requests] == [True, True]


def in_base64(request: Request) -> Answer:
    vectors = [np.array(vector_of(text), dtype="<f4").tobytes() for text in request.inputs]
    items = [{"index": index, "embedding": b64encode(vector).decode()} for index, vector in enumerate(vectors)]
    return Answer(body=json.dumps({"data": items}).encode())


def test_the_index_decides_the_order_not_the_place(server: EmbeddingServer) -> None:
    server.behave = lambda request: embeddings([vector_of(text) for text in request.inputs], order=[2, 0, 1])

    found = matrices(client(server), ["a", "bb", "ccc"])

    thirds = [float(matrix[0][2] / matrix[0][0] * 3) for matrix in found]
    assert thirds == pytest.approx([1, 2, 3], abs=1e-5)


def test_without_a_key_no_authorization_is_sent(server: EmbeddingServer) -> None:
    client(server, key="").embed([TEXT])

    assert server.requests[0].authorization is None


def test_only_models_that_take_dimensions_are_sent_them(server: EmbeddingServer) -> None:
    for model in ("text-embedding-3-small", "text-embedding-ada-002"):
        client(server, model=model).embed([TEXT])

    assert [request.body.get("dimensions") for request in server.requests] == [DIMENSIONS, None]


def test_requests_hold_at_most_128_texts(server: EmbeddingServer) -> None:
    found = matrices(client(server), ["x" * (1 + number % 50) for number in range(300)])

    assert [len(request.inputs) for request in server.requests] == [128, 128, 44]
    assert len(found) == 300


def test_requests_hold_a_bounded_number_of_bytes(server: EmbeddingServer) -> None:
    client(server, model="text-embedding-3-small").embed(["é" * 2_900] * 40)

    sizes = [sum(len(text.encode()) for text in request.inputs) for request in server.requests]
    assert len(sizes) == 3
    assert max(sizes) <= MAX_REQUEST_BYTES


def test_a_long_text_gets_windows_that_lose_none_of_it(server: EmbeddingServer) -> None:
    words = [f"word{number}" for number in range(2_000)]

    [matrix] = matrices(client(server), [" ".join(words)])

    sent = [text for request in server.requests for text in request.inputs]
    assert len(matrix) == len(sent) > 10
    assert all(any(word in text for text in sent) for word in words)
    assert all(len(text.encode()) <= 1_000 for text in sent)


def test_a_long_question_has_one_vector(server: EmbeddingServer) -> None:
    vector = client(server).embed_query("why? " * 1_000)

    assert vector.shape == (DIMENSIONS,)
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-6)


def test_no_texts_need_no_request(server: EmbeddingServer) -> None:
    assert client(server).embed([]) == []
    assert server.requests == []


def test_a_lone_surrogate_does_not_break_the_request(server: EmbeddingServer) -> None:
    client(server).embed(["odd \ud83d text"])

    assert server.requests[0].inputs == ["odd ? text"]


def test_connections_are_kept(server: EmbeddingServer) -> None:
    remote = client(server)
    for _ in range(5):
        remote.embed([TEXT])

    assert len(server.requests) == 5
    assert server.connections == 1


def test_a_proxy_that_cannot_be_used_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy:70")

    with pytest.raises(EmbeddingError, match="proxy or certificate settings"):
        embedder(EmbedderConfig(model="m", dimensions=4))


def test_requests_go_through_the_proxy_of_the_environment(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    OpenAIEmbedder(endpoint="http://embeddings.example/v1", model="m", dimensions=4).embed([TEXT])

    assert [request.path for request in server.requests] == ["http://embeddings.example/v1/embeddings"]


def test_no_proxy_excludes_a_host(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    client(server).embed([TEXT])

    assert [request.path for request in server.requests] == ["/v1/embeddings"]


def test_a_user_name_in_the_address_is_sent_as_basic_credentials(server: EmbeddingServer) -> None:
    address = server.url.replace("http://", "http://robin:p%40ss@")

    OpenAIEmbedder(endpoint=address, model="m", dimensions=4).embed([TEXT])

    assert server.requests[0].authorization == f"Basic {b64encode(b'robin:p@ss').decode()}"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504])
def test_a_status_that_may_pass_is_tried_again(server: EmbeddingServer, status: int) -> None:
    server.first = [Answer(status), Answer(status)]

    [matrix] = matrices(client(server), [TEXT])

    assert matrix.shape == (1, DIMENSIONS)
    assert len(server.requests) == 3


def test_retries_end_and_the_error_has_the_status(server: EmbeddingServer) -> None:
    server.behave = lambda request: Answer(503)

    error = failure(client(server))

    assert (error.status, len(server.requests)) == (503, 3)
    assert "The embedding endpoint 127.0.0.1 responded with HTTP status 503" in str(error)


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (400, "EMBEDDING_MODEL and EMBEDDING_DIMENSIONS"),
        (401, "EMBEDDING_API_KEY"),
        (403, "EMBEDDING_API_KEY"),
        (404, "EMBEDDING_ENDPOINT and EMBEDDING_MODEL"),
        (413, "status 413"),
    ],
)
def test_a_refusal_is_final_and_says_what_to_check(server: EmbeddingServer, status: int, advice: str) -> None:
    server.behave = lambda request: Answer(status, f'{{"error": "{KEY} {TEXT}"}}'.encode())

    error = failure(client(server))

    # A server that does not know base64 refuses the first request in the same way.
    assert (error.status, len(server.requests)) == (status, 2 if status == 400 else 1)
    assert advice in str(error)


def test_retry_after_is_honoured(server: EmbeddingServer) -> None:
    server.first = [Answer(429, headers={"Retry-After": "1"})]
    started = time.monotonic()

    client(server).embed([TEXT])

    assert time.monotonic() - started >= 1.0
    assert len(server.requests) == 2


def test_a_retry_after_beyond_the_total_time_ends_the_call_at_once(server: EmbeddingServer) -> None:
    server.behave = lambda request: Answer(429, headers={"Retry-After": "3600"})
    started = time.monotonic()

    error = failure(client(server))

    assert time.monotonic() - started < 2
    assert (error.status, len(server.requests)) == (429, 1)


def test_a_redirect_is_not_followed(server: EmbeddingServer) -> None:
    with EmbeddingServer() as elsewhere:
        server.behave = lambda request: Answer(307, headers={"Location": f"{elsewhere.url}/embeddings"})

        error = failure(client(server))

        assert (error.status, elsewhere.requests) == (307, [])
    assert "set EMBEDDING_ENDPOINT" in str(error)


def test_where_somebody_waits_an_endpoint_gets_less_time_and_fewer_attempts(server: EmbeddingServer) -> None:
    retry_policy = RetryPolicy(
        attempts=4, first_delay_seconds=0.01, interactive_attempts=2, interactive_seconds=0.3, cooldown_seconds=0
    )
    server.behave = lambda request: Answer(503)
    with interactive_embedding():
        failure(client(server, retry_policy=retry_policy))
    assert len(server.requests) == 2

    failure(client(server, retry_policy=retry_policy))
    assert len(server.requests) == 2 + 4

    silence = threading.Event()
    server.behave = lambda request: Answer(200 if silence.wait(5) else 500)
    started = time.monotonic()
    with interactive_embedding():
        assert "did not respond in time" in str(failure(client(server, retry_policy=retry_policy)))
    silence.set()
    assert time.monotonic() - started < 4


def test_the_settings_say_how_long_somebody_waits(server: EmbeddingServer, settings: Settings) -> None:
    settings.EMBEDDING_WAIT_SECONDS = 1
    silence = threading.Event()
    server.behave = lambda request: Answer(200 if silence.wait(20) else 500)
    made = embedder(EmbedderConfig(endpoint=server.url, model="bge-m3", dimensions=DIMENSIONS))
    started = time.monotonic()
    with interactive_embedding(), pytest.raises(EmbeddingError, match="did not respond in time"):
        made.embed_query(TEXT)
    silence.set()
    assert time.monotonic() - started < 9


@pytest.mark.parametrize(
    ("retry_policy", "attempts"),
    [
        (RetryPolicy(attempts=2, first_delay_seconds=0.01, read_seconds=0.2), 2),
        (RetryPolicy(attempts=2, first_delay_seconds=0.01, total_seconds=0.2), 1),
    ],
)
def test_a_silent_endpoint_is_given_up(server: EmbeddingServer, retry_policy: RetryPolicy, attempts: int) -> None:
    asleep = threading.Event()

    def never(request: Request) -> Answer:
        asleep.wait(10)
        return Answer()

    server.behave = never
    error = failure(client(server, retry_policy=retry_policy))
    asleep.set()

    assert (str(error), error.status) == ("The embedding endpoint 127.0.0.1 did not respond in time.", None)
    assert len(server.requests) == attempts


def test_after_a_failure_nobody_waits_for_the_endpoint_until_it_has_rested(server: EmbeddingServer) -> None:
    server.behave = lambda request: Answer(503)
    remote = client(server, retry_policy=replace(BRIEF, cooldown_seconds=60))
    first = failure(remote)
    asked = len(server.requests)

    again = failure(remote)

    assert len(server.requests) == asked == BRIEF.attempts
    assert (str(again), again.status) == (f"{first} OwnSona retries in a moment.", 503)


def test_an_endpoint_that_has_rested_is_asked_again(server: EmbeddingServer) -> None:
    remote = client(server, retry_policy=replace(BRIEF, cooldown_seconds=0.05))
    server.behave = lambda request: Answer(503)
    failure(remote)
    server.behave = good_answer
    time.sleep(0.06)

    assert len(remote.embed([TEXT])) == 1


def test_a_refused_text_is_no_reason_to_leave_the_endpoint_alone(server: EmbeddingServer) -> None:
    server.first = [Answer(400), Answer(400)]
    remote = client(server, retry_policy=replace(BRIEF, cooldown_seconds=60))
    failure(remote)

    assert len(remote.embed([TEXT])) == 1


def test_an_answer_that_trickles_is_cut_off_at_the_total_time() -> None:
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def trickle() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
                while not stop.wait(0.05):
                    connection.sendall(b" ")

        thread = threading.Thread(target=trickle)
        thread.start()
        remote = OpenAIEmbedder(
            endpoint=f"http://127.0.0.1:{listener.getsockname()[1]}/v1",
            model="m",
            dimensions=4,
            retry_policy=RetryPolicy(total_seconds=0.5),
        )
        started = time.monotonic()
        error = failure(remote)
        elapsed = time.monotonic() - started
        stop.set()
        thread.join(10)

    assert "did not respond in time" in str(error)
    assert elapsed < 5


def test_an_endpoint_that_is_down_is_tried_again_and_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    remote = OpenAIEmbedder(endpoint=f"http://127.0.0.1:{port}", model="m", dimensions=4, retry_policy=BRIEF)

    error = failure(remote)

    assert (str(error), error.status) == ("The embedding endpoint 127.0.0.1 is not reachable.", None)


SHAPE = "did not respond in the format"


def short_of_one(request: Request) -> Answer:
    return embeddings([vector_of(text) for text in request.inputs[1:]])


def one_too_many(request: Request) -> Answer:
    return embeddings([vector_of(text) for text in (*request.inputs, "more")])


def twice_the_same_index(request: Request) -> Answer:
    return Answer(body=b'{"data": [{"index": 0, "embedding": [1, 0, 0, 0]}, {"index": 0, "embedding": [1, 0, 0, 0]}]}')


@pytest.mark.parametrize(
    ("behave", "complaint"),
    [
        (lambda request: Answer(body=b"<html>"), SHAPE),
        (lambda request: Answer(body=b""), SHAPE),
        (lambda request: Answer(body=b"[]"), SHAPE),
        (lambda request: Answer(body=b'{"data": [{"index": 0, "embedding": "AAAA"}]}'), SHAPE),
        (lambda request: Answer(body=b"junk", headers={"Content-Encoding": "gzip"}), "cannot be decoded"),
        (lambda request: Answer(body=b'{"data": [{"index": 0, "embedding": [true, false, false, true]}]}'), SHAPE),
        (lambda request: Answer(body=b'{"data": [{"index": 0, "embedding": ["1", "0", "0", "0"]}]}'), SHAPE),
        (short_of_one, "one vector for each of 1 texts"),
        (one_too_many, "one vector for each of 1 texts"),
        (twice_the_same_index, "one vector for each of 1 texts"),
        (lambda request: embeddings([[1.0, 2.0]]), "vectors of 2 dimensions, but EMBEDDING_DIMENSIONS is 4"),
        (lambda request: embeddings([[0.0] * 4]), "zero or not finite"),
        (lambda request: embeddings([[float("nan")] * 4]), "zero or not finite"),
        (lambda request: embeddings([[float("inf")] * 4]), "zero or not finite"),
    ],
)
def test_a_wrong_answer_is_refused_at_once(
    server: EmbeddingServer, behave: Callable[[Request], Answer], complaint: str
) -> None:
    server.behave = behave

    error = failure(client(server))

    with pytest.raises(EmbeddingError, match=complaint):
        raise error
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "answer",
    [Answer(body=b" " * 5_000), Answer(body=gzip.compress(b" " * 1_000_000), headers={"Content-Encoding": "gzip"})],
    ids=["long", "packed"],
)
def test_an_answer_without_end_is_not_read_to_its_end(
    server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setattr(endpoint, "MAX_ANSWER_BYTES", 4_000)
    server.behave = lambda request: answer

    error = failure(client(server))

    assert str(error) == "The embedding endpoint 127.0.0.1 sent more than 4000 bytes."
    assert len(server.requests) == 1


def test_threads_share_the_embedder(server: EmbeddingServer) -> None:
    remote = client(server)
    lengths: list[float] = []

    def work(number: int) -> None:
        vector = remote.embed_query("x" * number)
        lengths.append(round(float(vector[2] / vector[0] * 3)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(lengths) == list(range(1, 9))


def test_the_settings_make_the_embedder(server: EmbeddingServer) -> None:
    server.behave = good_answer
    made = embedder(EmbedderConfig(endpoint=f"{server.url}/", model="bge-m3", dimensions=DIMENSIONS))

    made.embed([TEXT])

    assert made.space == Space("openai", "bge-m3", DIMENSIONS)
    assert server.requests[0].path == "/v1/embeddings"


@pytest.mark.parametrize(
    ("configuration", "complaint"),
    [
        (EmbedderConfig(dimensions=4), "needs EMBEDDING_MODEL"),
        (EmbedderConfig(model="m"), "EMBEDDING_DIMENSIONS"),
        (EmbedderConfig(model="m", dimensions=4, endpoint="localhost:11434"), "must look like https://host/v1"),
        (EmbedderConfig(model="m", dimensions=4, endpoint="ftp://host"), "must look like https://host/v1"),
        (EmbedderConfig(model="m", dimensions=4, endpoint="http://["), "not a valid address"),
        (EmbedderConfig(model="m", dimensions=4, api_key="kéy"), "EMBEDDING_API_KEY contains a character"),
        (EmbedderConfig(model="m", dimensions=4, api_key="two\nlines"), "EMBEDDING_API_KEY contains a character"),
    ],
)
def test_settings_that_cannot_work_are_named(configuration: EmbedderConfig, complaint: str) -> None:
    with pytest.raises(EmbeddingError, match=complaint):
        embedder(configuration)


def test_a_configuration_never_shows_its_key() -> None:
    assert KEY not in repr(EmbedderConfig(api_key=KEY, model="m"))
