"""The numbers of a sweep, out of one row a task: success, fast_p, means and medians, cost, by level and by label.

A task stands for its best candidate, by the rule of report.best. Means are given under three conventions, each named
where it stands, since none of them is the truth alone:

    kept      every counted task; one without a win counts as 1.0x, as its owner keeps what he had
    correct   tasks with a correct candidate, each at what was measured, the slower ones too; the others are left out
    wins      tasks with a win alone

Intervals are percentile bootstraps over tasks: what another draw of such tasks would give. What one task's own figure
is uncertain by stands in its row. Degenerate tasks count nowhere; nor do tasks on which we failed (`infra failed`),
that do not run, or that were not begun; all are listed. `read` takes a sweep's folder, which needs nothing else.
Not covered: the page (scoreboard), two sweeps side by side (comparison), how a sweep is run (sweep).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from cuda_l1 import journal, report
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import UsageError
from cuda_l1.foreign import whole_json
from cuda_l1.meter import Meter
from cuda_l1.types import Record, Status, Task, Verdict, first_wrong

SCHEMA = 1
PLAN, ROWS, EVENTS, CALLS = "config.json", "rows.jsonl", "events.jsonl", "calls.jsonl"
"""In a sweep's folder: what was asked for, one line a task that ended, what happened, questions to the model."""
ARCHIVE = "archive.sqlite"
"""There too, unless another is named."""
FAST_P = (1.0, 1.01, 1.2, 1.5, 2.0, 5.0)
RESAMPLES = 5000
SIDES = ("eager", "best")
CONVENTIONS = {
    "kept": "all tasks, 1.0x without a win",
    "correct": "tasks with a correct candidate",
    "wins": "tasks with a win",
}
COUNTED = ("win", "no win", "no candidate")
_FIELD = {"eager": "speedup_eager", "best": "speedup"}

Json = dict[str, Any]
State = Literal["done", "budget", "model", "failed", "broken", "interrupted", "left"]
"""How a task ended: by itself; by the sweep's budget; without access to the model; by our own failure; not at all,
since it does not run; by Ctrl-C; not begun. Only `done` and `broken` are final."""
Outcome = Literal["win", "no win", "no candidate", "degenerate", "infra failed", "none"]
FINAL = ("done", "broken")


class Entry(Record):
    """A task as a sweep goes about it."""

    run_id: str
    task: Task


class Plan(Record):
    """`config.json`: what was asked for."""

    schema_version: int = SCHEMA
    sweep_id: str
    spec: str
    """The task set, in the user's words."""
    started: str
    budget: str
    """Of the whole sweep; that of each task is in `config`."""
    device_name: str
    judge_version: str
    config: OptimizeConfig
    entries: tuple[Entry, ...]


class Row(Record):
    """One task of a sweep and what became of it."""

    number: int
    """Its place in the task set, from 1."""
    task_id: str
    name: str
    level: int | None
    source_digest: str
    run_id: str
    state: State
    why: str = ""
    """Why the search ended, in words."""
    outcome: Outcome = "none"
    """`none`: there is no word on it."""
    correct: bool = False
    """Whether a candidate passed."""
    best: Json | None = None
    """The best candidate, as report.entry has it; None without a correct one."""
    statuses: dict[str, int] = Field(default_factory=dict)
    """Of its candidates."""
    asked: int = 0
    parsed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    checker_tokens: int = 0
    """Of opinions; among those above."""
    cost_usd: float | None = 0.0
    estimated: int = 0
    """Replies whose tokens, and with them their cost, are estimated."""
    judging_s: float = 0.0
    duration_s: float = 0.0
    environment: Json | None = None
    at: str = ""

    @property
    def undecided(self) -> bool:
        """Whether the judge could not tell of the best candidate: a crowded machine, a second word that differed."""
        return self.best is not None and self.best["verdict"] == Verdict.AMBIGUOUS

    @property
    def final(self) -> bool:
        """Whether nothing more is to be done; our own failure is no word on a task."""
        return self.state in FINAL and self.outcome != "infra failed"


def read_plan(folder: Path) -> Plan:
    """What a sweep's folder was asked for. UsageError where it is none."""
    try:
        text = (folder / PLAN).read_text(encoding="utf-8")
        return Plan.model_validate_json(whole_json(text))  # a path may be no UTF-8
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{folder} is no folder of a sweep: {PLAN} does not read ({why})") from None
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        if {("sweep_id",), ("run_id",)} <= {each["loc"] for each in wrong}:
            raise UsageError(
                f"{folder} is the folder of one run, not of a sweep: go on with cuda-l1 optimize --resume {folder}"
            ) from None
        where = ".".join(map(str, wrong[0]["loc"])) or "the file"
        raise UsageError(f"{folder / PLAN}: {where}: {wrong[0]['msg']}; was it written by a newer cuda-l1?") from None


def latest(folder: Path) -> dict[str, Row]:
    """The last row of each run that has one."""
    try:
        rows = [Row.model_validate(line) for line in journal.lines(folder / ROWS)]
    except ValidationError as error:
        raise UsageError(
            f"{folder / ROWS} does not read: {first_wrong(error)}; take that line out, and --resume writes it anew"
        ) from None
    return {each.run_id: each for each in rows}


def read(folder: Path) -> Json:
    """The summary of a sweep as its folder has it, finished or not."""
    plan, known = read_plan(folder), latest(folder)
    rows = [known.get(entry.run_id) or row(number, entry, "left", "") for number, entry in enumerate(plan.entries, 1)]
    meter = Meter(folder / CALLS, Budget())
    # Of a task that is not over, the archive may hold more than its row.
    over = {each.run_id: each for each in rows if each.final}
    tally, of_those = meter.tally(), meter.tally(over)
    kept = sum(each.prompt_tokens + each.completion_tokens - each.checker_tokens for each in over.values())
    calls = {
        "not_kept": of_those.prompt_tokens + of_those.completion_tokens - kept,
        "unanswered": tally.unanswered,
        "failed": tally.failed,
    }
    return summary(plan, rows, journal.elapsed_s(folder / EVENTS), calls)


def row(number: int, entry: Entry, state: State, why: str, total: Mapping[str, Any] | None = None) -> Row:
    """A row of a run's summary (`report.summary`); without one, the task has no run."""
    task = entry.task
    known: Json = {
        "number": number, "task_id": task.id, "name": task.name, "level": task.level, "run_id": entry.run_id,
        "source_digest": task.source_digest, "state": state, "why": why,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }  # fmt: skip
    if total is None:
        return Row(**known, outcome="infra failed" if state == "failed" else "none")
    statuses, outcome = total["counts"]["by_status"], _outcome(total, state)
    if state == "done" and outcome == "infra failed":  # why the search ended says nothing of it
        known["why"] = next(report.cells(e).why for e in total["candidates"] if e["status"] == Status.INFRA_FAILED)
    return Row(
        **known,
        outcome=outcome,
        correct=Status.PASSED in statuses and total["outcome"] != "degenerate",
        best=total["best"],
        statuses=statuses,
        asked=total["attempts"]["asked"],
        parsed=total["attempts"]["parsed"],
        prompt_tokens=total["tokens"]["prompt"],
        completion_tokens=total["tokens"]["completion"],
        checker_tokens=sum(total["spent"]["checker"][f"{name}_tokens"] for name in ("prompt", "completion")),
        cost_usd=total["cost_usd"],
        estimated=total["estimated"],
        judging_s=total["judging_s"],
        duration_s=total["duration_s"],
        environment=total["environment"],
    )


def _outcome(total: Mapping[str, Any], state: State) -> Outcome:
    """Of a task that we failed on, what was found by then is no word: nothing of it was confirmed."""
    not_judged = total["outcome"] == "not judged"
    if state == "failed" or (not_judged and total["counts"]["candidates"]):
        return "infra failed"
    if not not_judged:
        found: Outcome = total["outcome"]
        return found
    return "no candidate" if state == "done" or total["attempts"]["asked"] else "none"


def summary(plan: Plan, rows: Sequence[Row], duration_s: float, calls: Mapping[str, int]) -> Json:
    """Everything about a sweep as plain JSON types."""
    counted = [each for each in rows if each.outcome in COUNTED]
    environments = [each.environment for each in rows if each.environment]
    labels = sorted({label for each in counted for label in _labels(each)})
    levels = sorted({each.level for each in rows}, key=lambda level: (level is None, level))
    total: Json = report.finite({
        "schema": SCHEMA,
        **plan.model_dump(mode="json", include={"sweep_id", "spec", "started", "budget", "config"}),
        "conventions": CONVENTIONS,
        "counts": {
            "tasks": len(rows),
            "by_outcome": dict(Counter(each.outcome for each in rows)),
            "by_state": dict(Counter(each.state for each in rows)),
        },
        "all": numbers(rows),
        "by_level": {_level(level): numbers([each for each in rows if each.level == level]) for level in levels},
        "by_label": {label: numbers([each for each in counted if label in _labels(each)]) for label in labels},
        "degenerate": [each.task_id for each in rows if each.outcome == "degenerate"],
        "undecided": [each.task_id for each in counted if each.undecided],
        "infra_failed": {each.task_id: each.why for each in rows if each.outcome == "infra failed"},
        "broken": {each.task_id: each.why for each in rows if each.state == "broken"},
        "early": {each.task_id: each.why for each in rows if each.state in ("budget", "model", "interrupted")},
        "left": [each.task_id for each in rows if each.state == "left"],
        "calls": calls,
        "judging_s": sum(each.judging_s for each in rows),
        "duration_s": duration_s,
        "devices": sorted({each["device"] for each in environments}),
        "judge_versions": sorted({each["judge_version"] for each in environments}),
        "environment": environments[-1] if environments else None,
        "rows": [each.model_dump(mode="json") for each in rows],
        "exit_code": _exit_code(rows),
    })  # fmt: skip
    return total


def _exit_code(rows: Iterable[Row]) -> int:
    """4 while the model or the budget keeps tasks from their end; then 3 where a task has no word, since we failed or
    it does not run; else 0."""
    if any(each.state in ("budget", "model", "interrupted", "left") for each in rows):
        return 4
    return 3 if any(each.outcome in ("infra failed", "none") for each in rows) else 0


def numbers(rows: Sequence[Row]) -> Json:
    """The figures of a group of tasks; means and shares are over those counted, tokens and cost over all."""
    counted = [each for each in rows if each.outcome in COUNTED]
    costs = [each.cost_usd for each in rows]
    return {
        "tasks": len(rows),
        "counted": len(counted),
        "correct": sum(each.correct for each in counted),
        "wins": sum(each.outcome == "win" for each in counted),
        **{f"fast_p_{side}": fast_p(counted, side) for side in SIDES},
        "speedup": {name: {side: spread(speedups(counted, name, side)) for side in SIDES} for name in CONVENTIONS},
        "candidates": dict(sum((Counter(each.statuses) for each in rows), Counter[str]())),
        "attempts": {"asked": sum(each.asked for each in rows), "parsed": sum(each.parsed for each in rows)},
        "tokens": {
            "prompt": sum(each.prompt_tokens for each in rows),
            "completion": sum(each.completion_tokens for each in rows),
        },
        "cost_usd": None if None in costs else sum(cost for cost in costs if cost is not None),
        "estimated": sum(each.estimated for each in rows),
    }


def speedup(each: Row, side: str) -> Json | None:
    """What was measured of a task's best candidate, as it counts: value, lo and hi; None without a correct one."""
    return report.credited(each.best, _FIELD[side]) if each.best and each.correct else None


def speedups(rows: Sequence[Row], convention: str, side: str) -> list[float]:
    """The factors that a mean is over, one a task."""
    factors = []
    for each in rows:
        measured, won = speedup(each, side), each.outcome == "win"
        if measured is not None and (won or convention == "correct"):
            factors.append(float(measured["value"]))
        elif convention == "kept":
            factors.append(1.0)
    return factors


def fast_p(counted: Sequence[Row], side: str) -> Json:
    """KernelBench's fast_p (arXiv 2502.10517, section 3.2): the share of tasks whose candidate is correct and faster
    than p, by what was measured. `certain` counts the wins among them whose whole interval lies above p: what the
    judge would not call FAST, by a crowded machine for instance, is fast in the one and not in the other."""
    found = [(measured, each.outcome == "win") for each in counted if (measured := speedup(each, side)) is not None]
    curve = {}
    for p in FAST_P:
        tasks = sum(measured["value"] > p for measured, _ in found)
        certain = sum(won and measured["lo"] > p for measured, won in found)
        curve[f"{p:g}"] = {"tasks": tasks, "share": tasks / len(counted) if counted else 0.0, "certain": certain}
    return curve


def spread(factors: Sequence[float]) -> Json | None:
    """Geometric mean and median of factors above 0, each with its interval; None of nothing."""
    if not factors:
        return None
    return {"n": len(factors), "geomean": geomean(factors), "median": interval(factors, "median")}


def geomean(factors: Sequence[float]) -> Json:
    """The geometric mean with its interval, both taken from logarithms, so that 1/x has the inverse of both."""
    found = interval([math.log(each) for each in factors], "mean")
    return {name: None if value is None else math.exp(value) for name, value in found.items()}


def interval(values: Sequence[float], statistic: Literal["mean", "median"]) -> Json:
    """A statistic and its 95% percentile bootstrap; always the same draws, so that a table can be made again. Of a
    single value there is no interval: None."""
    import numpy as np

    function, known = getattr(np, statistic), np.asarray(values, dtype=float)
    value = float(function(known))
    if len(known) < 2:
        return {"value": value, "lo": None, "hi": None}
    draws = known[np.random.default_rng(0).integers(0, len(known), (RESAMPLES, len(known)))]
    lo, hi = np.quantile(function(draws, axis=-1), (0.025, 0.975))
    return {"value": value, "lo": float(lo), "hi": float(hi)}


def _labels(each: Row) -> list[str]:
    """Of a task with a correct candidate; `no label` where nothing told what it is."""
    if each.best is None or not each.correct:
        return []
    return list(each.best["labels"]) or ["no label"]


def _level(level: int | None) -> str:
    return "no level" if level is None else str(level)
