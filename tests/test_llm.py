"""The clients, against a real server on loopback and against a real (tiny) transformers model."""

import asyncio
import base64
import logging
import socket
from pathlib import Path
from typing import Any

import pytest
from chat_server import ASK, KEY, MODEL, ask, chat_server

from cuda_l1 import llm, prices
from cuda_l1.errors import ModelError, UsageError
from cuda_l1.replies import Completion, Reply

STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_L1_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_one_call_gives_n_samples_and_their_shares_add_up() -> None:
    with chat_server() as server:
        samples, notes = ask(server, 3, temperature=0.5, max_tokens=99)
    assert [sample.text for sample in samples] == ["reply 1.0", "reply 1.1", "reply 1.2"]
    assert [sample.usage.prompt_tokens for sample in samples] == [4, 4, 3]
    assert sum(sample.usage.completion_tokens for sample in samples) == 21
    assert {sample.usage.cost for sample in samples} == {None}, "a server of one's own has no known price"
    assert notes == []
    assert server.requests == [
        {"model": MODEL, "messages": ASK, "n": 3, "temperature": 0.5, "max_tokens": 99, **STREAMED}
    ]


@pytest.mark.parametrize(("mode", "requests"), [("ignores_n", 3), ("refuses_n", 4), ("breaks_on_n", 4)])
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


def test_a_failure_of_a_server_that_gives_n_is_not_taken_for_one_that_does_not() -> None:
    with chat_server() as server:
        client = llm.connect(MODEL, base_url=server.url)

        async def session() -> None:
            await client.complete(ASK, 2)
            server.modes.add("500")
            with pytest.raises(ModelError, match="500"):
                await client.complete(ASK, 2)
            server.modes.remove("500")
            await client.complete(ASK, 2)
            await client.aclose()

        asyncio.run(session())
    assert {request["n"] for request in server.requests} == {2}
    assert not any("one sample a call" in note for note in client.notes)


def test_a_reply_that_ends_before_its_first_word_is_said() -> None:
    with chat_server("says_nothing") as server, pytest.raises(ModelError, match="before the first word"):
        ask(server)


def test_the_index_of_a_choice_counts_and_not_its_place() -> None:
    reply = Reply()
    reply.add({"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]})
    assert [choice.text for _, choice in sorted(reply.choices.items())] == ["a", "b"]


def test_refused_parameters_are_said_otherwise_or_left_out() -> None:
    with chat_server("refuses_temperature", "refuses_max_tokens") as server:
        samples, notes = ask(server, 2, max_tokens=50)
    assert len(samples) == 2
    assert server.requests[-1] == {"model": MODEL, "messages": ASK, "n": 2, "max_completion_tokens": 50, **STREAMED}
    assert notes == [f"{MODEL} refuses temperature: it is left out, the server's default holds"]


def test_a_limit_that_does_not_fit_the_context_is_left_out_of_that_call_only() -> None:
    with chat_server("small_context") as server:
        client = llm.connect(MODEL, base_url=server.url, max_tokens=9000)

        async def session() -> list[Completion]:
            await client.complete(ASK, 1)
            done = await client.complete(ASK, 1)
            await client.aclose()
            return done

        (sample,) = asyncio.run(session())
    assert sample.text == "reply 4.0"
    assert ["max_tokens" in request for request in server.requests] == [True, False, True, False]
    assert "it gets what fits" in client.notes[0]


def test_identical_samples_are_said() -> None:
    with chat_server(text="always this") as server:
        _, notes = ask(server, 2)
        _, greedy = ask(server, 2, temperature=0.0)
    assert "2 times the same text" in notes[0]
    assert greedy == [], "at temperature 0 they are meant to be the same"


def test_no_more_calls_at_once_than_allowed() -> None:
    with chat_server("slow", "ignores_n") as server:
        ask(server, 5, concurrency=2)
    assert server.busiest == 2


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


def test_a_list_of_models_that_is_no_json_is_none() -> None:
    with chat_server("half_list") as server:
        assert len(ask(server, 1)[0]) == 1


def test_the_base_url_comes_from_the_environment_and_its_password_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with chat_server("html") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//me:hush@"))
        message = error_of(MODEL)
    assert server.url in message
    assert "hush" not in message


def test_a_password_in_the_url_reaches_the_server_and_no_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with chat_server("500_after_first", "ignores_n") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//me:hush%21@"))
        client = llm.connect(MODEL)

        async def session() -> None:
            await client.complete(ASK, 2)
            await client.aclose()

        asyncio.run(session())
    assert server.logins == ["Basic " + base64.b64encode(b"me:hush!").decode()]
    assert "key was Basic ***" in " ".join(client.notes)
    seen = caplog.text + repr(client.notes)
    assert not [secret for secret in (KEY, "hush", server.logins[0][6:]) if secret in seen]


@pytest.mark.parametrize(
    "address", ["http://me:hush@localhost:1/v1", "http://hush@localhost:1/v1", "http://localhost:1/v1?key=hush"]
)
def test_a_url_that_would_be_kept_may_hold_no_secret(address: str) -> None:
    with pytest.raises(UsageError, match="export OPENAI_BASE_URL") as caught:
        llm.connect(MODEL, base_url=address)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:8000/v1", "http://localhost:port/v1", "http://[::1/v1"])
def test_what_is_no_url_is_a_mistake_and_no_server_that_is_away(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    with pytest.raises(UsageError) as caught:
        llm.connect(MODEL, base_url=address)
    assert f"--base-url {address}: expected a URL with http://" in str(caught.value)
    secret = address.replace("[", "me:hush@[").replace("localhost", "me:hush@localhost")
    monkeypatch.setenv("OPENAI_BASE_URL", secret)
    for base_url, named in ((None, "OPENAI_BASE_URL"), (secret, "--base-url")):
        with pytest.raises(UsageError, match=f"{named}: expected a URL with http://") as caught:
            llm.connect(MODEL, base_url=base_url)
        assert "hush" not in str(caught.value)
    with pytest.raises(UsageError, match="--base-url: expected a URL") as caught:
        llm.connect(MODEL, base_url=f"{address}?key=hush")
    assert "hush" not in str(caught.value)


def test_prices_hold_at_the_vendor_only() -> None:
    vendor = "https://api.openai.com/v1/"
    assert prices.price_of("gpt-5.4", vendor) == (2.5, 15.0)
    assert prices.price_of("gpt-5.4-2026-03-05", vendor) == (2.5, 15.0)
    assert prices.price_of("gpt-5.4", "http://localhost:8000/v1/") is None
    assert prices.price_of("gpt-99", vendor) is None
    assert prices.cost((2.5, 15.0), 1_000_000, 100_000) == pytest.approx(4.0)
    assert prices.cost(None, 10, 10) is None


def test_a_price_that_the_user_gives_holds_anywhere() -> None:
    with chat_server() as server:
        samples, _ = ask(server, 2, price=(1.0, 10.0))
    assert sum(sample.usage.cost or 0 for sample in samples) == pytest.approx((11 + 10 * 14) / 1e6)


def test_an_estimate_is_an_upper_bound_and_asks_nobody() -> None:
    there = llm.estimate(ASK, 4, "gpt-5.4", None, 1000)
    assert there == (prices.tokens_in_prompt(ASK), 4000, pytest.approx((2.5 * there.prompt_tokens + 15 * 4000) / 1e6))
    elsewhere = llm.estimate(ASK, 4, "gpt-5.4", "http://localhost:1/v1", 1000)
    assert elsewhere == (4 * there.prompt_tokens, 4000, None), "perhaps that server gives one sample a call"
    assert llm.estimate(ASK, 1, "x", "http://localhost:1/v1", 1000, (0.0, 1.0)).usd == pytest.approx(0.001)


def test_a_local_model_that_is_not_there_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert "run `cuda-l1 model fetch smollm2` once" in error_of("local:smollm2")
    for nowhere in (tmp_path, "~nobody-here/x"):
        assert "no config.json" in error_of(f"local:{nowhere}")


def test_a_local_model_samples_a_batch_beside_a_living_event_loop(tiny_model: Path) -> None:
    client = llm.connect(f"local:{tiny_model}", max_tokens=40)

    async def session() -> tuple[list[Completion], int]:
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
