"""Servers that are busy, at a rate limit, away or broken: what is waited for, what is told, what ends in an error."""

import asyncio
import email.utils
import time

import pytest
from chat_server import ASK, KEY, MODEL, ask, chat_server

from cuda_l1 import faults, llm
from cuda_l1.errors import AwayError, ModelError
from cuda_l1.replies import Completion


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_L1_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("mode", ["429_twice", "429_resets", "loading_twice"])
def test_a_server_that_asks_to_wait_is_waited_for(mode: str) -> None:
    with chat_server(mode) as server:
        samples, _ = ask(server)
    assert [sample.text for sample in samples] == ["reply 3.0"]


def test_waiting_is_told_and_a_server_that_is_restarted_does_not_end_the_run() -> None:
    with chat_server() as server:
        client = llm.connect(MODEL, base_url=server.url)

    async def session() -> list[Completion]:
        calls = [asyncio.ensure_future(client.complete(ASK, 1)) for _ in range(3)]
        while not client.notes:
            await asyncio.sleep(0.01)
        with chat_server(port=server.server_port):
            done = await asyncio.gather(*calls)
            await client.aclose()
        return [sample for samples in done for sample in samples]

    assert {sample.text for sample in asyncio.run(session())} == {"reply 1.0", "reply 2.0", "reply 3.0"}
    waiting, back = client.notes
    assert waiting.startswith(f"waiting 1 s, up to 600 s in all: {server.url}/ cannot be reached")
    assert back == f"{server.url}/ answers again"


@pytest.mark.parametrize(
    ("mode", "model", "away"),
    [("no_list", "other", False), ("401", MODEL, False), ("spent", "other", False), ("429_for_long", "other", True),
     ("loading_twice", "other", True)],
)  # fmt: skip
def test_an_error_says_whether_waiting_may_help(mode: str, model: str, away: bool) -> None:
    with chat_server(mode) as server, pytest.raises(ModelError) as caught:
        llm.connect(model, base_url=server.url)
    assert isinstance(caught.value, AwayError) is away


def test_a_server_that_is_not_there_is_away() -> None:
    with pytest.raises(AwayError, match="cannot be reached"):
        llm.connect(MODEL, base_url="http://127.0.0.1:9/v1")


def test_a_wait_beyond_patience_is_refused_with_its_length() -> None:
    with chat_server("429_for_long") as server, pytest.raises(ModelError, match="and asks to wait 7200 s"):
        ask(server)
    assert len(server.requests) == 1


def test_a_spent_account_is_not_waited_for() -> None:
    with chat_server("spent") as server, pytest.raises(ModelError, match="the account's budget at"):
        ask(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "0"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 21 Oct 99999 07:28:00 GMT"}, None),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0.5s"}, 360.5),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "6m0s"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12.0),
        ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0"}, None),
    ],
)
def test_the_wait_that_headers_ask_for(headers: dict[str, str], seconds: float | None) -> None:
    assert faults.asked_pause_s(headers) == pytest.approx(seconds)


def test_a_date_to_wait_for_is_understood() -> None:
    asked = faults.asked_pause_s({"retry-after": email.utils.formatdate(time.time() + 3600, usegmt=True)})
    assert asked is not None
    assert 3000 < asked <= 3600


def test_calls_that_fail_do_not_lose_those_that_did_not() -> None:
    with chat_server("ignores_n", "500_after_first") as server:
        samples, notes = ask(server, 3)
    assert [sample.text for sample in samples] == ["reply 1.0"]
    assert "2 of 3 calls failed" in notes[1]
    assert "keeps failing (HTTP 500" in notes[1]


def test_a_server_that_keeps_failing_ends_in_an_error_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server("500") as server, pytest.raises(ModelError, match="keeps failing") as caught:
        ask(server)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1 + faults.MAX_RETRIES


def test_a_slow_server_runs_into_the_time_limit() -> None:
    with chat_server("slow") as server, pytest.raises(ModelError, match="no answer in time"):
        ask(server, timeout_s=0.05)
