"""Sweeps: the numbers by hand and by property, two side by side, one budget over processes, and a real one that
survives kill -9 of the client and the death of the model's server."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from chat_server import MODEL, chat_server
from hypothesis import given
from hypothesis import strategies as st
from records import ENVIRONMENT, make_candidate, make_task, make_win

from cuda_l1 import comparison, journal, report, scoreboard, scores, search, sweep
from cuda_l1.archive import Archive
from cuda_l1.cli import main
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import AwayError, ModelError, TaskError, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.meter import Meter, Metered
from cuda_l1.offline import Scripted
from cuda_l1.replies import Completion
from cuda_l1.search.caller import Caller
from cuda_l1.search.checker import Checker
from cuda_l1.tasks import load_set
from cuda_l1.types import Exemplar, Usage, Verdict, jsonable, to_json

# The numbers.


def best(value: float | None, eager: float | None = None, *, win: bool = True, labels: Any = ("algebra",)) -> Any:
    """A task's best candidate as a row has it, within 1%."""
    if value is None:
        return None
    task = make_task()
    candidate = make_candidate(task)
    evaluation = make_win(candidate, value, eager=eager, labels=labels)
    if not win:
        evaluation = evaluation.model_copy(update={"verdict": Verdict.SAME})
    return report.entry(candidate, evaluation)


def row(number: int, value: float | None = None, eager: float | None = None, **fields: Any) -> scores.Row:
    """A task that is won by `value`; without one, without a correct candidate."""
    outcome = fields.pop("outcome", "win" if value else "no win")
    known: dict[str, Any] = {
        "number": number, "task_id": f"t/{number}", "name": f"T{number}", "level": 1, "source_digest": "s",
        "run_id": f"r{number}", "state": "done", "outcome": outcome, "correct": value is not None,
        "best": best(value, eager, win=outcome == "win", labels=fields.pop("labels", ("algebra",))),
        "environment": jsonable(ENVIRONMENT),
    }  # fmt: skip
    return scores.Row(**known | fields)


def plan(name: str = "a", **settings: Any) -> scores.Plan:
    return scores.Plan(
        sweep_id=name, spec="x", started="2026-01-01T00:00:00+00:00", budget="", device_name="cpu", judge_version="1",
        config=OptimizeConfig(device="cpu", **settings), entries=(),
    )  # fmt: skip


def summary(rows: list[scores.Row], name: str = "a", **settings: Any) -> dict[str, Any]:
    calls = {"not_kept": 0, "unanswered": 0, "failed": 0}
    return scores.summary(plan(name, **settings), rows, 60.0, calls)


ROWS = [
    row(1, 2.0, 4.0, prompt_tokens=10, completion_tokens=5, asked=2, parsed=1, cost_usd=0.5),
    row(2, 8.0, 16.0, level=2, labels=("kernel", "library")),
    row(3, 0.5, 0.8, outcome="no win", labels=()),
    row(4),
    row(5, outcome="no candidate", level=None),
    row(6, outcome="degenerate", prompt_tokens=7, cost_usd=0.25),
    row(7, outcome="infra failed", state="failed", why="the device is gone"),
    row(8, outcome="none", state="broken", why="no class Model"),
    row(9, outcome="none", state="left"),
    row(10, outcome="none", state="model", why="away"),
]
"""Five counted tasks: 2x and 8x won, 0.5x correct and slower, two failures; the rest counts nowhere."""


def test_conventions_are_what_they_say() -> None:
    every = scores.numbers(ROWS)
    assert [every[name] for name in ("tasks", "counted", "correct", "wins")] == [10, 5, 3, 2]
    means = {(name, side): every["speedup"][name][side]["geomean"]["value"] for name in scores.CONVENTIONS
             for side in scores.SIDES}  # fmt: skip
    assert means == pytest.approx({
        ("kept", "best"): 16 ** (1 / 5), ("kept", "eager"): 64 ** (1 / 5),
        ("correct", "best"): 2.0, ("correct", "eager"): (4 * 16 * 0.8) ** (1 / 3),
        ("wins", "best"): 4.0, ("wins", "eager"): 8.0,
    })  # fmt: skip
    medians = [every["speedup"][name]["best"]["median"]["value"] for name in scores.CONVENTIONS]
    assert medians == pytest.approx([1.0, 2.0, 5.0])
    assert [every["speedup"][name]["best"]["n"] for name in scores.CONVENTIONS] == [5, 3, 2]
    assert every["tokens"] == {"prompt": 17, "completion": 5}
    assert every["attempts"] == {"asked": 2, "parsed": 1}
    assert every["cost_usd"] == 0.75
    assert scores.numbers([*ROWS, row(11, cost_usd=None)])["cost_usd"] is None


def test_fast_p_is_over_all_counted_tasks() -> None:
    lucky = row(6, 1.005, 1.5, outcome="no win")  # faster than 1 as measured, and not with certainty
    curve = scores.fast_p([*ROWS[:5], lucky], "best")
    assert curve["1"] == {"tasks": 3, "share": 0.5, "certain": 2}
    assert [curve[p]["tasks"] for p in ("1.01", "1.2", "1.5", "2", "5")] == [2, 2, 2, 1, 1]
    assert curve["1.5"]["certain"] == 2
    assert scores.fast_p([*ROWS[:5], lucky], "eager")["1.2"] == {"tasks": 3, "share": 0.5, "certain": 2}
    assert scores.fast_p([], "best")["1"] == {"tasks": 0, "share": 0.0, "certain": 0}


def test_groups_and_what_counts_nowhere() -> None:
    total = summary(ROWS)
    assert {level: its["counted"] for level, its in total["by_level"].items()} == {"1": 3, "2": 1, "no level": 1}
    assert {label: its["wins"] for label, its in total["by_label"].items()} == {
        "algebra": 1, "kernel": 1, "library": 1, "no label": 0,
    }  # fmt: skip
    assert total["degenerate"] == ["t/6"]
    assert total["infra_failed"] == {"t/7": "the device is gone"}
    assert total["broken"] == {"t/8": "no class Model"}
    assert total["left"] == ["t/9"]
    assert total["early"] == {"t/10": "away"}
    assert total["exit_code"] == 4
    assert summary(ROWS[:7])["exit_code"] == 3
    assert summary(ROWS[:6])["exit_code"] == 0
    assert summary([*ROWS[:6], ROWS[7]])["exit_code"] == 3, "a task that does not run has no word"
    page = scoreboard.markdown(total)
    for text in (
        "2 of 5 tasks faster with certainty, 3 with a correct candidate",
        "kept: all tasks, 1.0x without a win | 5 |", "Degenerate, counted nowhere: t/6.",
        "INFRA_FAILED, our own failure, counted nowhere: t/7 (the device is gone).", "Not begun: t/9.",
        "| fast_1 | 2 (40%) [2] | 2 (40%) [2] |", "17 + 5 tokens", "0.75 USD",
    ):  # fmt: skip
        assert text in page
    assert "Besides" not in page
    json.dumps(total, allow_nan=False)
    assert "No task of 0 has a word yet" in scoreboard.markdown(summary([]))


factors = st.lists(st.floats(0.01, 100.0), min_size=2, max_size=12)


@given(factors)
def test_the_mean_of_inverses_is_the_inverse_of_the_mean(values: list[float]) -> None:
    one = scores.spread(values)
    other = scores.spread([1 / value for value in values])
    assert one is not None
    assert other is not None
    a, b = one["geomean"], other["geomean"]
    assert a["value"] == pytest.approx(1 / b["value"])
    assert (a["lo"], a["hi"]) == pytest.approx((1 / b["hi"], 1 / b["lo"]))
    for name in ("geomean", "median"):
        assert min(values) * 0.999 <= one[name]["lo"] <= one[name]["hi"] <= max(values) * 1.001


@given(st.lists(st.one_of(st.none(), st.floats(1.02, 50.0)), max_size=12))
def test_a_failure_never_helps(values: list[float | None]) -> None:
    rows = [row(number, value) for number, value in enumerate(values, 1)]
    more = scores.numbers([*rows, row(99)])
    before = scores.numbers(rows)
    shares = [more["fast_p_best"][p]["share"] for p in more["fast_p_best"]]
    assert shares == sorted(shares, reverse=True)
    assert all(more["fast_p_best"][p]["share"] <= before["fast_p_best"][p]["share"] for p in before["fast_p_best"])
    if values:
        after, earlier = (its["speedup"]["kept"]["best"]["geomean"]["value"] for its in (more, before))
        assert after <= earlier * (1 + 1e-12)
        assert more["speedup"]["wins"] == before["speedup"]["wins"]


def test_an_interval_covers_the_mean_about_as_often_as_it_says() -> None:
    import numpy as np

    draw = np.random.default_rng(1)
    inside = 0
    for _ in range(200):
        found = scores.spread(list(np.exp(draw.normal(0.5, 0.4, 30))))
        assert found is not None
        inside += found["geomean"]["lo"] <= math.exp(0.5) <= found["geomean"]["hi"]
    assert 176 <= inside <= 199  # 95% of 200 is 190


# Two side by side.


def test_a_comparison_is_paired_by_task() -> None:
    a = summary([row(1, 2.0), row(2, 3.0), row(3), row(4, 2.0), row(6, outcome="degenerate")], "a", model="m1")
    b = summary([row(1, 4.0), row(2, 3.0), row(3, 1.5), row(5, 9.0), row(6, outcome="degenerate")], "b", model="m2")
    total = comparison.compare(a, b)
    paired = total["paired"]["best"]
    assert paired["kept"]["value"] == pytest.approx(3 ** (1 / 3)), "2x, 1x and from nothing to 1.5x"
    assert paired["correct"]["value"] == pytest.approx(2 ** (1 / 2)), "on the two that both have right"
    assert [paired[name] for name in ("better", "worse", "undecided")] == [2, 0, 1]
    assert paired["sign_test_p"] == 0.5
    assert total["counts"] == {"common": 4, "counted": 3, "both_win": 2, "only_a_wins": 0, "only_b_wins": 1}
    assert total["differs"] == {"model": ["m1", "m2"]}
    assert total["warnings"] == [
        "only in a: t/4", "only in b: t/5", "counted nowhere, degenerate or without a word on a side: t/6",
    ]  # fmt: skip
    page = comparison.markdown(total)
    assert "| T3 (t/3) | no win | – | win | 1.50x" in page
    back = comparison.compare(b, a)["paired"]["best"]["kept"]
    assert back["value"] * paired["kept"]["value"] == pytest.approx(1.0)
    assert (back["lo"], back["hi"]) == pytest.approx((1 / paired["kept"]["hi"], 1 / paired["kept"]["lo"]))


def test_what_does_not_compare_is_refused_or_said() -> None:
    a = summary([row(1, 2.0), row(2, 2.0)], "a")
    for field, value, words in (("device", "H200", "device cpu against H200"), ("judge_version", "9", "judge version")):
        elsewhere = jsonable(ENVIRONMENT) | {field: value}
        with pytest.raises(UsageError, match=words):
            comparison.compare(a, summary([row(1, 2.0, environment=elsewhere)], "b"))
    with pytest.raises(UsageError, match="no task in common"):
        comparison.compare(a, summary([row(1, 2.0, source_digest="other")], "b"))
    with pytest.raises(UsageError, match="b has no judged candidate"):
        comparison.compare(a, summary([row(1, environment=None)], "b"))
    newer = jsonable(ENVIRONMENT) | {"torch": "3.0"}
    b = summary([row(1, 2.0, source_digest="other"), row(2, 2.0, environment=newer, state="budget")], "b",
                effort="quick")  # fmt: skip
    assert comparison.compare(a, b)["warnings"] == [
        "judged with another effort: normal against quick", "another torch: 2.13.0 against 3.0",
        "left out, their source, precision or mode differs: t/1", "ended early on a side: t/2",
    ]  # fmt: skip


def test_what_the_judge_could_not_tell_is_named() -> None:
    unsure = row(1, 2.0, outcome="no win")
    assert unsure.best is not None
    unsure = unsure.model_copy(update={"best": unsure.best | {"verdict": "AMBIGUOUS"}})
    total = summary([unsure, row(2, 3.0)], "a")
    assert total["undecided"] == ["t/1"]
    assert "a second word that differs): no win: t/1." in scoreboard.markdown(total)
    sure = summary([row(1, 2.0), row(2, 3.0)], "b")
    warnings = comparison.compare(total, sure)["warnings"]
    assert warnings == ["AMBIGUOUS on a side, which counts as no win there: t/1"]
    assert comparison.compare(sure, sure)["warnings"] == []


@pytest.mark.parametrize(("better", "worse", "p"), [(0, 0, 1.0), (5, 0, 0.0625), (3, 1, 0.625), (2, 2, 1.0)])
def test_sign_test(better: int, worse: int, p: float) -> None:
    assert comparison.sign_test(better, worse) == comparison.sign_test(worse, better) == p


def test_two_runs_of_one_task_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = make_task()
    with Archive(tmp_path / "a.sqlite") as archive:
        archive.add_task(task)
        for run, value in (("one", 2.0), ("two", 3.0)):
            archive.start_run(run, task.id, json.dumps(jsonable(OptimizeConfig(device="cpu"))))
            candidate = make_candidate(task, code=run)
            archive.add_candidate(candidate, task)
            archive.add_evaluation(make_win(candidate, value), config_digest="c", run_id=run)
    with pytest.raises(SystemExit) as end:
        main(["report", "one", "two", "--archive", str(tmp_path / "a.sqlite"), "--json"])
    assert end.value.code == 0
    paired = json.loads(capsys.readouterr().out)["paired"]["best"]
    assert paired["kept"] == {"n": 1, "value": pytest.approx(1.5), "lo": None, "hi": None}
    assert paired["better"] == 1


# One budget over many processes.


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
                if answer := caller.take(wait=True):
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


def test_a_list_of_targets_is_a_task_set(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(WASTEFUL)
    (tmp_path / "list.txt").write_text("# mine\n\na.py  # the first\na.py:Model\n")
    assert [task.name for task in load_set(str(tmp_path / "list.txt"))] == ["a", "Model"]
    for text, words in (("", "names no task"), ("list.txt\n", "another list")):
        (tmp_path / "list.txt").write_text(text)
        with pytest.raises(TaskError, match=words):
            load_set(str(tmp_path / "list.txt"))


# A real one.

WASTEFUL = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    """Some work that nobody looks at, then an activation."""

    def forward(self, x):
        unused = x
        for _ in range(20):
            unused = torch.special.i0e(unused)
        return torch.tanh(x) + 1


def get_inputs():
    return [torch.randn(100, 200)]


def get_init_inputs():
    return []
'''
FASTER = WASTEFUL.replace("class Model(", "class ModelNew(").replace("range(20)", "range(9)")
WRONG = FASTER.replace("+ 1", "+ 2")
CROWDED = """
import os

if not ({gone}):
    raise torch.OutOfMemoryError(
        "Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.80 GiB. "
        "Including all, this process has 3.00 GiB memory in use."
    )
"""
"""At the end of a code: raised when it is built, unless `gone`."""
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


class Server(ThreadingHTTPServer):
    """Answers call number n with `texts[n]`, one sample a call; holds the calls in `hangs` until it is closed."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int, texts: list[str], hangs: tuple[int, ...] = ()) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.texts, self.hangs, self.calls, self.answered = texts, hangs, 0, 0
        self.closing = threading.Event()


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.answer({"object": "list", "data": [{"id": "toy", "object": "model"}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        number = self.server.calls
        self.server.calls += 1
        if number in self.server.hangs:
            self.server.closing.wait(120)
            return
        text = self.server.texts[number]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        body = {"id": "x", "object": "chat.completion", "created": 0, "model": "toy", "choices": [choice]}
        self.answer(body | {"usage": USAGE})
        self.server.answered += 1

    def answer(self, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@contextmanager
def serving(port: int, texts: list[str], hangs: tuple[int, ...] = ()) -> Iterator[Server]:
    server = Server(port, texts, hangs)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("CUDA_L1_", "OPENAI_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "cuda_l1.cli", "eval", *arguments],
        cwd=folder, env=clean, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 900
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)


def fenced(code: str) -> str:
    return f"## Code Implementation\n```python\n{code}\n```\n"


@pytest.mark.slow
def test_a_sweep_outlives_its_client_and_its_server(tmp_path: Path) -> None:
    """Killed with a question in flight; resumed without a server, which marks the task; resumed before the server is
    back, which goes on, with another server in its place after the first reply. Nothing is judged twice, no finished
    task is begun again, every token is in the table."""
    (tmp_path / "first.py").write_text(WASTEFUL)
    (tmp_path / "second.py").write_text(WASTEFUL.replace("tanh", "sigmoid"))
    with serving(0, [fenced(WRONG), "no code"], hangs=(2,)) as server:
        port = server.server_port
        process = start(
            tmp_path, "--tasks", "first.py,second.py", "--model", "toy", "--base-url", f"http://127.0.0.1:{port}/v1",
            "--samples", "1", "--rounds", "2", "--repairs", "0", "--in-flight", "1",
            "--transforms", "none", "--effort", "quick", "--baselines", "none",
            "--device", "cpu", "--workers", "1",
        )  # fmt: skip
        until(lambda: server.calls == 3, process)
        process.kill()
        process.communicate(timeout=60)
        assert server.answered == 2
    folder = next(tmp_path.glob("runs/*-sweep-*"))
    assert [line["task_id"] for line in journal.lines(folder / scores.ROWS)] == [
        scores.read(folder)["rows"][0]["task_id"]
    ]

    alone = start(tmp_path, "--resume", str(folder), "--patience-server", "0s", "--json")
    out, said = alone.communicate(timeout=900)
    total = json.loads(out)
    assert alone.returncode == total["exit_code"] == 4, said
    assert [each["state"] for each in total["rows"]] == ["done", "model"]
    assert "cannot be reached" in total["early"][total["rows"][1]["task_id"]]
    assert "go on with: cuda-l1 eval --resume" in said

    process = start(tmp_path, "--resume", "runs/latest", "--patience-server", "2m", "--json")
    until(lambda: len([e for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun"]) >= 4, process)
    faster = fenced(FASTER.replace("tanh", "sigmoid"))
    with serving(port, [faster]) as server:
        until(lambda: server.answered == 1, process)
    with serving(port, ["none again"]) as server:
        out, said = process.communicate(timeout=900)
        assert server.answered == 1
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 0, said
    assert "1 done before, 1 to do" in said
    rows = total["rows"]
    assert [(each["state"], each["correct"]) for each in rows] == [("done", False), ("done", True)]
    with Archive(folder / "archive.sqlite") as archive:
        attempts = [made for each in rows for made in archive.attempts(each["run_id"])]
        judged = [Counter(e.candidate_id for e in archive.evaluations(each["run_id"])) for each in rows]
    assert [sorted(each.values()) for each in judged] in ([[1], [1]], [[1], [2]]), "a win is confirmed once"
    tokens = {
        name: sum(getattr(made.usage, f"{name}_tokens") for made in attempts) for name in ("prompt", "completion")
    }
    assert total["all"]["tokens"] == tokens == {"prompt": 44, "completion": 28}
    assert total["all"]["attempts"] == {"asked": 4, "parsed": 2}
    assert total["calls"]["unanswered"] == 1
    assert total["calls"]["not_kept"] == 0
    begun = Counter(e["run_id"] for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun")
    assert begun[rows[0]["run_id"]] == 1
    assert json.loads((folder / "summary.json").read_text())["all"] == total["all"]
    assert "1 questions that a killed process left unanswered" in (folder / "table.md").read_text()


def test_what_we_failed_to_judge_is_tried_once_more_alone(tmp_path: Path) -> None:
    """One candidate says at its first start that other processes have the device's memory, the other always."""
    (tmp_path / "first.py").write_text(WASTEFUL)
    (tmp_path / "second.py").write_text(WASTEFUL.replace("tanh", "sigmoid"))
    mark = str(tmp_path / "mark")
    once, always = (fenced(FASTER.replace("tanh", name) + CROWDED.format(gone=gone)) for name, gone in (
        ("tanh", f"os.path.exists({mark!r}) or open({mark!r}, 'w').close()"), ("sigmoid", "False")))  # fmt: skip
    ids = [load_set(str(tmp_path / name))[0].id for name in ("first.py", "second.py")]
    with open(tmp_path / "replies.jsonl", "w") as file:
        file.writelines(
            json.dumps({"task_id": id, "reply": text}) + "\n" for id, text in zip(ids, (once, always), strict=True)
        )
    process = start(
        tmp_path, "--tasks", "first.py,second.py", "--model", "replies:replies.jsonl", "--samples", "1",
        "--rounds", "1", "--repairs", "0", "--transforms", "none", "--effort", "glance", "--baselines", "none",
        "--device", "cpu", "--sandbox", "none", "--json",
    )  # fmt: skip
    out, said = process.communicate(timeout=600)
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 3, said
    first, second = total["rows"]
    assert (first["state"], first["correct"]) == ("done", True)
    assert (second["state"], second["outcome"]) == ("done", "infra failed")
    assert list(total["infra_failed"]) == [ids[1]]
    assert "others had the device's memory" in total["infra_failed"][ids[1]]
    folder = Path(total["folder"])
    begun = Counter(e["task_id"] for e in journal.lines(folder / scores.EVENTS) if e["event"] == "begun")
    assert begun == {ids[0]: 2, ids[1]: 2}
    assert [row["outcome"] for row in journal.lines(folder / scores.ROWS)][:2] == ["infra failed"] * 2


def test_tasks_that_do_not_run_have_no_word(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL.replace("torch.randn(100, 200)", "torch.randn(width)"))
    process = start(tmp_path, "--tasks", "first.py", "--device", "cpu", "--json")
    out, said = process.communicate(timeout=300)
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 3, said
    assert [each["state"] for each in total["rows"]] == ["broken"]
    assert "width" in total["broken"][total["rows"][0]["task_id"]]
    assert "go on with" not in said, "resuming would change nothing"


def test_a_sweep_that_has_no_time_left_begins_nothing(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL)
    process = start(tmp_path, "--tasks", "first.py", "--device", "cpu", "--budget", "0s", "--json")
    out, said = process.communicate(timeout=120)
    total = json.loads(out)
    assert process.returncode == total["exit_code"] == 4, said
    assert total["left"] == [total["rows"][0]["task_id"]]
    busy = Path(total["folder"])
    with journal.held(busy / scores.ROWS):
        process = start(tmp_path, "--resume", str(busy))
        assert "in use by another eval" in process.communicate(timeout=120)[1]
    assert process.returncode == 2


def test_the_sweep_stops_a_task_between_two_candidates(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(WASTEFUL)
    config = OptimizeConfig(device="cpu", effort="quick", baselines="none", transforms="dead_operations",
                            out=str(tmp_path))  # fmt: skip
    judging = JudgeConfig(effort="quick", baselines=())
    planned = sweep.planned(load_set(str(tmp_path / "first.py")), "first.py", config, judging, "")
    folder = Path(planned.config.out).parent
    job = sweep.Job(planned.entries[0], planned.config, judging, folder, Budget(), time.time() - 1, 0.0)
    folder.mkdir()
    assert sweep.carry(job) == sweep.Ended("budget", "the sweep's budget of time is reached")
    with Archive(folder / "archive.sqlite") as archive:
        assert archive.evaluations(planned.entries[0].run_id) == []
    sweep.carry(job)
    told = journal.lines(Path(planned.config.out) / planned.entries[0].run_id / "events.jsonl")
    assert [line["event"] for line in told if line["event"] in journal.STARTS] == ["launch", "resume"]


def resumed(folder: Path, *arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["eval", "--resume", str(folder), *arguments])
    assert isinstance(end.value.code, int)
    return end.value.code


def test_a_budget_that_does_not_read_spoils_no_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = to_json(plan())
    (tmp_path / scores.PLAN).write_text(text)
    assert resumed(tmp_path, "--budget", "5dollars") == 2
    assert "--budget: budget '5dollars': expected a number and one of" in capsys.readouterr().err
    assert (tmp_path / scores.PLAN).read_text() == text


def test_a_model_that_no_waiting_brings_back_ends_a_sweep_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of two tasks the first says so, the second is not begun."""
    config = OptimizeConfig(device="cpu", out=str(tmp_path), model=f"replies:{tmp_path}/missing.jsonl")
    tasks = [make_task(), make_task("local/other")]
    planned = sweep.planned(tasks, "x", config, JudgeConfig(), "")
    folder = Path(planned.config.out).parent
    folder.mkdir()
    (folder / scores.PLAN).write_text(to_json(planned))
    assert resumed(folder, "--workers", "1", "--json") == 4
    total = json.loads(capsys.readouterr().out)
    assert [each["state"] for each in total["rows"]] == ["model", "left"]
    assert "no file of replies" in total["early"][tasks[0].id]


@pytest.mark.parametrize("own", [True, False])
def test_a_sweep_that_was_moved_takes_its_own_archive_along(tmp_path: Path, own: bool) -> None:
    """With its time up, so that nothing is begun."""
    config = OptimizeConfig(device="cpu", out=str(tmp_path), archive=None if own else str(tmp_path / "shared.sqlite"))
    planned = sweep.planned([make_task()], "x", config, JudgeConfig(), "0s")
    old, moved = Path(planned.config.out).parent, tmp_path / "elsewhere" / "moved"
    old.mkdir()
    (old / scores.PLAN).write_text(to_json(planned))
    with Archive(str(planned.config.archive)) as archive:
        archive.add_task(make_task())
    moved.parent.mkdir()
    old.rename(moved)
    assert resumed(moved) == 4
    assert not old.exists()
    place = moved / "archive.sqlite" if own else tmp_path / "shared.sqlite"
    assert scores.read_plan(moved).config.archive == str(place)
    with Archive(place) as archive:
        assert archive.task(make_task().id) == make_task()


def test_a_task_of_a_sweep_that_was_moved_is_found_in_its_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = sweep.planned([make_task()], "x", OptimizeConfig(device="cpu", out=str(tmp_path)), JudgeConfig(), "")
    run_id = planned.entries[0].run_id
    old, moved = Path(planned.config.out).parent, tmp_path / "elsewhere" / "moved"
    with Archive(str(planned.config.archive)) as archive:
        search.Run(make_task(), planned.config, JudgeConfig(), archive, run_id=run_id).open()
    moved.parent.mkdir()
    old.rename(moved)
    with pytest.raises(SystemExit) as end:
        main(["report", str(moved / "tasks" / run_id), "--json"])
    assert end.value.code == 0
    assert json.loads(capsys.readouterr().out)["run_id"] == run_id
    assert not old.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give --tasks"),
        (["--tasks", "nothing.py"], "no file nothing.py"),
        (["--tasks", "first.py", "--budget", "lots"], "--budget: budget 'lots'"),
        (["--tasks", "first.py", "--patience-server", "soon"], "--patience-server soon"),
        (["--resume", "."], "is no folder of a sweep"),
        (["--resume", ".", "--rounds", "3", "--tasks", "x"], "leave out --tasks, --rounds"),
    ],
)
def test_mistakes_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str],
    message: str,
) -> None:  # fmt: skip
    (tmp_path / "first.py").write_text(WASTEFUL)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["eval", "--device", "cpu", *arguments] if "--resume" not in arguments else ["eval", *arguments])
    assert end.value.code == 2
    assert message in capsys.readouterr().err
