"""What a chat server sends, streamed or whole, put together into choices that say how they ended.

Chunks of `chat.completions` go in; texts, reasons and the server's own token counts come out. A stream that breaks
keeps what came before. Reasoning (`reasoning_content`, `reasoning`) is told apart from the answer and not kept in it;
reasoning between <think> tags in the answer itself is left for `parsing`.
Not covered: sending, waiting and errors (llm, faults); what a text is worth (parsing).
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cuda_l1 import foreign
from cuda_l1.types import MOST_COUNT, Usage

REASONING_FIELDS = ("reasoning_content", "reasoning")
"""llama.cpp, SGLang, DeepSeek, transformers serve / Ollama, vLLM (github.com/vllm-project/vllm/issues/27755)."""


class Completion(NamedTuple):
    """One sample, and how it ended."""

    text: str
    usage: Usage
    finish_reason: str
    """The server's word: `stop`, or `length` when max_tokens cut it off, or `content_filter`. Ours: `refusal`, and
    `cut` when the reply broke off before the server had said that it ended."""
    trouble: str = ""
    """Why this is no whole answer, as a sentence; "" where it is one."""

    @property
    def is_refused(self) -> bool:
        """There is no answer and there will be none: the trouble says why, the text is not to be parsed."""
        return self.finish_reason in ("refusal", "content_filter")


class Count(NamedTuple):
    """Tokens of one call as the server counted them; `cached` of the prompt's were not computed anew."""

    prompt: int
    completion: int
    cached: int


@dataclass
class Choice:
    """One sample as far as it came. `finish_reason` is the server's word, "" while there was none."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    finish_reason: str = ""

    @property
    def answer(self) -> str:
        """The text, whole: a server may send a character in two halves, and a model one alone."""
        return foreign.whole(self.text)

    @property
    def begun(self) -> bool:
        """Whether anything was written, or the server said that nothing will be."""
        return bool(self.text or self.reasoning or self.refusal or self.finish_reason)

    @property
    def written(self) -> str:
        """All that tokens were spent on."""
        return foreign.whole(self.reasoning + self.text + self.refusal)

    def add(self, message: Any, finish_reason: Any) -> None:
        """A whole message or the delta of one."""
        self.text += _text(_of(message, "content"))
        self.refusal += _text(_of(message, "refusal"))
        # Servers in between the two names send both: one of them is the reasoning, not the two together.
        self.reasoning += next((text for name in REASONING_FIELDS if (text := _text(_of(message, name)))), "")
        self.finish_reason = str(finish_reason) if finish_reason else self.finish_reason

    def ending(self, limit: int | None, broken: str) -> tuple[str, str]:
        """The finish reason, and why this is no whole answer, in words, "" where it is one.

        `limit` is the max_tokens asked for; `broken` says what ended the reply before the server said that it ended.
        """
        if self.refusal:
            return "refusal", f"the model refused: {foreign.one_line(self.refusal, 500)}"
        if self.finish_reason == "content_filter":
            return "content_filter", "the server's content filter withheld the answer or its rest"
        if self.finish_reason == "length":
            spent = "" if self.text.strip() else ", all of it spent on reasoning"
            at = f"its limit of {limit} tokens" if limit else "the end of the model's context"
            return "length", f"the reply was cut off at {at}{spent}: allow more with --max-tokens"
        if not self.finish_reason:
            return "cut", f"the reply was cut off: {broken}"
        if self.reasoning and not self.text.strip():
            return self.finish_reason, "the model wrote only reasoning, no answer"
        return self.finish_reason, ""


@dataclass
class Reply:
    """All choices of one call, by index, and the server's count where there was one."""

    choices: dict[int, Choice] = field(default_factory=dict)
    count: Count | None = None

    @property
    def begun(self) -> bool:
        """Whether there is anything to keep."""
        return any(choice.begun for choice in self.choices.values())

    async def read(self, answer: Any) -> None:
        """All of an answer, into this reply: what came before an error stays here. Errors are the openai library's.

        A server asked to stream may answer whole instead; then the content type says so.
        """
        if not hasattr(answer, "response"):
            self.add(answer)
        elif any(kind in answer.response.headers.get("content-type", "") for kind in ("json", "html")):
            self.add(await _whole(answer.response))
        else:
            async for chunk in answer:
                self.add(chunk)

    def add(self, chunk: Any) -> None:
        """A whole completion or one chunk of it, as object or as parsed JSON."""
        choices = _of(chunk, "choices")
        for place, part in enumerate(choices if isinstance(choices, list) else ()):
            index = _of(part, "index")
            choice = self.choices.setdefault(index if isinstance(index, int) else place, Choice())
            choice.add(_of(part, "delta") or _of(part, "message"), _of(part, "finish_reason"))
        usage = _of(chunk, "usage")
        prompt, completion = (_counted(_of(usage, f"{kind}_tokens")) for kind in ("prompt", "completion"))
        if prompt + completion:  # some servers send zeros along with every chunk
            details = _of(usage, "prompt_tokens_details")
            self.count = Count(prompt, completion, _counted(_of(details, "cached_tokens")))


async def _whole(response: Any) -> Any:
    """A whole answer as parsed JSON; None of a page. In a stream the library itself says that the connection was lost,
    or that the server reports an error in place of an answer; here nobody else does."""
    import openai

    try:
        await response.aread()
    except Exception as error:  # of the HTTP library: cut off on the way, or not to be unpacked
        raise openai.APIConnectionError(request=response.request) from error
    try:
        body = response.json()
    except ValueError:
        return None
    if (said := _of(body, "error")) and not _of(body, "choices"):
        raise openai.APIError(str(_of(said, "message") or said), request=response.request, body=said)
    return body


def _counted(tokens: Any) -> int:
    """A count of tokens; 0 where it is none. Some servers send it as text."""
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        return count if 0 < (count := int(tokens)) < MOST_COUNT else 0
    return 0


def _of(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)


def _text(content: Any) -> str:
    """Plain text, or the text parts of a list (docs.mistral.ai/capabilities/reasoning: thinking and text in one)."""
    if isinstance(content, list):
        return "".join(_text(_of(part, "text")) for part in content)
    return content if isinstance(content, str) else ""
