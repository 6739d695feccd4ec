"""Clients of language models: OpenAI-compatible servers, weights on this machine, and replies given beforehand.

Messages go in, Completions come out, with tokens and cost. `connect` makes the client and finds out at once whether
key, model and server are good.
Not covered: prompts, parsing, budgets (the caller adds up `usage`), streaming. A client belongs to ONE event loop.
The key is sent to the server and nowhere else: no message, note or log of ours holds it.
"""

from __future__ import annotations

import asyncio
import os
import re
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from cuda_l1 import models
from cuda_l1.errors import ModelError
from cuda_l1.types import Usage

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

Message = dict[str, str]

PRICES = {
    "gpt-5.5": (5.00, 30.00),
    "gpt-5.4": (2.50, 15.00),
    "gpt-5.4-mini": (0.75, 4.50),
    "gpt-5.4-nano": (0.20, 1.25),
}
"""USD per million prompt and completion tokens at api.openai.com, standard tier, prompts up to 272k tokens, as
listed from OpenAI's pricing page in June 2026 (morphllm.com/openai-api-pricing). Any other model or server: unknown.
An upper bound: cached prompt tokens are billed at less."""
MAX_RETRIES = 3
"""Retries of the client, with growing pauses, for 408, 409, 429, 5xx and lost connections."""
PROBE_TIMEOUT_S = 30.0
KEY_NAMES = ("CUDA_L1_API_KEY", "OPENAI_API_KEY")


class Completion(NamedTuple):
    """One sample. `finish_reason` is the server's word: `stop`, or `length` when max_tokens cut it off."""

    text: str
    usage: Usage
    finish_reason: str


class Client(Protocol):
    """What the search asks. `notes` are things worth showing to the user once, each a sentence."""

    name: str
    notes: list[str]

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """1 to n samples; fewer than n only when some of several calls failed, which a note says. Else ModelError."""
        ...

    async def aclose(self) -> None: ...


class Scripted:
    """A client whose replies are given beforehand: for tests, demonstrations and replays. It runs out loudly."""

    def __init__(self, replies: Iterable[str], name: str = "scripted") -> None:
        self.name = name
        self.notes: list[str] = []
        self.asked: list[Sequence[Message]] = []
        """The messages of every call so far."""
        self._replies = list(replies)

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """The next n replies. Raises ModelError when fewer are left."""
        self.asked.append(messages)
        if len(self._replies) < n:
            raise ModelError(f"scripted client: {n} replies asked, {len(self._replies)} left; give it more replies")
        taken, self._replies = self._replies[:n], self._replies[n:]
        return [Completion(text, Usage(), "stop") for text in taken]

    async def aclose(self) -> None:
        """Nothing to close."""


def connect(
    model: str,
    *,
    base_url: str | None = None,
    temperature: float = 0.8,
    max_tokens: int = 4096,
    concurrency: int = 4,
    timeout_s: float = 600,
) -> Client:
    """`local:FOLDER` or `local:smollm2`: weights on this machine. Otherwise a model of an OpenAI-compatible server.

    Raises ModelError at once for a missing or refused key, an unknown model or a server that does not answer.
    """
    if model.startswith("local:"):
        return _Local(model, temperature=temperature, max_tokens=max_tokens, timeout_s=timeout_s)
    client = _Server(
        model,
        base_url=base_url or os.environ.get("OPENAI_BASE_URL") or None,
        temperature=temperature,
        max_tokens=max_tokens,
        concurrency=concurrency,
        timeout_s=timeout_s,
    )
    client.probe()
    return client


class _Server:
    """An OpenAI-compatible server; what it ignores or refuses of our request is found out and remembered."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        temperature: float,
        max_tokens: int,
        concurrency: int,
        timeout_s: float,
    ) -> None:
        import openai

        key = next((os.environ[name] for name in KEY_NAMES if os.environ.get(name)), None)
        if key is None and base_url is None:
            raise ModelError(
                f"model {model} needs a key: export OPENAI_API_KEY=... ; or name a server of your own with --base-url; "
                "or use --model local:smollm2 (after `cuda-l1 model fetch smollm2`)"
            )
        self.name = model
        self.notes: list[str] = []
        self._key = key or "none"  # servers of one's own take any key, the client insists on one
        self._timeout_s = timeout_s
        self._client = openai.AsyncOpenAI(
            api_key=self._key, base_url=base_url, timeout=timeout_s, max_retries=MAX_RETRIES
        )
        self._url = re.sub(r"//[^/@]*@", "//", str(self._client.base_url))
        self._price = _price(model, self._url)
        self._slots = asyncio.Semaphore(concurrency)
        self._many = True
        """Whether the server is believed to give n samples in one call."""
        self._parameters: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens}

    def probe(self) -> None:
        """Asks for the list of models, and for one short reply only when that list does not settle it."""
        import openai

        with openai.OpenAI(
            api_key=self._key, base_url=str(self._client.base_url), timeout=PROBE_TIMEOUT_S, max_retries=1
        ) as client:
            listed: list[str] = []
            try:
                listed = [entry.id for entry in client.models.list().data or []]
            except (openai.AuthenticationError, openai.PermissionDeniedError, openai.APIConnectionError) as error:
                raise self._explained(error) from None
            except (openai.OpenAIError, AttributeError, TypeError):
                pass  # no list, or not one (transformers serve answers 500 without a hub cache): the reply decides
            if self.name in listed:
                return
            try:
                # Loading a model on demand takes a server longer than listing it.
                patient = client.with_options(timeout=self._timeout_s)
                reply = patient.chat.completions.create(
                    model=self.name, messages=[{"role": "user", "content": "Say OK."}], max_tokens=16
                )
            except openai.OpenAIError as error:
                if not _names(error, self._parameters):  # a quarrel about our parameters: the model itself is there
                    raise self._explained(error, listed) from None
            else:
                self._choices(reply)

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """See Client. One call where the server gives n samples at once, else n calls side by side."""
        import openai

        done: list[Completion] = []
        if n > 1 and self._many:
            try:
                done = await self._call(messages, n)
            except (openai.BadRequestError, openai.UnprocessableEntityError):
                done = []  # perhaps it refuses n; if it refuses something else, the single calls will say so
            except openai.OpenAIError as error:
                raise self._explained(error) from None
            if len(done) < n:
                self._many = False
                self._note(f"{self.name} gives one sample a call: n samples are n calls")
        calls = [self._call(messages, 1) for _ in range(n - len(done))]
        results = await asyncio.gather(*calls, return_exceptions=True)
        failed = [result for result in results if isinstance(result, BaseException)]
        done += [sample for result in results if not isinstance(result, BaseException) for sample in result]
        if done:
            if failed:
                self._note(f"{len(failed)} of {n} calls failed: {self._explained(failed[0])}")
            texts = {sample.text for sample in done}
            if len(done) > 1 and len(texts) == 1 and self._parameters.get("temperature"):
                self._note(f"{self.name} gave {len(done)} times the same text: does it sample? See docs/models.md")
            return done[:n]
        raise self._explained(failed[0]) from None

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _call(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """One request, repeated only when the server refuses a parameter that can be said otherwise or left out."""
        import openai

        request: dict[str, Any] = {"model": self.name, "messages": list(messages)}
        if n > 1:
            request["n"] = n
        async with self._slots:
            while True:
                sent = dict(self._parameters)
                try:
                    return self._completions(await self._client.chat.completions.create(**request, **sent))
                except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                    refused = _names(error, sent)
                    if not refused:
                        raise
                    self._adapt(refused)

    def _adapt(self, refused: str) -> None:
        """Newer hosted models want `max_completion_tokens` and refuse a temperature of one's own."""
        value = self._parameters.pop(refused, None)
        if refused == "max_tokens" and value is not None:
            self._parameters["max_completion_tokens"] = value
        elif value is not None:
            self._note(f"{self.name} refuses {refused}: it is left out, the server's default holds")

    def _choices(self, reply: Any) -> list[Any]:
        choices = getattr(reply, "choices", None)
        if not choices:
            raise ModelError(
                f"{self._url} answered without choices: it is no OpenAI-compatible server, or the path is wrong; "
                "the base URL usually ends in /v1"
            )
        return list(choices)

    def _completions(self, reply: ChatCompletion) -> list[Completion]:
        choices = self._choices(reply)
        if reply.usage is None:
            self._note(f"{self.name} reports no token usage: tokens are recorded as 0 and the cost as unknown")
        prompt = _shares(reply.usage.prompt_tokens or 0 if reply.usage else 0, len(choices))
        completion = _shares(reply.usage.completion_tokens or 0 if reply.usage else 0, len(choices))
        price = self._price if reply.usage else None
        return [
            Completion(
                choice.message.content or "" if choice.message else "",
                Usage(prompt_tokens=p, completion_tokens=c, cost=_cost(price, p, c)),
                choice.finish_reason or "unknown",
            )
            for choice, p, c in zip(choices, prompt, completion, strict=True)
        ]

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _explained(self, error: BaseException, listed: Sequence[str] = ()) -> BaseException:
        """The openai library's error as a ModelError that says what to do; any other error as it is."""
        import openai

        if not isinstance(error, openai.OpenAIError):
            return error
        status = getattr(error, "status_code", None)
        said = " ".join(_message(error).replace(self._key, "***").split())[:300]
        if isinstance(error, openai.APITimeoutError):
            text = f"{self._url} gave no answer in time, {self._timeout_s:g} s a call: allow more time or fewer tokens"
        elif isinstance(error, openai.APIConnectionError):
            text = f"{self._url} cannot be reached: is the server running, and is --base-url right?"
        elif status in (401, 403):
            # The server's own words may quote the key.
            text = f"{self._url} refused the key (HTTP {status}): set {' or '.join(KEY_NAMES)} to a valid one"
        elif status == 404:
            known = f"; it serves {', '.join(sorted(listed)[:10])}" if listed else ""
            text = f"{self._url} knows no model {self.name} (HTTP 404: {said}){known}; check --model and --base-url"
        elif status == 429:
            text = f"{self._url} is at its rate limit or the account's budget is spent (HTTP 429: {said})"
        elif status is not None and status >= 500:
            text = f"{self._url} keeps failing (HTTP {status}: {said}): see the server's log"
        else:
            text = f"{self._url} refused the request (HTTP {status}: {said})"
        return ModelError(text)


class _Local:
    """Weights on this machine as a client. One call runs at a time; memory grows with n."""

    def __init__(self, name: str, *, temperature: float, max_tokens: int, timeout_s: float) -> None:
        self.name = name
        self.notes: list[str] = []
        self._weights = models.Weights(models.find(name.removeprefix("local:")))
        self._settings: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout_s": timeout_s}
        self._one_at_a_time = asyncio.Lock()

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """See Client. It runs in a thread, so the event loop lives; a cancelled call stops at its next token."""
        stop = threading.Event()
        async with self._one_at_a_time:
            try:
                samples = await asyncio.to_thread(self._weights.generate, messages, n, stop=stop, **self._settings)
            finally:
                stop.set()
        prompt = _shares(samples[0].prompt_tokens, n)  # one prompt for the whole batch, as a server counts it
        return [
            Completion(s.text, Usage(prompt_tokens=p, completion_tokens=s.completion_tokens), s.finish_reason)
            for s, p in zip(samples, prompt, strict=True)
        ]

    async def aclose(self) -> None:
        """Nothing to close: the weights go with the object."""


def _message(error: Any) -> str:
    """The server's own words: servers that are not OpenAI's put them elsewhere in the body."""
    body = getattr(error, "body", None)
    return f"{getattr(error, 'message', error)}" + (
        f" {body['detail']}" if isinstance(body, dict) and "detail" in body else ""
    )


def _names(error: Any, parameters: Iterable[str]) -> str | None:
    """The one of our parameters that the server's refusal is about."""
    if getattr(error, "status_code", None) not in (400, 422):
        return None
    param, text = getattr(error, "param", None), _message(error)
    by_name = [name for name in parameters if name == param]
    return next(iter(by_name or [name for name in parameters if re.search(rf"\b{name}\b", text)]), None)


def _shares(total: int, n: int) -> list[int]:
    """The total in n nearly equal parts that add up to it: servers count the tokens of a whole call."""
    return [total // n + (1 if i < total % n else 0) for i in range(n)]


def _price(model: str, url: str) -> tuple[float, float] | None:
    """By name, without the date of a dated snapshot; only at the vendor's own address."""
    if not url.startswith("https://api.openai.com/"):
        return None
    return PRICES.get(re.sub(r"-\d{4}-\d{2}-\d{2}$", "", model))


def _cost(price: tuple[float, float] | None, prompt_tokens: int, completion_tokens: int) -> float | None:
    return None if price is None else (prompt_tokens * price[0] + completion_tokens * price[1]) / 1e6
