"""A model client whose replies are given beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cuda_l1.errors import ModelError
from cuda_l1.replies import Completion
from cuda_l1.types import Message, Usage


class Scripted:
    """It runs out loudly."""

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
