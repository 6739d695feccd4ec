"""Two sweeps, or two runs of one task, side by side: paired, task by task, and as one ratio with its interval.

Each side is a summary of `scores`. Only tasks that both have, with the same source, are compared; others are named.
Refused where the figures do not compare at all: other devices, another judge. Everything else that differs is said.
Per task the ratio is B over A, above 1 where B is faster. Means: geometric, with a bootstrap of the paired log-ratios
over tasks, under the conventions `kept` and `correct` of scores. The sign test counts a task for a side only where the
two intervals do not meet. Not covered: more than two sides, and why one is faster.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from cuda_l1 import accounts, report, scores, wording
from cuda_l1.errors import UsageError
from cuda_l1.scores import SIDES, Row

SCHEMA = 1
_JUDGING = ("effort", "baselines", "sandbox")
_PLACES = ("archive", "out", "kernelbench")
_MACHINE = ("arch", "driver", "cuda", "torch", "triton", "compiler", "threads", "sandbox")

Json = dict[str, Any]
Key = tuple[str, str]


class Pair(NamedTuple):
    """One task on both sides."""

    a: Row
    b: Row


def compare(a: Mapping[str, Any], b: Mapping[str, Any]) -> Json:
    """Two summaries of sweeps as one object. UsageError where they do not compare."""
    _refuse(a, b)
    rows_a, rows_b = _rows(a), _rows(b)
    pairs = [Pair(rows_a[key], rows_b[key]) for key in rows_a if key in rows_b]
    if not pairs:
        raise UsageError(
            f"{a['sweep_id']} and {b['sweep_id']} have no task in common: the same id with the same source, precision "
            "and mode on both sides is what can be compared"
        )
    counted = [pair for pair in pairs if {pair.a.outcome, pair.b.outcome} <= set(scores.COUNTED)]
    total: Json = report.finite({
        "schema": SCHEMA,
        "a": _side(a, rows_a),
        "b": _side(b, rows_b),
        "warnings": _warnings(a, b, pairs, counted),
        "differs": _differences(a["config"], b["config"], leave=(*_JUDGING, *_PLACES)),
        "counts": {
            "common": len(pairs), "counted": len(counted),
            "both_win": sum(p.a.outcome == p.b.outcome == "win" for p in counted),
            "only_a_wins": sum(p.a.outcome == "win" != p.b.outcome for p in counted),
            "only_b_wins": sum(p.b.outcome == "win" != p.a.outcome for p in counted),
        },
        "paired": {side: _paired(counted, side) for side in SIDES},
        "tasks": [_task(pair, pair in counted) for pair in pairs],
    })  # fmt: skip
    return total


def of_run(total: Mapping[str, Any]) -> Json:
    """A run's summary (`report.summary`) as a sweep of one task, to be compared."""
    task, config = total["task"], total["config"]
    entry = scores.Entry.model_validate(
        {"run_id": total["run_id"], "task": {k: v for k, v in task.items() if k not in ("source_digest", "degenerate")}}
    )
    row = scores.row(1, entry, "done", total.get("ended", ""), total)
    environments = [row.environment] if row.environment else []
    return {
        "sweep_id": total["run_id"], "config": config, "rows": [row.model_dump(mode="json")],
        "devices": total["devices"], "judge_versions": [each["judge_version"] for each in environments],
        "environment": row.environment,
    }  # fmt: skip


def sign_test(better: int, worse: int) -> float:
    """Two-sided p of so uneven a split, or a more uneven one, of tasks that could as well go either way."""
    tried = better + worse
    tail: float = sum(math.comb(tried, k) for k in range(min(better, worse) + 1)) / 2**tried
    return min(1.0, 2 * tail)


def _refuse(a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    for name, words in (("devices", "device"), ("judge_versions", "judge version")):
        if not a[name] or not b[name]:
            empty = a if not a[name] else b
            raise UsageError(f"{empty['sweep_id']} has no judged candidate: there is nothing to compare")
        if set(a[name]) != set(b[name]) or len(a[name]) > 1:
            raise UsageError(
                f"{a['sweep_id']} and {b['sweep_id']} do not compare: {words} {' and '.join(a[name])} against "
                f"{' and '.join(b[name])}; run one of them again where the other was run"
            )


def _rows(total: Mapping[str, Any]) -> dict[Key, Row]:
    rows = [Row.model_validate(each) for each in total["rows"]]
    return {(each.task_id, each.source_digest): each for each in rows}


def _side(total: Mapping[str, Any], rows: Mapping[Key, Row]) -> Json:
    numbers = scores.numbers(list(rows.values()))
    kept = ("tasks", "counted", "correct", "wins", "tokens", "cost_usd", "estimated")
    return {"name": total["sweep_id"], "model": total["config"]["model"], **{name: numbers[name] for name in kept}}


def _warnings(a: Mapping[str, Any], b: Mapping[str, Any], pairs: Sequence[Pair], counted: Sequence[Pair]) -> list[str]:
    """What a reader must know before he believes a figure."""
    found = []
    for name, (left, right) in _differences(a["config"], b["config"], only=_JUDGING).items():
        found.append(f"judged with another {name}: {left} against {right}")
    for name, (left, right) in _differences(a["environment"], b["environment"], only=_MACHINE).items():
        found.append(f"another {name}: {left} against {right}")
    ids = [{each["task_id"]: each["source_digest"] for each in side["rows"]} for side in (a, b)]
    changed = sorted(task for task in ids[0].keys() & ids[1].keys() if ids[0][task] != ids[1][task])
    if changed:
        found.append(f"left out, their source, precision or mode differs: {', '.join(changed)}")
    for one, other, name in ((0, 1, a["sweep_id"]), (1, 0, b["sweep_id"])):
        if alone := sorted(ids[one].keys() - ids[other].keys()):
            found.append(f"only in {name}: {', '.join(alone)}")
    if uncounted := [pair.a.task_id for pair in pairs if pair not in counted]:
        found.append(f"counted nowhere, degenerate or without a word on a side: {', '.join(uncounted)}")
    undecided = {p.a.task_id for p in counted if p.a.undecided or p.b.undecided}
    if undecided:
        found.append(f"AMBIGUOUS on a side, which counts as no win there: {', '.join(sorted(undecided))}")
    early = {p.a.task_id for p in counted if p.a.state != "done" or p.b.state != "done"}
    if early:
        found.append(f"ended early on a side: {', '.join(sorted(early))}")
    return found


def _differences(
    a: Mapping[str, Any] | None, b: Mapping[str, Any] | None, *, only: Sequence[str] = (), leave: Sequence[str] = ()
) -> dict[str, list[str]]:
    left, right = a or {}, b or {}
    names = only or sorted({*left, *right} - set(leave))
    return {name: [str(left.get(name)), str(right.get(name))] for name in names if left.get(name) != right.get(name)}


def _paired(counted: Sequence[Pair], side: str) -> Json:
    """B over A on one side's yardstick, under both conventions, and the sign test."""
    both = [pair for pair in counted if pair.a.correct and pair.b.correct]
    signs = [_sign(pair, side) for pair in counted]
    better, worse = signs.count(1), signs.count(-1)
    return {
        "kept": _ratio(counted, "kept", side),
        "correct": _ratio(both, "correct", side),
        "better": better, "worse": worse, "undecided": len(signs) - better - worse,
        "sign_test_p": sign_test(better, worse),
    }  # fmt: skip


def _ratio(pairs: Sequence[Pair], convention: str, side: str) -> Json | None:
    if not pairs:
        return None
    a = scores.speedups([pair.a for pair in pairs], convention, side)
    b = scores.speedups([pair.b for pair in pairs], convention, side)
    return {"n": len(pairs), **scores.geomean([after / before for before, after in zip(a, b, strict=True)])}


def _kept(each: Row, side: str) -> Json:
    """A task's factor with its interval; exactly 1 without a win."""
    measured = scores.speedup(each, side) if each.outcome == "win" else None
    return measured or {"value": 1.0, "lo": 1.0, "hi": 1.0}


def _sign(pair: Pair, side: str) -> int:
    a, b = _kept(pair.a, side), _kept(pair.b, side)
    return 1 if b["lo"] > a["hi"] else -1 if b["hi"] < a["lo"] else 0


def _task(pair: Pair, counts: bool) -> Json:
    sides = [{"outcome": each.outcome, "run_id": each.run_id, "author": each.best["author"] if each.best else None,
              "same_as": each.best.get("same_as") if each.best else None,
              **{side: scores.speedup(each, side) for side in SIDES}} for each in pair]  # fmt: skip
    ratios = {side: _kept(pair.b, side)["value"] / _kept(pair.a, side)["value"] for side in SIDES}
    return {
        "task_id": pair.a.task_id, "name": pair.a.name, "level": pair.a.level, "a": sides[0], "b": sides[1],
        "ratio": ratios if counts else None,
        "sign": {side: _sign(pair, side) for side in SIDES} if counts else None,
    }  # fmt: skip


def markdown(total: Mapping[str, Any]) -> str:
    """The comparison as a page."""
    a, b, counts = total["a"], total["b"], total["counts"]
    yardsticks = (("eager", "vs eager"), ("best", "vs best"))
    parts = [
        f"# {b['name']} (B) against {a['name']} (A)",
        "\n".join(f"- **Mind:** {wording.plain(text, len(text))}." for text in total["warnings"]),
        f"{counts['common']} tasks in common, {counts['counted']} counted. Wins: both on {counts['both_win']}, "
        f"only A on {counts['only_a_wins']}, only B on {counts['only_b_wins']}.",
        wording.table(
            ("B over A, above 1: B is faster", "tasks", "vs eager", "vs best baseline"),
            [(f"{name}: {scores.CONVENTIONS[name]}", *_ratios(total["paired"], name)) for name in ("kept", "correct")],
        ),
        "Geometric mean of the paired ratios, 95% bootstrap over tasks. "
        + " ".join(_signs(words, total["paired"][side]) for side, words in yardsticks),
        "## What differs",
        wording.table(("setting", "A", "B"), [(name, *values) for name, values in total["differs"].items()]),
        "## Sides",
        wording.table(("", "A", "B"), _sides(a, b)),
        "## Tasks",
        wording.table(("task", "A", "A vs best", "B", "B vs best", "B over A vs best", "vs eager"),
                     [_cells(task) for task in total["tasks"]]),
    ]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


def _ratios(paired: Mapping[str, Any], convention: str) -> tuple[str, str, str]:
    found = [paired[side][convention] for side in SIDES]
    return str(found[0]["n"] if found[0] else 0), report.ratio(found[0]), report.ratio(found[1])


def _signs(words: str, its: Mapping[str, Any]) -> str:
    return (
        f"Beyond both intervals {words}: B faster on {its['better']}, A on {its['worse']}, undecided "
        f"{its['undecided']}; sign test p = {its['sign_test_p']:.2g}."
    )


def _sides(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    def shown(side: Mapping[str, Any], name: str) -> str:
        value = side[name]
        if name == "tokens":
            return f"{value['prompt']} + {value['completion']}{accounts.doubt(side['estimated'])}"
        return "unknown" if value is None and name == "cost_usd" else str(value or 0 if name != "model" else value)

    names = ("model", "tasks", "counted", "correct", "wins", "tokens", "cost_usd")
    return [(name, shown(a, name), shown(b, name)) for name in names]


def _cells(task: Mapping[str, Any]) -> tuple[str, ...]:
    ratios = [f"{task['ratio'][side]:.2f}x" if task["ratio"] else wording.UNKNOWN for side in ("best", "eager")]
    a, b = task["a"], task["b"]
    name = f"{task['name']} ({task['task_id']})"
    return name, a["outcome"], report.ratio(a["best"]), b["outcome"], report.ratio(b["best"]), *ratios
