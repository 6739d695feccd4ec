"""One budget for many processes: every question to a model is written down before it is sent and after it is answered.

`Meter` is the ledger, a file of JSON lines that all processes of a sweep append to under a lock: `asked`, then
`answered` with tokens and price, or `failed`. What was asked and never answered is visible after kill -9.
`Metered` is a client that asks only what the ledger allows.
Not covered: what was said (the archive keeps attempts), the budget of one task (search).
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Container, Sequence
from pathlib import Path
from typing import NamedTuple

from cuda_l1 import journal
from cuda_l1.config import Budget
from cuda_l1.errors import AwayError, ModelError, UsageError
from cuda_l1.llm import Client
from cuda_l1.replies import Completion
from cuda_l1.types import Message, Usage

_LONGEST_PAUSE_S = 15.0


class Tally(NamedTuple):
    """What a ledger adds up to."""

    attempts: int = 0
    """Replies that came."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    opinion_tokens: int = 0
    """Of a checker, which is asked beside the meter and counted after."""
    cost: float = 0.0
    """USD; of what has a price."""
    unpriced: bool = False
    failed: int = 0
    """Questions that got an error."""
    unanswered: int = 0
    """Questions that a killed process had sent: what they cost, only the server knows."""
    in_flight: int = 0
    """Replies asked for that have not come yet."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens + self.opinion_tokens


class Meter:
    """The ledger of a sweep as one process sees it. `ends_at` is in seconds since 1970."""

    def __init__(self, path: Path, budget: Budget, ends_at: float | None = None) -> None:
        self._path, self._budget, self._ends_at = path, budget, ends_at
        self.reached = ""
        """Which limit stopped this process, in words; empty while none has."""

    def begin(self) -> None:
        """Start a sitting: what is still asked was asked by a process that is gone. Call while no other one asks."""
        with journal.held(self._path) as file:
            journal.append(file, {"sitting": True})

    def tally(self, runs: Container[str] | None = None) -> Tally:
        """The sums so far; of the calls of these `runs` alone, where some are named."""
        total, waiting, others = Tally(), dict[str, int](), set[str]()
        for number, line in enumerate(journal.lines(self._path), 1):
            try:
                if runs is not None and "asked" in line and line["run_id"] not in runs:
                    others.add(line["call"])
                if line.get("call") not in others:
                    total = _added(total, waiting, line)
            except (KeyError, TypeError):
                raise UsageError(
                    f"{self._path}, line {number}: expected a question or what came of it, found "
                    f"{', '.join(line) or 'nothing'}; move the file away to count anew"
                ) from None
        return total._replace(in_flight=sum(waiting.values()))

    @property
    def limited_in_usd(self) -> bool:
        """Whether what is asked must have a price."""
        return self._budget.usd is not None

    def spent(self) -> str:
        """Which limit of the sweep is reached, in words, or nothing. Replies in flight count as average ones."""
        total, limits = self.tally(), self._budget
        share = 1 + (total.in_flight / total.attempts if total.attempts else 0.0)
        if self.limited_in_usd and total.unpriced:
            self.reached = (
                "the model's price is unknown, so a budget in usd cannot be kept: give one in ktok or attempts"
            )
            return self.reached
        for name, used, limit in (
            ("cost", total.cost * share, limits.usd),
            ("tokens", total.tokens * share, limits.tokens),
            ("time", time.time(), self._ends_at),
            ("attempts", total.attempts + total.in_flight, limits.attempts),
        ):
            if limit is not None and used >= limit:
                self.reached = f"the sweep's budget of {name} is reached"
                return self.reached
        return ""

    def ask(self, n: int, run_id: str) -> tuple[str, int]:
        """Book up to `n` replies: the call's name and how many may be asked. ModelError once a limit is reached."""
        with journal.held(self._path) as file:
            if why := self.spent():
                raise ModelError(why)
            total, limit = self.tally(), self._budget.attempts
            allowed = n if limit is None else min(n, int(-(-limit // 1)) - total.attempts - total.in_flight)
            call = secrets.token_hex(6)
            journal.append(file, {"call": call, "asked": allowed, "run_id": run_id})
        return call, allowed

    def answered(self, call: str, done: Sequence[Completion]) -> None:
        """Close a call with what came."""
        costs = [each.usage.cost for each in done]
        self._write(
            {
                "call": call,
                "answered": len(done),
                "prompt_tokens": sum(each.usage.prompt_tokens for each in done),
                "completion_tokens": sum(each.usage.completion_tokens for each in done),
                "cost": None if None in costs else sum(cost for cost in costs if cost is not None),
            }
        )

    def failed(self, call: str, why: str) -> None:
        """Close a call that got no reply."""
        self._write({"call": call, "failed": why})

    def paid(self, usage: Usage) -> None:
        """Count an opinion."""
        self._write({"opinion": usage.prompt_tokens + usage.completion_tokens, "cost": usage.cost})

    def _write(self, line: journal.Line) -> None:
        with journal.held(self._path) as file:
            journal.append(file, line)


def _added(total: Tally, waiting: dict[str, int], line: journal.Line) -> Tally:
    """The sums with one line more; `waiting` holds what was asked and has no answer yet."""
    if "asked" in line:
        waiting[line["call"]] = line["asked"]
    elif "sitting" in line:
        total = total._replace(unanswered=total.unanswered + len(waiting))
        waiting.clear()
    elif "opinion" in line:
        total = total._replace(
            opinion_tokens=total.opinion_tokens + line["opinion"],
            cost=total.cost + (line["cost"] or 0.0),
        )
    elif "answered" in line:
        waiting.pop(line["call"], None)
        total = total._replace(
            attempts=total.attempts + line["answered"],
            prompt_tokens=total.prompt_tokens + line["prompt_tokens"],
            completion_tokens=total.completion_tokens + line["completion_tokens"],
            cost=total.cost + (line["cost"] or 0.0),
            unpriced=total.unpriced or line["cost"] is None,
        )
    else:
        waiting.pop(line["call"], None)
        total = total._replace(failed=total.failed + 1)
    return total


class Metered:
    """A client under a meter: it asks what the ledger allows, and writes down what came.

    `connect` makes the client below, which waits by itself for a server that goes away in between; for one that is
    not there at the start the meter waits, up to `patience_s`.
    """

    def __init__(self, connect: Callable[[], Client], meter: Meter, run_id: str, patience_s: float) -> None:
        self._connect, self._meter, self._run_id = connect, meter, run_id
        self._client = self._first(patience_s)
        self.away = False
        """Whether the server was given up: it was not there for as long as one was ready to wait."""
        self.name, self.notes = self._client.name, self._client.notes

    async def complete(self, messages: Sequence[Message], n: int) -> list[Completion]:
        """See llm.Client; fewer than n where the sweep's budget allows no more, ModelError where it is spent."""
        call, allowed = self._meter.ask(n, self._run_id)
        try:
            done = await self._client.complete(messages, allowed)
        except ModelError as error:
            self._meter.failed(call, str(error))
            self.away = isinstance(error, AwayError) and not await self._is_there()
            raise
        except BaseException as error:
            self._meter.failed(call, f"cut off by {type(error).__name__}")
            raise
        self._meter.answered(call, done)
        return done

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def _is_there(self) -> bool:
        """Whether the server still answers, so that only this question failed."""
        try:
            client = await asyncio.to_thread(self._connect)
        except ModelError:
            return False
        await client.aclose()
        return True

    def _first(self, patience_s: float) -> Client:
        ends, pause_s = time.monotonic() + patience_s, 1.0
        while True:
            try:
                return self._connect()
            except AwayError:
                if time.monotonic() + pause_s > ends or self._meter.spent():
                    raise
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)
