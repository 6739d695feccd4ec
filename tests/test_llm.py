"""The clients, against a real server on loopback and against a real (tiny) transformers model."""

import asyncio
import logging
import socket
from pathlib import Path
from typing import Any

import pytest
from chat_server import KEY, MODEL, ChatServer, chat_server

from cuda_l1 import llm
from cuda_l1.errors import ModelError
from cuda_l1.types import Usage

ASK = [{"role": "user", "content": "Make it fast."}]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_L1_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(server: ChatServer, n: int = 1, **settings: Any) -> tuple[list[llm.Completion], list[str]]:
    """Connects, asks once for n samples, closes: the samples and the client's notes."""
    client = llm.connect(MODEL, base_url=server.url, **settings)

    async def session() -> list[llm.Completion]:
        try:
            return await client.complete(ASK, n)
        finally:
            await client.aclose()

    return asyncio.run(session()), client.notes


def test_one_call_gives_n_samples_and_their_shares_add_up() -> None:
    with chat_server() as server:
        samples, notes = ask(server, 3, temperature=0.5, max_tokens=99)
    assert [sample.text for sample in samples] == ["reply 1.0", "reply 1.1", "reply 1.2"]
    assert [sample.usage.prompt_tokens for sample in samples] == [4, 4, 3]
    assert sum(sample.usage.completion_tokens for sample in samples) == 21
    assert {sample.usage.cost for sample in samples} == {None}, "a server of one's own has no known price"
    assert notes == []
    assert server.requests == [{"model": MODEL, "messages": ASK, "n": 3, "temperature": 0.5, "max_tokens": 99}]


@pytest.mark.parametrize(("mode", "requests"), [("ignores_n", 3), ("refuses_n", 4)])
def test_a_server_without_n_is_asked_n_times_and_not_tried_again(mode: str, requests: int) -> None:
    with chat_server(mode) as server:
        samples, notes = ask(server, 3)
        assert len({sample.text for sample in samples}) == 3
        assert len(server.requests) == requests
        assert sum(sample.usage.prompt_tokens for sample in samples) == 33
        assert notes == [f"{MODEL} gives one sample a call: n samples are n calls"]


def test_it_learns_once_that_n_is_ignored() -> None:
    with chat_server("ignores_n") as server:
        client = llm.connect(MODEL, base_url=server.url)

        async def session() -> None:
            await client.complete(ASK, 2)
            await client.complete(ASK, 2)
            await client.aclose()

        asyncio.run(session())
    assert [request.get("n") for request in server.requests] == [2, None, None, None]


def test_refused_parameters_are_said_otherwise_or_left_out() -> None:
    with chat_server("refuses_temperature", "refuses_max_tokens") as server:
        samples, notes = ask(server, 2, max_tokens=50)
    assert len(samples) == 2
    assert server.requests[-1] == {"model": MODEL, "messages": ASK, "n": 2, "max_completion_tokens": 50}
    assert notes == [f"{MODEL} refuses temperature: it is left out, the server's default holds"]


def test_too_many_requests_are_tried_again() -> None:
    with chat_server("429_twice") as server:
        samples, _ = ask(server)
    assert [sample.text for sample in samples] == ["reply 3.0"]


def test_missing_usage_is_zero_tokens_of_unknown_cost_and_is_said() -> None:
    with chat_server("no_usage") as server:
        samples, notes = ask(server)
    assert samples[0].usage == Usage(prompt_tokens=0, completion_tokens=0, cost=None)
    assert "no token usage" in notes[0]


def test_reasoning_is_ignored_and_the_finish_reason_is_kept() -> None:
    with chat_server("empty", "cut") as server:
        samples, _ = ask(server)
    assert samples[0].text == ""
    assert samples[0].finish_reason == "length"


def test_identical_samples_are_said() -> None:
    with chat_server("empty") as server:
        _, notes = ask(server, 2)
        _, greedy = ask(server, 2, temperature=0.0)
    assert "2 times the same text" in notes[0]
    assert greedy == [], "at temperature 0 they are meant to be the same"


def test_no_more_calls_at_once_than_allowed() -> None:
    with chat_server("slow", "ignores_n") as server:
        ask(server, 5, concurrency=2)
    assert server.busiest == 2


def test_calls_that_fail_do_not_lose_those_that_did_not() -> None:
    with chat_server("ignores_n", "500_after_first") as server:
        samples, notes = ask(server, 3)
    assert [sample.text for sample in samples] == ["reply 1.0"]
    assert "2 of 3 calls failed" in notes[1]
    assert "keeps failing (HTTP 500" in notes[1]


def error_of(model: str, **settings: Any) -> str:
    with pytest.raises(ModelError) as caught:
        llm.connect(model, **settings)
    assert caught.value.exit_code == 4
    return str(caught.value)


def test_a_refused_key_is_said_at_once_without_the_key(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with chat_server("401") as server:
        message = error_of(MODEL, base_url=server.url)
    assert "refused the key (HTTP 401): set CUDA_L1_API_KEY or OPENAI_API_KEY" in message
    assert KEY not in message
    assert KEY not in caplog.text
    assert not server.requests, "no retry, and no question"


def test_our_own_key_comes_before_the_common_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    monkeypatch.setenv("CUDA_L1_API_KEY", KEY)
    with chat_server("500", "no_list") as server:
        message = error_of(MODEL, base_url=server.url)
    assert "broken, key was Bearer ***" in message


def test_an_unknown_model_is_said_at_once_with_the_known_ones() -> None:
    with chat_server() as server:
        message = error_of("gpt-99", base_url=server.url)
    assert "knows no model gpt-99" in message
    assert f"it serves {MODEL}" in message


def test_a_server_that_does_not_answer_is_said_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    assert "cannot be reached: is the server running" in error_of(MODEL, base_url=url)


def test_a_page_that_is_no_such_server_is_said_at_once() -> None:
    with chat_server("html") as server:
        assert "no OpenAI-compatible server" in error_of(MODEL, base_url=server.url)


def test_without_key_and_server_it_says_the_three_ways() -> None:
    message = error_of("gpt-5.4")
    assert "OPENAI_API_KEY" in message
    assert "--base-url" in message
    assert "local:smollm2" in message


def test_a_server_without_a_list_of_models_is_asked_for_a_short_reply() -> None:
    with chat_server("no_list", "refuses_max_tokens") as server:
        llm.connect(MODEL, base_url=server.url)
    assert server.requests[0]["max_tokens"] == 16


def test_a_server_that_keeps_failing_ends_in_an_error_without_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server("500") as server, pytest.raises(ModelError, match="keeps failing") as caught:
        ask(server, 2)
    assert KEY not in str(caught.value)
    assert len(server.requests) == 1 + llm.MAX_RETRIES


def test_a_slow_server_runs_into_the_time_limit() -> None:
    with chat_server("slow") as server, pytest.raises(ModelError, match="no answer in time"):
        ask(server, timeout_s=0.05)


def test_the_base_url_comes_from_the_environment_and_its_password_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with chat_server("html") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//me:hush@"))
        message = error_of(MODEL)
    assert server.url in message
    assert "hush" not in message


def test_prices_hold_at_the_vendor_only() -> None:
    vendor = "https://api.openai.com/v1/"
    assert llm._price("gpt-5.4", vendor) == (2.5, 15.0)
    assert llm._price("gpt-5.4-2026-03-05", vendor) == (2.5, 15.0)
    assert llm._price("gpt-5.4", "http://localhost:8000/v1/") is None
    assert llm._price("gpt-99", vendor) is None
    assert llm._cost((2.5, 15.0), 1_000_000, 100_000) == pytest.approx(4.0)
    assert llm._cost(None, 10, 10) is None


def test_scripted_replies_come_in_order_and_run_out_loudly() -> None:
    client = llm.Scripted(["a", "b", "c"])
    samples = asyncio.run(client.complete(ASK, 2))
    assert [sample.text for sample in samples] == ["a", "b"]
    assert client.asked == [ASK]
    with pytest.raises(ModelError, match="2 replies asked, 1 left"):
        asyncio.run(client.complete(ASK, 2))


def test_a_local_model_that_is_not_there_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert "run `cuda-l1 model fetch smollm2` once" in error_of("local:smollm2")
    assert "no config.json" in error_of(f"local:{tmp_path}")


def test_a_local_model_samples_a_batch_beside_a_living_event_loop(tiny_model: Path) -> None:
    client = llm.connect(f"local:{tiny_model}", max_tokens=40)

    async def session() -> tuple[list[llm.Completion], int]:
        ticks = 0
        job = asyncio.ensure_future(client.complete(ASK, 3))
        while not job.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return await job, ticks

    samples, ticks = asyncio.run(session())
    assert len(samples) == 3
    assert len({sample.text for sample in samples}) > 1
    assert ticks > 1
    assert all(0 < sample.usage.completion_tokens <= 40 for sample in samples)
    assert all((s.finish_reason == "length") == (s.usage.completion_tokens == 40) for s in samples)


def test_a_cancelled_local_call_stops_generating(tiny_model: Path) -> None:
    client = llm.connect(f"local:{tiny_model}", max_tokens=10**6, temperature=0)

    async def session() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.complete(ASK, 1), 0.2)

    # asyncio.run waits for its threads: without the stop this would generate until the context is full.
    asyncio.run(session())


def test_a_prompt_longer_than_the_model_takes_is_an_error(tiny_model: Path) -> None:
    client = llm.connect(f"local:{tiny_model}")
    with pytest.raises(ModelError, match="show fewer exemplars"):
        asyncio.run(client.complete([{"role": "user", "content": "long " * 20_000}], 1))


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Llama of a few thousand weights with a byte tokenizer, saved as any model is."""
    transformers = pytest.importorskip("transformers", reason="the extra `local` is not installed")
    import tokenizers
    import torch

    folder = tmp_path_factory.mktemp("tiny")
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<eos>", *alphabet])}
    raw = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    raw.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = tokenizers.decoders.ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<eos>", pad_token="<eos>")
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=100_000,
        eos_token_id=0,
        bos_token_id=None,
        pad_token_id=0,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
