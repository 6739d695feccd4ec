"""One budget over many processes: what is booked, paid and waited for, and the lines that say so."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from chat_server import MODEL, chat_server
from records import make_candidate, make_task, make_win
from scripted import Scripted

from cuda_l1 import journal, scores, sweep
from cuda_l1.archive import Archive
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import AwayError, ModelError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.meter import Meter, Metered
from cuda_l1.replies import Completion
from cuda_l1.search.caller import Caller
from cuda_l1.search.checker import Checker
from cuda_l1.types import Exemplar, Usage


def completion(tokens: int, cost: float | None = None) -> Completion:
    return Completion("", Usage(prompt_tokens=tokens, completion_tokens=1, cost=cost), "stop")


def test_attempts_are_booked_before_they_are_asked(tmp_path: Path) -> None:
    one, other = (Meter(tmp_path / "calls.jsonl", Budget.parse("5attempts")) for _ in range(2))
    first, allowed = one.ask(3, "r1")
    assert allowed == 3
    second, allowed = other.ask(4, "r2")
    assert allowed == 2, "three of five are in flight"
    with pytest.raises(ModelError, match="budget of attempts"):
        one.ask(1, "r1")
    other.failed(second, "503")
    one.answered(first, [completion(10)] * 3)
    assert other.ask(4, "r2")[1] == 2, "what failed is free again"
    tally = one.tally()
    assert (tally.attempts, tally.tokens, tally.failed, tally.in_flight) == (3, 33, 1, 2)
    one.begin()
    tally = one.tally()
    assert (tally.unanswered, tally.in_flight) == (1, 0), "a killed process leaves its question open"


def test_the_calls_of_some_runs_are_counted_alone(tmp_path: Path) -> None:
    meter = Meter(tmp_path / "calls.jsonl", Budget())
    for run_id, tokens in (("done", 10), ("at work", 500), ("done", 30)):
        call, _ = meter.ask(1, run_id)
        meter.answered(call, [completion(tokens)])
    meter.failed(meter.ask(1, "at work")[0], "503")
    meter.ask(1, "at work")
    tally = meter.tally({"done"})
    assert (tally.attempts, tally.prompt_tokens, tally.failed, tally.in_flight) == (2, 40, 0, 0)


def test_every_limit_of_a_sweep_is_named(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    meter = Meter(path, Budget())
    call, _ = meter.ask(2, "r")
    meter.answered(call, [completion(499, 0.5)] * 2)
    meter.ask(1, "r")  # in flight: counts as an average one
    for budget, words in (("1ktok", "tokens"), ("1.2usd", "cost"), ("3attempts", "attempts")):
        assert Meter(path, Budget.parse(budget)).spent() == f"the sweep's budget of {words} is reached"
    for budget in ("1501tok", "1.6usd", "4attempts"):
        assert Meter(path, Budget.parse(budget)).spent() == ""
    assert Meter(path, Budget(), time.time() - 1).spent() == "the sweep's budget of time is reached"
    assert Meter(path, Budget(), time.time() + 600).spent() == ""
    call, _ = meter.ask(1, "r")
    meter.answered(call, [completion(1)])
    assert "price is unknown" in Meter(path, Budget.parse("99usd")).spent()


@pytest.mark.parametrize(("budget", "asked"), [("5usd", 1), ("5mtok", 2)])
def test_a_checker_without_a_price_is_asked_once_of_a_task(tmp_path: Path, budget: str, asked: int) -> None:
    """Where the sweep's budget is in usd; that of the task is empty."""
    task, limits = make_task(), Budget.parse(budget)
    with chat_server(text="VERDICT: HONEST") as server, Archive(tmp_path / "archive.sqlite") as archive:
        config = OptimizeConfig(device="cpu", out=str(tmp_path), checker=MODEL, checker_base_url=server.url)
        planned = sweep.planned([task], "x", config, JudgeConfig(), budget)
        job = sweep.Job(planned.entries[0], planned.config, JudgeConfig(), tmp_path, limits, None, 0.0)
        run = sweep._Run(job, archive, Meter(tmp_path / scores.CALLS, limits))
        run.open()
        caller = Caller(lambda calls: None)
        checker = Checker(run, caller)
        with caller:
            for value in (9.0, 90.0):
                candidate = make_candidate(task, f"{value}", origin="llm")
                archive.add_candidate(candidate, task)
                checker.look_at(Exemplar(candidate=candidate, evaluation=make_win(candidate, value)), 1.0)
                if answer := caller.take(wait_s=60):
                    checker.received(answer)
    assert len(server.requests) == len(archive.opinions(run.run_id)) == asked


class Ill(Scripted):
    """A client that is answered with an error."""

    def __init__(self, error: ModelError) -> None:
        super().__init__([])
        self.error, self.closed = error, False

    async def complete(self, messages: Any, n: int) -> list[Completion]:
        raise self.error

    async def aclose(self) -> None:
        self.closed = True


def away_after(meter: Meter, *clients: Ill | ModelError) -> bool:
    """Whether the server counts as given up after one question to the first; each connection takes the next."""
    left = list(clients)

    def connect() -> Any:
        if isinstance(left[0], ModelError):
            raise left.pop(0)
        return left.pop(0)

    client = Metered(connect, meter, "r", 0.0)
    with pytest.raises(ModelError, match="HTTP"):
        asyncio.run(client.complete([], 1))
    assert left == []
    return client.away


def test_a_question_that_fails_is_told_from_a_server_that_is_gone(tmp_path: Path) -> None:
    meter = Meter(tmp_path / "calls.jsonl", Budget.parse("9attempts"))
    client = Metered(lambda: Scripted(["a", "b"]), meter, "r", 0.0)
    assert [each.text for each in asyncio.run(client.complete([], 2))] == ["a", "b"]
    assert not away_after(meter, Ill(ModelError("HTTP 400"))), "nobody is connected to once more to see that"
    overloaded, again = AwayError("HTTP 503"), Ill(ModelError(""))
    assert not away_after(meter, Ill(overloaded), again), "it is there and fails this question: others may fare better"
    assert again.closed
    assert away_after(meter, Ill(overloaded), AwayError("cannot be reached"))
    meter.paid(Usage(prompt_tokens=30, completion_tokens=3, cost=0.5))
    tally = meter.tally()
    assert (tally.failed, tally.attempts, tally.in_flight, tally.tokens, tally.cost) == (3, 2, 0, 33, 0.5)


def test_only_a_server_that_is_away_is_waited_for(tmp_path: Path) -> None:
    meter, tries = Meter(tmp_path / "calls.jsonl", Budget()), list[str]()

    def connect(error: ModelError) -> Any:
        tries.append(str(error))
        if len(tries) < 2:
            raise error
        return Scripted([])

    assert Metered(lambda: connect(AwayError("cannot be reached")), meter, "r", 600.0).name == "scripted"
    assert len(tries) == 2
    tries.clear()
    with pytest.raises(ModelError, match="no such model"):
        Metered(lambda: connect(ModelError("no such model")), meter, "r", 600.0)
    assert len(tries) == 1


def test_a_line_cut_short_is_neither_read_nor_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with journal.held(path) as file:
        journal.append(file, {"a": 1})
        file.write(b'{"a": 2')
    assert journal.lines(path) == [{"a": 1}]
    with journal.held(path) as file:
        journal.append(file, {"a": 3})
        with pytest.raises(UsageError, match="in use"), journal.held(path, "in use"):
            pass
    assert journal.lines(path) == [{"a": 1}, {"a": 3}]
    path.write_text("[1]\n")
    with pytest.raises(UsageError, match="expected an object"):
        journal.lines(path)


def test_time_counts_only_while_a_sitting_lasts(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert journal.elapsed_s(path) == 0.0
    with journal.held(path) as file:
        for minute, event in ((0, "launch"), (2, "begun"), (30, "resume"), (31, "row"), (50, "resume")):
            journal.append(file, {"event": event, "time": f"2026-01-01T00:{minute:02}:00+00:00"})
    assert journal.elapsed_s(path) == 180.0
