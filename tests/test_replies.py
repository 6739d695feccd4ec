"""What a server sends, streamed or whole, or broken: the text, the tokens, and the reason where there is no answer."""

import asyncio
import math
from typing import Any

import pytest
from chat_server import ASK, KEY, MODEL, ask, chat_server

from cuda_l1 import faults, llm, prices
from cuda_l1.errors import AwayError, ModelError
from cuda_l1.replies import Reply


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_L1_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_a_character_that_comes_in_halves_is_joined_and_half_of_one_is_replaced() -> None:
    with chat_server(text="abc\ud83d" + "\ude00 \ud800") as server:  # sent in two pieces, the first of four letters
        (sample,), _ = ask(server)
    assert sample.text == "abc\U0001f600 \ufffd"


@pytest.mark.parametrize("mode", ["no_usage", "zero_usage"])
def test_missing_usage_is_estimated_and_marked_as_such(mode: str) -> None:
    with chat_server(mode) as server:
        samples, notes = ask(server, 2, price=(1e6, 2e6))
    usages = [sample.usage for sample in samples]
    assert all(usage.estimated for usage in usages)
    prompt, written = prices.tokens_in_prompt(ASK), prices.tokens_in("secret thoughts" + "reply 1.0")
    assert sum(usage.prompt_tokens for usage in usages) == prompt > 4
    assert [usage.completion_tokens for usage in usages] == [written, written], "reasoning is paid for, too"
    assert sum(usage.cost or 0 for usage in usages) == prompt + 2 * 2 * written
    assert notes == [f"{MODEL} reports no token usage: tokens are estimated from the length of the text"]


def test_cached_tokens_are_kept_where_reported() -> None:
    with chat_server("cached") as server:
        samples, _ = ask(server, 3)
    assert [sample.usage.cached_tokens for sample in samples] == [3, 3, 2]
    assert not any(sample.usage.estimated for sample in samples)


@pytest.mark.parametrize("modes", [(), ("reasoning",), ("ignores_stream",), ("ignores_stream", "reasoning")])
def test_reasoning_is_no_part_of_the_answer(modes: tuple[str, ...]) -> None:
    with chat_server(*modes) as server:
        (sample,), notes = ask(server)
    assert (sample.text, sample.finish_reason, sample.trouble) == ("reply 1.0", "stop", "")
    assert notes == []


def test_a_reply_cut_off_at_the_limit_says_so_and_asks_for_more_tokens() -> None:
    with chat_server("cut") as server:
        (sample,), notes = ask(server, max_tokens=77)
    assert (sample.text, sample.finish_reason) == ("reply 1.0", "length")
    assert sample.trouble == "the reply was cut off at its limit of 77 tokens: allow more with --max-tokens"
    assert notes == [f"{MODEL}: {sample.trouble}"]


def test_a_limit_spent_on_reasoning_is_said() -> None:
    with chat_server("empty", "cut") as server:
        (sample,), _ = ask(server)
    assert sample.text == ""
    assert "all of it spent on reasoning" in sample.trouble


@pytest.mark.parametrize(
    ("mode", "reason", "words"),
    [("refuses", "refusal", "the model refused: I will not, Bearer ***."), ("filters", "content_filter", "withheld")],
)
def test_a_refusal_is_a_reason_and_no_code(mode: str, reason: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server(mode) as server:
        (sample,), notes = ask(server)
    assert (sample.text, sample.finish_reason, sample.is_refused) == ("", reason, True)
    assert words in sample.trouble
    assert sample.usage.completion_tokens == 7, "it is paid for"
    assert sample.trouble in notes[0]


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("ends_early", "the stream ended before the reply did"),
        ("breaks", "the connection was lost"),
        ("errs", "broke off its answer (out of memory, key was Bearer ***)"),
    ],
)
def test_a_stream_that_breaks_keeps_its_text_and_its_tokens(
    mode: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server(mode) as server:
        samples, notes = ask(server, 2)
    assert [sample.text for sample in samples] == ["reply 1.0", "reply 1.1"]
    assert {sample.finish_reason for sample in samples} == {"cut"}
    assert all(words in sample.trouble for sample in samples)
    assert all(sample.usage.estimated and sample.usage.completion_tokens >= 7 for sample in samples)
    assert len(server.requests) == 1, "what was paid for is not asked again"
    assert [note for note in notes if "cut off" not in note] == []
    assert KEY not in repr(samples) + repr(notes)


def test_a_stream_that_breaks_before_its_first_word_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "FIRST_PAUSE_S", 0.01)
    with chat_server("breaks", "breaks_at_once") as server:
        (sample,), _ = ask(server)
    assert sample.text == "reply 3.0"


def test_a_whole_answer_that_is_lost_on_the_way_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library reads it no more than a page: nobody but us sees that the connection is gone."""
    monkeypatch.setattr(faults, "FIRST_PAUSE_S", 0.01)
    with chat_server("ignores_stream", "breaks") as server:
        with pytest.raises(AwayError, match="cannot be reached"):
            ask(server, patience_s=0.02)
        assert len(server.requests) == 2
        server.modes.remove("breaks")
        (sample,), _ = ask(server)
    assert sample.text == "reply 3.0"


def test_an_error_in_place_of_a_whole_answer_is_said_in_the_servers_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "FIRST_PAUSE_S", 0.01)
    with chat_server("errs_whole") as server, pytest.raises(ModelError, match="no GPU is free"):
        ask(server)
    assert len(server.requests) == 1 + faults.MAX_RETRIES, "as an error event of a stream is"


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": 5},
        {"choices": [{"index": [1], "message": {"content": "x"}}, {"index": "0", "message": 7}]},
        {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": [1], "completion_tokens": math.inf}},
        {"usage": {"prompt_tokens": -5, "completion_tokens": "seven"}},
    ],
)
def test_what_has_the_wrong_form_is_not_there(chunk: dict[str, Any]) -> None:
    reply = Reply()
    reply.add(chunk)
    assert "".join(choice.text for choice in reply.choices.values()) in ("", "x")
    assert set(map(type, reply.choices)) <= {int}
    assert reply.count is None


def test_a_reply_that_takes_too_long_keeps_what_came() -> None:
    with chat_server("stalls") as server:
        (sample,), _ = ask(server, timeout_s=1.5)
    assert (sample.text, sample.finish_reason) == ("repl", "cut")
    assert "it took longer than 1.5 s" in sample.trouble


@pytest.mark.parametrize("mode", ["refuses_stream", "ignores_stream", "refuses_stream_options"])
def test_a_server_that_does_not_stream_as_asked_is_understood(mode: str) -> None:
    with chat_server(mode) as server:
        samples, _ = ask(server, 2)
    assert [sample.text[-1] for sample in samples] == ["0", "1"]
    assert {sample.finish_reason for sample in samples} == {"stop"}
    assert samples[0].usage.estimated == (mode == "refuses_stream_options"), "nobody was asked to count"


def test_a_prompt_that_the_server_seems_to_have_cut_is_said() -> None:
    with chat_server() as server:
        client = llm.connect(MODEL, base_url=server.url)

        async def session() -> None:
            await client.complete([{"role": "user", "content": "word " * 100}], 1)
            await client.aclose()

        asyncio.run(session())
    assert "counts only 11 prompt tokens" in client.notes[0]


def test_a_key_that_a_server_says_back_in_a_reply_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server(text=f"your key is {KEY}") as server:
        (sample,), _ = ask(server)
    assert sample.text == "your key is ***"


def test_what_finding_out_took_is_counted_with_the_first_reply() -> None:
    with chat_server("no_list") as server:
        samples, _ = ask(server, 2)
    assert sum(sample.usage.prompt_tokens for sample in samples) == 2 * 11
    assert sum(sample.usage.completion_tokens for sample in samples) == 3 * 7
