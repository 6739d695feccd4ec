"""Clients of language models: OpenAI-compatible servers, weights on this machine, and replies given beforehand.

Messages go in, Completions come out, with tokens and cost. `connect` makes the client and finds out at once whether
key, model and server are good. Replies are streamed: proxies cut connections on which nothing comes for a minute or
two, a reply that breaks keeps what was paid for, and a server stops working when we hang up.
Not covered: prompts, parsing, budgets (the caller adds up `usage`). A client belongs to ONE event loop.
The key is sent to the server and nowhere else: no message, note or log of ours holds it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from cuda_l1 import faults, prices, replies
from cuda_l1.errors import ModelError, UsageError
from cuda_l1.offline import Local, Written
from cuda_l1.prices import Estimate as Estimate
from cuda_l1.prices import Price
from cuda_l1.prices import estimate as estimate
from cuda_l1.replies import Completion
from cuda_l1.types import Message, Usage, in_this_process

if TYPE_CHECKING:
    import openai

    from cuda_l1.config import OptimizeConfig

PROBE_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 10.0
PATIENCE_S = 600.0
"""A server that is restarted with large weights is back within minutes."""
LIMITS = ("max_tokens", "max_completion_tokens")
UNLIKELY_BYTES_A_TOKEN = 8
"""No tokenizer makes so few tokens of a prompt (see prices): the server has not read all of it."""


class Client(Protocol):
    """What the search asks. `notes` are things worth showing to the user once, each a sentence."""

    name: str
    notes: list[str]

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """1 to n samples; fewer than n only when some of several calls failed, which a note says. Else ModelError."""
        ...

    async def aclose(self) -> None: ...


def client_for(config: OptimizeConfig, task_id: str, patience_s: float = PATIENCE_S) -> Client:
    """The model that a run's settings name; ModelError where it is not there."""
    return connect(
        str(config.model), base_url=config.base_url, temperature=config.temperature, max_tokens=config.max_tokens,
        patience_s=patience_s, price=config.price_each, task_id=task_id,
    )  # fmt: skip


def connect(
    model: str,
    *,
    base_url: str | None = None,
    temperature: float = 0.8,
    max_tokens: int = 4096,
    concurrency: int = 4,
    timeout_s: float = 600,
    patience_s: float = PATIENCE_S,
    price: Price | None = None,
    task_id: str | None = None,
) -> Client:
    """`local:FOLDER`, `local:smollm2` or `builtin`: weights on this machine. `replies:FILE`: what `cuda-l1 train
    sample`, or anybody else, wrote for the task `task_id`. Otherwise a model of an OpenAI-compatible server.

    `timeout_s` limits one call, `patience_s` how long a call waits altogether for a server that is busy, at its rate
    limit or away; `price` is USD per million prompt and completion tokens, in place of what is known.
    Raises ModelError at once for a missing or refused key, an unknown model or a server that does not answer, and
    UsageError for a URL that is none, or that holds a password: it would be kept with the run's settings.
    """
    settings = {"temperature": temperature, "max_tokens": max_tokens}
    if in_this_process(model):
        return Local(model, settings | {"timeout_s": timeout_s}, price)
    if model.startswith("replies:"):
        if task_id is None:
            raise UsageError(f"{model} answers for tasks of optimize and eval; here a model is needed that is asked")
        return Written(model, task_id)
    url = base_url or os.environ.get("OPENAI_BASE_URL") or None
    if url and not _is_url(url):
        found = "--base-url" if base_url else "OPENAI_BASE_URL"
        if base_url and not {"@", "?"} & set(base_url):  # beside which a password or a key may stand
            found += f" {base_url}"
        raise UsageError(f"{found}: expected a URL with http:// or https://, for instance http://localhost:8000/v1")
    if base_url and ("@" in urlsplit(base_url).netloc or urlsplit(base_url).query):
        raise UsageError(
            "--base-url holds a password or a query, which the run's config.json would keep: "
            f"export OPENAI_BASE_URL with the password, or {faults.KEY_NAMES[0]} with the key, and no query"
        )
    client = _Server(model, url, settings, price, concurrency, timeout_s, patience_s)
    client.probe()
    return client


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket that is not closed, a port that is no number
        return False


class _Server:
    """An OpenAI-compatible server; what it ignores or refuses of our request is found out and remembered."""

    def __init__(
        self, model: str, base_url: str | None, settings: dict[str, Any], price: Price | None, concurrency: int,
        timeout_s: float, patience_s: float,
    ) -> None:  # fmt: skip
        import openai

        key = next((os.environ[name] for name in faults.KEY_NAMES if os.environ.get(name)), None)
        if key is None and base_url is None:
            raise ModelError(
                f"model {model} needs a key: export OPENAI_API_KEY=... ; or name a server of your own with --base-url; "
                "or use --model local:smollm2 (after `cuda-l1 model fetch smollm2`)"
            )
        # The HTTP library logs URLs: a password in one becomes a header, as it would be sent anyway.
        url, *login = faults.without_login(base_url or "")
        self.name = model
        self.notes: list[str] = []
        self.slots, self.timeout_s, self.patience_s = asyncio.Semaphore(concurrency), timeout_s, patience_s
        self._secrets = faults.Secrets(key, *login)
        self._access: dict[str, Any] = {
            "api_key": key or "none",  # servers of one's own take any key, the library insists on one
            "base_url": url or None,
            "default_headers": {"Authorization": f"Basic {faults.basic(*login)}"} if any(login) else None,
        }
        patient = openai.Timeout(None, connect=CONNECT_TIMEOUT_S)
        self._client = openai.AsyncOpenAI(**self._access, timeout=patient, max_retries=0)
        self._url = str(self._client.base_url)
        self._price = price or prices.price_of(model, self._url)
        self._many: bool | None = None
        """Whether the server gives n samples in one call; None while nobody has tried."""
        self._parameters: dict[str, Any] = {**settings, "stream": True, "stream_options": {"include_usage": True}}
        self._said: set[str] = set()
        self._owed = replies.Count(0, 0, 0)
        """What finding out took: counted with the first reply."""
        self._open_at = 0.0
        """By the loop's clock, when the server may be asked again: a rate limit holds for all calls."""
        self._waiting = False
        """Whether a wait was told and the server has not answered since."""

    def probe(self) -> None:
        """Asks for the list of models, and for one short reply only when that list does not settle it."""
        import openai

        with openai.OpenAI(**self._access, timeout=PROBE_TIMEOUT_S, max_retries=1) as client:
            listed: list[str] = []
            try:
                listed = [entry.id for entry in client.models.list().data or []]
            except (openai.AuthenticationError, openai.PermissionDeniedError, openai.APIConnectionError) as error:
                raise self._explained(error) from None
            except (openai.OpenAIError, AttributeError, TypeError, ValueError):
                pass  # no list, or not one (transformers serve answers 500 without a hub cache): the reply decides
            if self.name in listed:
                return
            try:
                # Loading a model on demand takes a server longer than listing it.
                patient = client.with_options(timeout=self.timeout_s)
                whole = patient.chat.completions.create(
                    model=self.name, messages=[{"role": "user", "content": "Say OK."}], max_tokens=16
                )
            except openai.OpenAIError as error:
                if not faults.refused(error, self._parameters):  # else a quarrel about parameters: the model is there
                    raise self._explained(error, listed) from None
            except ValueError:  # no JSON
                raise self._no_server() from None
            else:
                reply = replies.Reply()
                reply.add(whole)
                self._owed = reply.count or self._owed
                self._check(reply)

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """See Client. One call where the server gives n samples at once, else n calls side by side."""
        import openai

        done: list[Completion] = []
        if n > 1 and self._many is not False:
            try:
                done = await self._call(messages, n)
            except (openai.BadRequestError, openai.UnprocessableEntityError, openai.InternalServerError) as error:
                if error.status_code in faults.WAITED_FOR or self._many:
                    raise self._explained(error) from None
                done = []  # perhaps it refuses n; if it refuses something else, the single calls will say so
            except openai.OpenAIError as error:
                raise self._explained(error) from None
            if len(done) < n and all(sample.finish_reason != "cut" for sample in done):
                self._many = False
                self._note(f"{self.name} gives one sample a call: n samples are n calls")
            else:
                self._many = True
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
        """One request, repeated when the server asks for it to be said otherwise, or later."""
        import openai

        request: dict[str, Any] = {"model": self.name, "messages": list(messages)} | ({"n": n} if n > 1 else {})
        left_out: tuple[str, ...] = ()
        waited, tries = 0.0, 0
        while True:
            while (pause := self._open_at - asyncio.get_running_loop().time()) > 0:
                await asyncio.sleep(pause)
            async with self.slots:
                sent = {name: value for name, value in self._parameters.items() if name not in left_out}
                try:
                    return await self._exchange(request, sent)
                except openai.OpenAIError as caught:
                    error = caught
            if faults.too_long(error) and any(name in sent for name in LIMITS):
                # What it takes is less than we asked for; the next prompt may be shorter, so only this call.
                left_out = LIMITS
                self._note(f"{self.name} takes fewer tokens than asked for after a prompt this long: it gets what fits")
            elif name := faults.refused(error, sent):
                self._adapt(name)
            elif n > 1 and self._many is None and getattr(error, "status_code", None) == 500:
                raise error  # so refuses llama.cpp an n that it does not know (its server.cpp before December 2025)
            elif (wait := faults.pause_s(error, tries)) is None or waited + wait > self.patience_s:
                raise error
            else:
                waited, tries = waited + wait, tries + 1
                self._hold(wait, error)

    async def _exchange(self, request: dict[str, Any], sent: dict[str, Any]) -> list[Completion]:
        """One request and its answer. What came before an error or the time limit is kept, as far as it came."""
        import openai

        reply, broken = replies.Reply(), "the stream ended before the reply did"
        try:
            async with asyncio.timeout(self.timeout_s):
                await reply.read(await self._client.chat.completions.create(**request, **sent))
        except TimeoutError:
            broken = f"it took longer than {self.timeout_s:g} s"
            if not reply.begun:
                raise ModelError(
                    f"{self._url} gave no answer in time, {self.timeout_s:g} s a call: allow more time or fewer tokens"
                ) from None
        except (openai.OpenAIError, ValueError) as error:
            if not reply.begun:
                raise error if isinstance(error, openai.OpenAIError) else self._no_server() from None
            if isinstance(error, openai.APIConnectionError):
                broken = "the connection was lost"
            elif isinstance(error, openai.OpenAIError):
                broken = str(self._explained(error))
        self._check(reply)
        if self._waiting:
            self._waiting = False
            self.notes.append(f"{self._url} answers again")
        return self._completions(reply, request["messages"], broken)

    def _hold(self, wait: float, error: openai.OpenAIError) -> None:
        """No call before the wait is over; said once for all calls and all tries that it takes."""
        self._open_at = max(self._open_at, asyncio.get_running_loop().time() + wait)
        if wait >= 1 and not self._waiting:
            self._waiting = True
            self.notes.append(f"waiting {wait:.0f} s, up to {self.patience_s:.0f} s in all: {self._explained(error)}")

    def _adapt(self, refused: str) -> None:
        """Newer hosted models want `max_completion_tokens` and refuse a temperature of one's own, or a stream."""
        value = self._parameters.pop(refused, None)
        if refused == "stream":
            self._parameters.pop("stream_options", None)
        if refused == "max_tokens" and value is not None:
            self._parameters["max_completion_tokens"] = value
        elif value is not None:
            self._note(f"{self.name} refuses {refused}: it is left out, the server's default holds")

    def _no_server(self) -> ModelError:
        return ModelError(
            f"{self._url} answered without choices: it is no OpenAI-compatible server, or the path is wrong; "
            "the base URL usually ends in /v1"
        )

    def _check(self, reply: replies.Reply) -> None:
        if not reply.choices:
            raise self._no_server()
        if not reply.begun:
            raise ModelError(f"{self._url} ended its reply before the first word of it: its log may say why; ask again")

    def _completions(self, reply: replies.Reply, messages: Sequence[Message], broken: str) -> list[Completion]:
        choices = [choice for _, choice in sorted(reply.choices.items()) if choice.begun]
        limit = next((self._parameters[name] for name in LIMITS if name in self._parameters), None)
        made = []
        for choice, usage in zip(choices, self._usages(reply, choices, messages), strict=True):
            finish_reason, trouble = choice.ending(limit, broken)
            if trouble:
                self._note(self._secrets.hide(f"{self.name}: {trouble}"))
            # A key is long; a shorter secret may be a word of the code.
            text = self._secrets.hide(choice.answer, shortest=16)
            made.append(Completion(text, usage, finish_reason, self._secrets.hide(trouble)))
        return made

    def _usages(
        self, reply: replies.Reply, choices: Sequence[replies.Choice], messages: Sequence[Message]
    ) -> list[Usage]:
        """Each choice's share of what the server counted, or else an estimate, marked as one."""
        owed, self._owed = self._owed, replies.Count(0, 0, 0)
        length = sum(len(message["content"].encode()) for message in messages)
        cut = any(not choice.finish_reason for choice in choices)
        if reply.count is None and not cut:
            self._note(f"{self.name} reports no token usage: tokens are estimated from the length of the text")
        elif reply.count and length > UNLIKELY_BYTES_A_TOKEN * reply.count.prompt:
            self._note(
                f"{self.name} counts only {reply.count.prompt} prompt tokens: it may have cut the prompt to its "
                "context, or leaves out what it had cached; see docs/models.md"
            )
        return prices.usages(
            reply.count,
            prices.tokens_in_prompt(messages),
            [prices.tokens_in(choice.written) for choice in choices],
            cut=cut,
            owed=owed,
            price=self._price,
        )

    def _note(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self.notes.append(text)

    def _explained(self, error: BaseException, listed: Sequence[str] = ()) -> BaseException:
        """The openai library's error as a ModelError that says what to do; any other error as it is."""
        import openai

        if not isinstance(error, openai.OpenAIError):
            return error
        return faults.explained(error, url=self._url, model=self.name, secrets=self._secrets, listed=listed)
