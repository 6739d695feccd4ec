"""The report on a release of claims: every row, and the numbers over what passed, as JSON or Markdown. Pure.

In come the listing and the results of `claims`; out comes one object with a line for each row. Numbers are over rows
that PASSED on tasks that are not degenerate; a row without code is listed as that and is in no number, never a 1.0.
A claim is against eager, and is met or missed by the whole interval.
NOT covered: why a check rejects what it rejects (docs/judge.md).
"""

from __future__ import annotations

import shlex
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cuda_l1 import report, verdict, wording
from cuda_l1.claims import PREFIX, Listing, Result, Row
from cuda_l1.types import NO_WIN, Status, jsonable

SCHEMA = 1
FAST_P = (1.01, 1.5, 2.0, 5.0)
NO_CODE, LEFT, NOT_JUDGED = "no code", "left", "not judged"
"""What a row is where the judge has no word on it: nothing to judge, not begun yet, or our own failure."""

Json = dict[str, Any]


def summary(listing: Listing, results: Mapping[str, Result], only: Collection[str] | None = None) -> Json:
    """Everything about a release, or about the rows in `only`, as plain JSON types."""
    chosen = [row for row in listing.rows if only is None or row.row in only]
    rows = [_row(row, results.get(row.row)) for row in chosen]
    judged = [row for row in rows if row["outcome"] in set(Status) - {Status.INFRA_FAILED}]
    counted = [row for row in judged if not row["degenerate"]]
    evaluations = [result.evaluation for row in chosen if (result := results.get(row.row)) and result.evaluation]
    labels = sorted({label for row in counted for label in row["labels"]})
    by_label = {label: [row for row in counted if label in row["labels"]] for label in labels}
    by_label["no label"] = [row for row in counted if not row["labels"]]
    total: Json = {
        "schema": SCHEMA,
        "release": listing.name,
        "file": listing.file or listing.name,
        "settings": {name: jsonable(listing)[name] for name in ("device", "effort", "baselines", "precision", "mode")},
        "counts": {
            "rows": len(rows),
            "judged": len(judged),
            "counted": len(counted),
            "by_outcome": dict(Counter(row["outcome"] for row in rows)),
            "by_verdict": dict(Counter(row["verdict"] for row in rows if row["verdict"])),
            "best_baseline": dict(Counter(row["speedup"]["vs"] for row in counted if row["speedup"])),
        },
        "all": _numbers(counted),
        "by_level": {str(level): _numbers([row for row in counted if row["level"] == level])
                     for level in sorted({row["level"] for row in rows})},
        "by_label": {label: _numbers(its) for label, its in by_label.items()},
        "claims": _claims(rows, counted),
        "degenerate": [row["row"] for row in judged if row["degenerate"]],
        "rows": rows,
        "judging_s": sum(evaluation.seconds.total for evaluation in evaluations),
        "environment": jsonable(evaluations[-1].environment) if evaluations else None,
        "devices": sorted({evaluation.environment.device for evaluation in evaluations}),
        "exit_code": _exit_code(rows),
    }  # fmt: skip
    plain: Json = report.finite(total)
    return plain


def _row(row: Row, result: Result | None) -> Json:
    """One row: the claim, and of the evaluation what a table needs."""
    evaluation = result.evaluation if result else None
    body = jsonable(evaluation) if evaluation else {}
    if row.key is None:
        outcome, reason = NO_CODE, row.reason
    elif result is None:
        outcome, reason = LEFT, ""
    else:
        outcome, reason = (str(evaluation.status), "") if evaluation else (NOT_JUDGED, result.error)
    claim = None
    if evaluation is not None and evaluation.status is Status.PASSED and not evaluation.degenerate:
        claim = verdict.threshold(evaluation, evaluation.speedup_eager, row.claimed)
    return {
        "row": row.row,
        "level": row.level,
        "claimed": row.claimed,
        "outcome": outcome,
        "reason": reason,
        "claim": claim,
        "exit_code": verdict.exit_code(evaluation, row.claimed, None) if evaluation else None,
        "labels": body.get("labels", []),
        "findings": body.get("findings", []),
        "notes": body.get("notes", []),
        "degenerate": body.get("degenerate", False),
        **{name: body.get(name) for name in ("verdict", "speedup", "speedup_eager", "max_error", "seed", "seconds")},
    }


def _passed(rows: Sequence[Json]) -> list[Json]:
    return [row for row in rows if row["outcome"] == Status.PASSED]


def _numbers(rows: Sequence[Json]) -> Json:
    """The distributions over rows that passed, as measured and the means also as they count, and how many of all these
    rows are faster than p."""
    eager = [row["speedup_eager"] for row in _passed(rows)]
    best = [row["speedup"] for row in _passed(rows)]
    fields = {"eager": "speedup_eager", "best": "speedup"}
    counts = {side: [report.credited(row, field)["value"] for row in _passed(rows)] for side, field in fields.items()}
    return {
        "judged": len(rows),
        "passed": len(eager),
        "eager": report.distribution(eager),
        "best": report.distribution(best),
        "credited_geomean": {s: statistics.geometric_mean(values) if values else None for s, values in counts.items()},
        "fast_p_eager": report.fast_p(eager, len(rows), FAST_P),
        "fast_p_best": report.fast_p(best, len(rows), FAST_P),
    }


def _claims(rows: Sequence[Json], counted: Sequence[Json]) -> Json:
    """What is claimed beside what is measured: the means of both are over the same rows, which passed."""
    claimed = [row for row in rows if row["claimed"] is not None]
    both = [row for row in _passed(counted) if row["claimed"] is not None]
    failed = {row["row"] for row in claimed if row["verdict"] is None and row["exit_code"] == 1}
    answers = Counter(row["claim"] for row in both)
    pairs = {"claimed": [row["claimed"] for row in both], "measured": [row["speedup_eager"]["value"] for row in both]}
    means = {f"{name}_{kind}": function(values) if values else None for name, values in pairs.items()
             for kind, function in (("geomean", statistics.geometric_mean), ("mean", statistics.fmean),
                                    ("median", statistics.median))}  # fmt: skip
    return {
        "claimed": len(claimed),
        **{answer: answers[answer] for answer in (verdict.MET, verdict.MISSED, verdict.UNCERTAIN)},
        "failed": len(failed),
        "degenerate": sum(row["degenerate"] and row["row"] not in failed for row in claimed),
        "without_code": sum(row["outcome"] == NO_CODE for row in claimed),
        "not_judged": sum(row["outcome"] in (LEFT, NOT_JUDGED, Status.INFRA_FAILED) for row in claimed),
        "compared": len(both),
        **means,
    }


def _exit_code(rows: Sequence[Json]) -> int:
    """3 while rows are left; then 1 if one failed or missed its claim; then 3 if one could not be judged; else 0."""
    if any(row["outcome"] == LEFT for row in rows):
        return 3
    codes = {row["exit_code"] for row in rows}
    bare = any(row["outcome"] == NO_CODE and row["claimed"] is not None for row in rows)
    unjudged = any(row["outcome"] == NOT_JUDGED for row in rows)
    return 1 if 1 in codes else 3 if 3 in codes or bare or unjudged else 0


def command(total: Mapping[str, Any]) -> str:
    """The command that judges one row again on the same inputs, with ROW and SEED to fill in."""
    chosen = total["settings"]
    parts = [
        f"cuda-l1 verify --claims {shlex.quote(PREFIX + total['file'])} --only ROW --seed SEED",
        f"--device {chosen['device']} --effort {chosen['effort']}",
        f"--baselines {','.join(chosen['baselines']) or 'none'}",
        f"--precision {chosen['precision']} --mode {chosen['mode']}",
    ]
    return " ".join(parts)


def markdown(total: Mapping[str, Any]) -> str:
    """The report as a page."""
    counts, every = total["counts"], total["all"]
    outcomes = ", ".join(f"{count} {name}" for name, count in sorted(counts["by_outcome"].items()))
    verdicts = ", ".join(f"{count} {name}" for name, count in sorted(counts["by_verdict"].items())) or "none"
    rivals = ", ".join(f"{name} {count}" for name, count in sorted(counts["best_baseline"].items())) or "none"
    chosen = total["settings"]
    parts = [
        f"# Claims of {wording.plain(total['release'])}",
        f"{wording.counted(counts['rows'], 'row')}: {outcomes}. Verdicts against the best baseline: {verdicts}. "
        f"Judging the codes took {wording.duration_s(total['judging_s'])} in all, besides what was done for each task.",
        f"Modules ran in {chosen['mode']} mode, precision {chosen['precision']}, effort {chosen['effort']}, baselines "
        f"{', '.join(chosen['baselines']) or 'eager'}; the best baseline was: {rivals}.",
        "Each row's task is the release's own `ref_code`, which is trusted as any task is: what it does slowly is won "
        "by whoever does not.",
        "## Claimed and measured",
        _claims_text(total["claims"]),
        "## What passed",
        f"{every['passed']} of {wording.counted(every['judged'], 'row')} judged, "
        f"{wording.counted(len(total['degenerate']), 'row')} on degenerate tasks left out"
        f"{': ' if total['degenerate'] else ''}{', '.join(total['degenerate'])}.",
        wording.table(("", "vs eager", "vs best baseline"),
                     report.distribution_rows(every["eager"], every["best"], counted="rows")),
        "In brackets: the same of the lower ends of the rows' 95% intervals, and of the upper ends.",
        _credited_text(every["credited_geomean"]),
        "Faster than p by the value alone, whatever the verdict, of the rows judged:",
        wording.table(("", "vs eager", "vs best baseline"), _curve(every)),
        "## By level",
        wording.table(_GROUP_HEADER, [_group(name, its) for name, its in total["by_level"].items()]),
        "## By label",
        "A row counts under each of its labels.",
        wording.table(_GROUP_HEADER, [_group(name, its) for name, its in total["by_label"].items()]),
        "## Rows",
        f"To judge one again on the same inputs: `{command(total)}`",
        wording.table(_ROW_HEADER, [_row_cells(row) for row in total["rows"]]),
        "## Environment",
        wording.environment_text(total["environment"], total["devices"]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


_GROUP_HEADER = ("", "judged", "passed", "geometric mean vs eager", "median vs eager", "geometric mean vs best",
                 "median vs best", "above 1.01x vs eager / best")  # fmt: skip
_ROW_HEADER = ("row", "claimed", "vs eager", "vs best baseline", "status", "verdict", "claim", "labels", "seed", "why")


def _claims_text(claims: Mapping[str, Any]) -> str:
    left = {"failed": "the code failed", "degenerate": "the task is degenerate", "without_code": "there is no code",
            "not_judged": "not judged"}  # fmt: skip
    answers = [f"{claims[name]} {name}" for name in (verdict.MET, verdict.MISSED, verdict.UNCERTAIN)]
    answers += [f"{claims[name]} {text}" for name, text in left.items()]
    claimed = wording.counted(claims["claimed"], "speedup")
    lines = [f"{claimed} {'is' if claims['claimed'] == 1 else 'are'} claimed: {', '.join(answers)}."]
    if claims["compared"]:
        lines += [
            f"Over the same {wording.counted(claims['compared'], 'row')}, which passed:",
            wording.table(
                ("", "claimed", "measured vs eager"),
                [(text, *(f"{claims[f'{side}_{kind}']:.2f}x" for side in ("claimed", "measured")))
                 for kind, text in (("geomean", "geometric mean"), ("median", "median"), ("mean", "mean"))],
            ),
        ]  # fmt: skip
    return "\n\n".join(lines)


def _credited_text(means: Mapping[str, float | None]) -> str:
    eager, best = (wording.UNKNOWN if means[side] is None else f"{means[side]:.2f}x" for side in ("eager", "best"))
    return (
        f"Where a row whose note says that it is no win by its nature ({', '.join(NO_WIN)}) counts as 1x at most, the "
        f"geometric mean is {eager} vs eager and {best} vs the best baseline."
    )


def _curve(numbers: Mapping[str, Any]) -> list[tuple[str, ...]]:
    pairs = {p: (numbers["fast_p_eager"][p], numbers["fast_p_best"][p]) for p in numbers["fast_p_eager"]}
    return [(f"p = {p}", *(f"{row['tasks']} ({row['share']:.0%})" for row in pair)) for p, pair in pairs.items()]


def _group(name: str, numbers: Mapping[str, Any]) -> tuple[str, ...]:
    figures = [
        report.ratio(numbers[side][kind]) if numbers[side] else wording.UNKNOWN
        for side in ("eager", "best")
        for kind in ("geomean", "median")
    ]
    above = " / ".join(str(numbers[f"fast_p_{side}"][f"{FAST_P[0]:g}"]["tasks"]) for side in ("eager", "best"))
    return name, str(numbers["judged"]), str(numbers["passed"]), *figures, above


def _row_cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    shown = [row["reason"], *(report.finding_text(each["check"], each["detail"]) for each in row["findings"])]
    notes = ", ".join(note["check"] for note in row["notes"])
    shown.append(f"notes: {notes}" if notes else "")
    best = f"{report.ratio(row['speedup'])} {row['speedup']['vs']}" if row["speedup"] else wording.UNKNOWN
    return (
        row["row"],
        f"{row['claimed']:.2f}x" if row["claimed"] is not None else wording.UNKNOWN,
        report.ratio(row["speedup_eager"]),
        best,
        row["outcome"],
        row["verdict"] or wording.UNKNOWN,
        ("degenerate" if row["degenerate"] else row["claim"]) or wording.UNKNOWN,
        ", ".join(row["labels"]) or wording.UNKNOWN,
        str(row["seed"]) if row["seed"] is not None else wording.UNKNOWN,
        "; ".join(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…" for text in shown if text),
    )


_LONGEST = 240
"""Characters of one finding in a table; JSON has it whole."""
