"""Clients without a server: weights on this machine, replies that lie in a file.

They keep the contract of `llm.Client`. Not covered: loading and running weights (models), writing the file (train).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cuda_l1 import journal, models, prices, replies
from cuda_l1.errors import ModelError
from cuda_l1.prices import Price
from cuda_l1.replies import Completion
from cuda_l1.types import Message, Usage, first_wrong


class Local:
    """Weights on this machine as a client. One call runs at a time; memory grows with n."""

    def __init__(self, name: str, settings: dict[str, Any], price: Price | None) -> None:
        self.name = name
        self.notes: list[str] = []
        self._weights = models.Weights(models.find(name.removeprefix("local:")))
        self._settings = settings
        self._price = price
        self._one_at_a_time = asyncio.Lock()

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """See Client. It runs in a thread, so the event loop lives; a cancelled call stops at its next token."""
        stop = threading.Event()
        async with self._one_at_a_time:
            try:
                samples = await asyncio.to_thread(self._weights.generate, [messages] * n, stop=stop, **self._settings)
            finally:
                stop.set()
        prompt = prices.shares(samples[0].prompt_tokens, n)  # one prompt for the whole batch, as a server counts it
        return [self._completion(sample, p) for sample, p in zip(samples, prompt, strict=True)]

    def _completion(self, sample: models.Sample, prompt_tokens: int) -> Completion:
        written = sample.completion_tokens
        usage = Usage(
            prompt_tokens=prompt_tokens,
            completion_tokens=written,
            cost=prices.cost(self._price, prompt_tokens, written),
        )
        ended = replies.Choice(text=sample.text, finish_reason=sample.finish_reason)
        return Completion(ended.answer, usage, *ended.ending(written, ""))

    async def aclose(self) -> None:
        """Nothing to close: the weights go with the object."""


class Written:
    """Replies that lie in a file: JSON lines with `task_id` and `reply`, and if known `prompt_tokens`,
    `completion_tokens` and `finish_reason`. Whatever is asked, the next ones for its task come."""

    def __init__(self, name: str, task_id: str) -> None:
        self.name = name
        self.notes: list[str] = []
        path = Path(name.removeprefix("replies:"))
        if not path.is_file():
            raise ModelError(f"no file of replies {path}: `cuda-l1 train sample` writes one")
        text = path.read_text(encoding="utf-8", errors="replace")
        if text and not text.endswith("\n"):
            raise ModelError(f"the last line of {path} does not end: it is still being written, or was cut off")
        rows = journal.lines(path)
        if (wrong := next((row for row in rows if not {"task_id", "reply"} <= row.keys()), None)) is not None:
            raise ModelError(f"{path}: expected task_id and reply in every line, found {sorted(wrong)}")
        try:
            self._left = [self._completion(row) for row in rows if row["task_id"] == task_id]
        except ValidationError as error:
            raise ModelError(f"{path}, task {task_id}: {first_wrong(error)}") from None

    @staticmethod
    def _completion(row: dict[str, Any]) -> Completion:
        usage = Usage(prompt_tokens=row.get("prompt_tokens", 0), completion_tokens=row.get("completion_tokens", 0))
        ended = replies.Choice(text=str(row["reply"]), finish_reason=row.get("finish_reason", "stop"))
        return Completion(ended.answer, usage, *ended.ending(usage.completion_tokens, ""))

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """The next n, or as many as are left. ModelError when none is."""
        if not self._left:
            raise ModelError(f"{self.name} holds no further reply for this task")
        taken, self._left = self._left[:n], self._left[n:]
        return taken

    async def aclose(self) -> None:
        """Nothing to close."""
