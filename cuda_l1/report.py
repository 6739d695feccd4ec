"""Numbers out of the archive: one run as a summary, several runs as an aggregate, both as JSON or Markdown.

A summary is built from the rows of one run, each candidate with the judge's latest word on it. Every ratio keeps its
95% interval and says what it is against; times carry their unit; what is unknown is None in JSON and `–` in text.
A task without a win is a failure in an aggregate, never a 1.0; a degenerate task is listed apart.
Not covered here: tables in the terminal (cli), which candidate to ask about next (sampling).
"""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from cuda_l1 import accounts, foreign, journal
from cuda_l1.archive import Archive
from cuda_l1.errors import UsageError
from cuda_l1.prompts import failures
from cuda_l1.types import NO_WIN, Candidate, Evaluation, Exemplar, Interval, Status, Verdict, jsonable
from cuda_l1.wording import UNKNOWN, counted, duration_s, duration_us, environment_text, plain, table

SCHEMA = 1
EVENTS = "events.jsonl"
"""In a run's folder: what happened, a line each."""
DENIALS = (*NO_WIN, "crowded", "not_repeated")
"""Notes that say why what is faster is no win; of the last two, that another time might make it one."""
FAST_P = (1.0, 1.01, 1.2, 1.5, 2.0)
TOP = 5
"""How many of the largest speedups share the `top_share` of the sum."""

Json = dict[str, Any]


class Cells(NamedTuple):
    """One judged candidate as text, for any table."""

    who: str
    status: str
    verdict: str
    time: str
    speedup: str
    eager: str
    labels: str
    why: str


def summary(archive: Archive, run_id: str, config_digest: str | None = None, folder: Path | None = None) -> Json:
    """Everything about one run as plain JSON types, by the words of one config (Archive.comparable); its `folder` knows
    how long it was at work, the archive only when it began and had its last word. UsageError where the archive has no
    such run."""
    run = archive.run(run_id)
    task = archive.task(run.task_id, run.source_digest) if run else None
    if run is None or task is None:
        known = ", ".join(row.id for row in archive.runs()[-3:]) or "none"
        raise UsageError(f"no run {run_id} in this archive; the latest: {known}")
    evaluations = archive.comparable(run_id, config_digest)
    judged = _judged(archive, evaluations)
    won = {each.candidate_id for each in evaluations if each.is_win}
    contestants = [each for each in judged if each.candidate.origin != "baseline"]
    degenerate = any(each.evaluation.degenerate for each in judged)
    winner = None if degenerate else best(contestants)
    total: Json = finite(
        {
            "schema": SCHEMA,
            "run_id": run_id,
            "started": datetime.fromtimestamp(run.started, UTC).isoformat(timespec="seconds"),
            "config": json.loads(run.config_json),
            "task": jsonable(task) | {"source_digest": task.source_digest, "degenerate": degenerate},
            "environment": jsonable((winner or judged[-1]).evaluation.environment) if judged else None,
            "devices": sorted({each.evaluation.environment.device for each in judged}),
            "outcome": _outcome(contestants, degenerate, winner, won),
            "best": entry(winner.candidate, winner.evaluation) if winner else None,
            "judged_once": winner is not None and [e.candidate_id for e in evaluations].count(winner.candidate.id) == 1,
            "baselines": _baselines(judged),
            "candidates": [entry(each.candidate, each.evaluation) for each in sorted(contestants, key=_order)],
            "counts": {
                "candidates": len(contestants),
                "wins": sum(each.evaluation.is_win for each in contestants),
                "by_status": dict(Counter(str(each.evaluation.status) for each in contestants)),
            },
            **accounts.summary(archive.attempts(run_id), opinions := archive.opinions(run_id)),
            "opinions": [each.model_dump(mode="json", exclude={"task_id", "prompt", "reply"}) for each in opinions],
            "duration_s": (folder and journal.elapsed_s(folder / EVENTS)) or run.last - run.started,
            "judging_s": sum(evaluation.seconds.total for evaluation in archive.evaluations(run_id)),
        }
    )
    return total


def best(exemplars: Iterable[Exemplar]) -> Exemplar | None:
    """The one to use: a win before anything else, then the highest lower bound against the best baseline.

    The lower bound, not the value: among many candidates the highest value is the luckiest one. None where no
    candidate passed with a speedup on a task that is not degenerate.
    """
    passed = [each for each in exemplars if each.evaluation.speedup and not each.evaluation.degenerate]
    return min(passed, key=_order, default=None)


def entry(candidate: Candidate, evaluation: Evaluation) -> Json:
    """One judged candidate as JSON: what a row of any table is made of."""
    body, times = jsonable(evaluation), evaluation.times_us
    kept = ("status", "verdict", "labels", "degenerate", "findings", "notes", "speedup", "speedup_eager", "max_error",
            "reference_error", "throughput_us", "roofline_fraction", "seed", "seconds")  # fmt: skip
    return {
        "candidate_id": candidate.id,
        "author": candidate.author,
        "origin": candidate.origin,
        "language": candidate.language,
        "same_as": Exemplar(candidate=candidate, evaluation=evaluation).same_as,
        **{name: body[name] for name in kept},
        "times_us": {"median": statistics.median(times) if times else None, "n": len(times)},
    }


def credited(row: Mapping[str, Any], side: str) -> Any:
    """A row's `speedup` or `speedup_eager`, or None, as it counts in means and shares (Evaluation.credited)."""
    most = 1.0 if any(note["check"] in NO_WIN for note in row["notes"]) else math.inf
    return row[side] and row[side] | {name: min(row[side][name], most) for name in ("value", "lo", "hi")}


def by(row: Mapping[str, Any]) -> str:
    """The author of one `entry`, or its id, and whose code it is; rows of earlier versions do not say whose."""
    name = str(row["author"] or row["candidate_id"])
    return f"{name}, same code as {row['same_as']}" if row.get("same_as") else name


def opinion_text(row: Mapping[str, Any]) -> str:
    """`suspicious: ...`, `honest: ...` or `unreadable: ...`."""
    return f"{ {True: 'suspicious', False: 'honest', None: 'unreadable'}[row['suspicious']] }: {row['reason']}"


def finding_text(check: str, detail: str) -> str:
    """`check: detail`; of a compiler's output its first error alone, for the command line before it fills any room."""
    return f"{check}: {failures.compiler_error(check, detail) or detail}"


def cells(row: Mapping[str, Any]) -> Cells:
    """The text of one `entry`; `why` is its first finding and how many more there are."""
    findings = [finding_text(finding["check"], finding["detail"]) for finding in row["findings"]]
    more = f" (+{len(findings) - 1} more)" if len(findings) > 1 else ""
    against = f" vs {row['speedup']['vs']}" if row["speedup"] else ""
    return Cells(
        who=f"{by(row)} ({row['origin']})" if row["author"] else row["origin"],
        status=row["status"],
        verdict=row["verdict"] or UNKNOWN,
        time=duration_us(row["times_us"]["median"]),
        speedup=ratio(row["speedup"]) + against,
        eager=ratio(row["speedup_eager"]),
        labels=", ".join(row["labels"]) or UNKNOWN,
        why=findings[0] + more if findings else "",
    )


def ratio(interval: Mapping[str, Any] | Interval | None) -> str:
    """`1.33x [1.31, 1.34]`; two significant digits below 0.1, where two decimals would say nothing."""
    if interval is None:
        return UNKNOWN
    body = jsonable(interval) if isinstance(interval, Interval) else interval
    value, lo, hi = (_number(body[name]) for name in ("value", "lo", "hi"))
    return f"{value}x [{lo}, {hi}]"


def headline(total: Mapping[str, Any]) -> str:
    """The outcome of a summary in one or two plain sentences."""
    row = total["best"]
    if total["outcome"] == "degenerate":
        return "The task is degenerate: its output says too little of its inputs, so nothing on it counts as a win."
    if total["outcome"] == "not judged":
        again = "We failed on what may be faster (INFRA_FAILED), which is no word on it: --resume judges it again."
        return again if total["counts"]["candidates"] else "No candidate was judged."
    if row is None:
        return f"Nothing was faster than the best baseline{_best_baseline(total)}: no candidate passed."
    text = cells(row)
    if total["outcome"] == "win":
        eager = "" if row["speedup"]["vs"] == "eager" else f", {text.eager} vs eager"
        once = " Judged once so far: --resume judges it once more." if total.get("judged_once") else ""
        return f"{text.speedup}{eager}: {text.who}, {text.time}.{once}"
    closest = f"Closest: {text.speedup}, {text.who}{_denial_text(row)}."
    return f"Nothing was faster than the best baseline{_best_baseline(total)} with certainty. {closest}"


def _best_baseline(total: Mapping[str, Any]) -> str:
    """Which one that is, where it is faster than eager; by its speedup, as the judge's rival is, not by its time."""
    found = [row for row in total["baselines"] if row["speedup_eager"] and row["speedup_eager"]["lo"] > 1]
    best = max(found, key=lambda row: float(row["speedup_eager"]["value"]), default=None)
    return f" ({best['name']}, {ratio(best['speedup_eager'])} vs eager)" if best else ""


def denial(row: Mapping[str, Any]) -> tuple[str, str]:
    """The note, and what it says, for which an interval that lies on one side of 1 is no verdict; empty without one."""
    its = row["speedup"]
    if row["verdict"] != Verdict.AMBIGUOUS or not its or its["lo"] <= 1 <= its["hi"]:
        return "", ""
    return next(((note["check"], note["detail"]) for note in row["notes"] if note["check"] in DENIALS), ("", ""))


def _denial_text(row: Mapping[str, Any]) -> str:
    """Why an interval that lies above 1 is no win."""
    check, said = denial(row) if row["speedup"] and row["speedup"]["lo"] > 1 else ("", "")
    again = "; --resume asks again" if check == "crowded" else ""
    return f"; no win for {foreign.one_line(f'{check}: {said}')}{again}" if check else ""


def markdown(total: Mapping[str, Any]) -> str:
    """One summary as a page."""
    task, counts = total["task"], total["counts"]
    statuses = ", ".join(f"{count} {status}" for status, count in sorted(counts["by_status"].items())) or "none"
    baselines = [(row["name"], duration_us(row["median_us"]), ratio(row["speedup_eager"]), row["reason"] or "")
                 for row in total["baselines"]]  # fmt: skip
    rows = [(row["candidate_id"], *cells(row)) for row in total["candidates"]]
    opinions = [(row["candidate_id"], row["checker"], opinion_text(row)) for row in total["opinions"]]
    notes = total["best"]["notes"] if total["best"] else []
    parts = [
        f"# {plain(task['name'])}: run {total['run_id']}",
        f"**{plain(headline(total))}**",
        "\n".join(f"- {plain(note['check'])}: {plain(note['detail'])}" for note in notes),
        f"Task `{task['id']}` (source {task['source_digest']}, precision {task['precision']}, mode {task['mode']}). "
        f"Started {total['started']}, took {duration_s(total['duration_s'])}, "
        f"of which judging {duration_s(total['judging_s'])}.",
        f"{counted(counts['candidates'], 'candidate')}: {statuses}; {counts['wins']} faster. "
        + accounts.sentence(total),
        "## Baselines",
        table(("baseline", "median", "vs eager", "left out because"), baselines),
        "## Candidates",
        table(("candidate", "by", "status", "verdict", "median", "speedup", "vs eager", "labels", "why"), rows),
        "## What the checker thinks (it changes no verdict)" if opinions else "",
        table(("candidate", "checker", "opinion"), opinions) if opinions else "",
        "## Environment",
        environment_text(total["environment"], total["devices"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def aggregate(summaries: Sequence[Mapping[str, Any]]) -> Json:
    """Several runs, one a task, as one set of numbers.

    `speedup` (against the best baseline) and `speedup_eager` are over the wins alone and say how many those are;
    `fast_p` is over all tasks but the degenerate ones, and a task without a win is below every p. The bounds of a
    mean or median are the mean or median of the bounds.
    """
    counted = [each for each in summaries if each["outcome"] != "degenerate"]
    wins = [each["best"] for each in counted if each["outcome"] == "win"]
    tasks = Counter(each["task"]["id"] for each in summaries)
    return {
        "schema": SCHEMA,
        "runs": len(summaries),
        "counted": len(counted),
        "wins": len(wins),
        "failures": len(counted) - len(wins),
        "degenerate": [each["task"]["id"] for each in summaries if each["outcome"] == "degenerate"],
        "repeated": sorted(task for task, count in tasks.items() if count > 1),
        "devices": sorted({device for each in summaries for device in each["devices"]}),
        "speedup": distribution([row["speedup"] for row in wins]),
        "speedup_eager": distribution([row["speedup_eager"] for row in wins if row["speedup_eager"]]),
        "fast_p": fast_p([row["speedup"] for row in wins], len(counted)),
        "fast_p_eager": fast_p([row["speedup_eager"] for row in wins if row["speedup_eager"]], len(counted)),
        "tasks": [
            {"run_id": each["run_id"], "task_id": each["task"]["id"], "name": each["task"]["name"]}
            | {"outcome": each["outcome"], "best": each["best"], "environment": each["environment"]}
            for each in summaries
        ],
    }


def aggregate_markdown(total: Mapping[str, Any]) -> str:
    """One aggregate as a page."""
    rows = []
    for task in total["tasks"]:
        text = cells(task["best"]) if task["best"] else Cells(*[UNKNOWN] * len(Cells._fields))
        name = f"{task['name']} (`{task['task_id']}`)"
        rows.append((name, task["outcome"], text.speedup, text.eager, text.time, text.who, text.labels))
    curve = [
        (f"fast_{p}", *(f"{row['tasks']} of {total['counted']} ({row['share']:.0%})" for row in pair))
        for p, pair in ((p, (total["fast_p"][p], total["fast_p_eager"][p])) for p in total["fast_p"])
    ]
    warned = (
        ("Counted more than once", total["repeated"]),
        ("Measured on different devices, which do not compare", total["devices"] if len(total["devices"]) > 1 else ()),
        ("Degenerate, not counted", total["degenerate"]),
    )
    warnings = [f"{text}: {', '.join(names)}." for text, names in warned if names]
    parts = [
        "# Aggregate",
        f"{counted(total['runs'], 'run')}, {total['counted']} counted: {total['wins']} with a win, "
        f"{counted(total['failures'], 'failure')}.",
        *(plain(text, len(text)) for text in warnings),
        "## Speedup where there was a win",
        table(("", "vs best baseline", "vs eager"), distribution_rows(total["speedup"], total["speedup_eager"])),
        "## Tasks faster by more than p (a task without a win is not)",
        table(("", "vs best baseline", "vs eager"), curve),
        "## Tasks",
        table(("task", "outcome", "speedup", "vs eager", "median", "by", "labels"), rows),
        "## Environment",
        environment_text(next((e for t in total["tasks"][::-1] if (e := t["environment"])), None), total["devices"]),
    ]
    return "\n\n".join(parts) + "\n"


def _judged(archive: Archive, evaluations: Sequence[Evaluation]) -> list[Exemplar]:
    """Each candidate with its latest evaluation; our own failure only in place of nothing, or of an unconfirmed win."""
    latest: dict[str, Evaluation] = {}
    for evaluation in evaluations:
        known = latest.get(evaluation.candidate_id)
        if evaluation.status is not Status.INFRA_FAILED or known is None or known.is_win:
            latest[evaluation.candidate_id] = evaluation
    return [Exemplar(candidate=found, evaluation=latest[name]) for name in latest if (found := archive.candidate(name))]


def _order(exemplar: Exemplar) -> tuple[bool, bool, float]:
    evaluation = exemplar.evaluation
    bounds = [each.lo for each in (evaluation.speedup, evaluation.credited) if each and not evaluation.degenerate]
    return not evaluation.is_win, evaluation.status is not Status.PASSED, -min(bounds, default=0.0)


def _outcome(contestants: Sequence[Exemplar], degenerate: bool, winner: Exemplar | None, won: set[str]) -> str:
    """`not judged`: we failed on all, or on the second word on one that had `won`."""
    failed = {each.candidate.id for each in contestants if each.evaluation.status is Status.INFRA_FAILED}
    if degenerate:
        return "degenerate"
    if winner and winner.evaluation.is_win:
        return "win"
    return "not judged" if len(failed) == len(contestants) or failed & won else "no win"


def _baselines(judged: Sequence[Exemplar]) -> list[Json]:
    """Each baseline's own median and speedup, or its median beside candidates, or why it has neither; fastest first."""
    own = {each.candidate.author: each for each in judged if each.candidate.origin == "baseline"}
    beside, reasons, rows = defaultdict[str, list[float]](list), dict[str, str](), list[Json]()
    for each in judged:
        reasons |= each.evaluation.baselines_missing
        for name, microseconds in each.evaluation.baselines_us.items():
            beside[name].append(microseconds)
    for name in sorted({*own, *beside, *reasons}):
        row = entry(own[name].candidate, own[name].evaluation) if name in own else {}
        median = (row and row["times_us"]["median"]) or (statistics.median(beside[name]) if name in beside else None)
        why = reasons.get(name) or (f"{row['status']} {cells(row).why}".strip() if row else "")
        rows.append({"name": name, "median_us": median, "speedup_eager": row.get("speedup_eager"),
                     "reason": why if median is None else None})  # fmt: skip
    return sorted(rows, key=lambda row: math.inf if row["median_us"] is None else row["median_us"])


def distribution(intervals: Sequence[Mapping[str, Any]]) -> Json | None:
    """Of speedups with their bounds; the bounds of a mean are the mean of the bounds. None of nothing."""
    if not intervals:
        return None

    def bounded(function: Callable[[list[float]], float]) -> Json:
        return {name: function([each[name] for each in intervals]) for name in ("value", "lo", "hi")}

    values = sorted(each["value"] for each in intervals)
    quartiles = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {
        "n": len(values),
        "geomean": bounded(statistics.geometric_mean),
        "median": bounded(statistics.median),
        "mean": bounded(statistics.mean),
        "quartiles": [quartiles[0], quartiles[2]],
        "max": max(intervals, key=lambda each: float(each["value"])),
        "top_share": sum(values[-TOP:]) / sum(values),
    }


def fast_p(intervals: Sequence[Mapping[str, Any]], counted: int, levels: Sequence[float] = FAST_P) -> Json:
    """For each level, how many of the speedups lie above it, and their share of `counted`."""
    above = {p: sum(each["value"] > p for each in intervals) for p in levels}
    return {f"{p:g}": {"tasks": count, "share": count / counted if counted else 0.0} for p, count in above.items()}


def distribution_rows(*columns: Mapping[str, Any] | None, counted: str = "wins") -> list[tuple[str, ...]]:
    """Rows of a table, one column for each distribution; `counted` names what they are over."""
    shown: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "geometric mean": lambda c: ratio(c["geomean"]),
        "median": lambda c: ratio(c["median"]),
        "mean": lambda c: ratio(c["mean"]),
        "quartiles": lambda c: " to ".join(f"{_number(q)}x" for q in c["quartiles"]),
        "max": lambda c: ratio(c["max"]),
        f"share of the sum in the top {TOP}": lambda c: f"{c['top_share']:.0%}",
        counted: lambda c: str(c["n"]),
    }
    return [(name, *(show(column) if column else UNKNOWN for column in columns)) for name, show in shown.items()]


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def finite(value: Any) -> Any:
    """The value with None for every number that JSON cannot say."""
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
