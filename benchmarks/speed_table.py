"""The tables of `judge_speed.py`: rates, phases, build times and interval widths out of its rows."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from journal import Row, quartiles, table

KINDS = {"torch": 20, "cuda": 20, "nvrtc": 10, "triton": 10}
"""How many of each kind the sixty hold: the weights of an extrapolated rate."""
PHASES = ("build", "verify", "time")
_NAMES = {"kernelbench": "KernelBench", "authors": "eval_cuda.py"}


def render(rows: Sequence[Row]) -> str:
    """Markdown."""
    judged: dict[str, list[Row]] = {}
    for row in rows:
        if row["row"] == "candidate":
            judged.setdefault(row["judge"], []).append(row)
    parts = [_rates(judged, rows), _phases(judged), _widths(judged), _builds(judged), _refused(judged)]
    return "\n\n".join(part for part in parts if part) or "nothing judged yet"


def mean_seconds(rows: Sequence[Row]) -> dict[str, float]:
    """Mean seconds a candidate by kind, from one evaluator's wall times of what it could run; at least, where its
    patience ended."""
    ran = [row for row in rows if row["passed"] or row.get("out_of_patience")]
    by_kind = {kind: [row["wall_s"] for row in ran if row["kind"] == kind] for kind in KINDS}
    return {kind: statistics.fmean(walls) for kind, walls in by_kind.items() if walls}


def seconds_each(means: dict[str, float], kinds: Sequence[str]) -> float:
    """Mean seconds a candidate over kinds in the sixty's proportions."""
    return sum(KINDS[kind] * means[kind] for kind in kinds) / sum(KINDS[kind] for kind in kinds)


def _rates(judged: dict[str, list[Row]], rows: Sequence[Row]) -> str:
    ours: dict[str, float] = {}
    lines: list[Sequence[object]] = []
    for judge in sorted({row["judge"] for row in rows if row["row"] == "pass"}):
        passes = [row for row in rows if row["row"] == "pass" and row["judge"] == judge]
        wall = sum(row["wall_s"] for row in passes)
        count = sum(row["judged"] for row in passes)
        ours[judge] = wall / count
        idle = " / ".join(
            f"{sum(row[key] * row['wall_s'] for row in passes) / wall:.0%}" if passes[0][key] is not None else "–"
            for key in ("gpu_idle", "lease_idle")
        )
        lines.append((judge, f"{count}, all kinds", f"{ours[judge]:.2f}", f"{3600 / ours[judge]:.0f}", idle, ""))
    for judge, name in _NAMES.items():
        means = mean_seconds(judged.get(judge, []))
        if means:
            each = seconds_each(means, list(means))
            builds_hidden = _without_build(judged[judge], list(means))
            ratios = ", ".join(f"{each / mine:.1f}x {who}" for who, mine in ours.items())
            count = f"{len(judged[judge])}, {' '.join(means)}"
            lines.append((name, count, f"{each:.1f}", f"{3600 / each:.0f}", "", ratios))
            hidden_ratios = ", ".join(f"{builds_hidden / mine:.1f}x {who}" for who, mine in ours.items())
            hidden = (f"{name}, if its builds cost nothing", "", f"{builds_hidden:.1f}", f"{3600 / builds_hidden:.0f}")
            lines.append((*hidden, "", hidden_ratios))
    header = (
        "judge",
        "candidates",
        "seconds a candidate",
        "candidates an hour",
        "idle: GPU / lease",
        "ours is faster by",
    )
    said = (
        "The others' rates are their means by kind, weighted as in the sixty (20 torch, 20 cuda, 10 nvrtc, 10 triton) "
        "over the kinds named; ours is one pass over all kinds."
    )
    return f"{table(header, lines)}\n\n{said}" if lines else ""


def _without_build(rows: list[Row], kinds: Sequence[str]) -> float:
    less = [row | {"wall_s": row["wall_s"] - row.get("seconds", {}).get("build", 0.0)} for row in rows]
    return seconds_each(mean_seconds(less), kinds)


def _phases(judged: dict[str, list[Row]]) -> str:
    lines = []
    for judge, rows in judged.items():
        for kind in KINDS:
            its = [row for row in rows if row["kind"] == kind and row["passed"]]
            if its:
                phases = [quartiles([row["seconds"].get(phase, 0.0) for row in its]) for phase in PHASES]
                whole = quartiles([row.get("wall_s", row["seconds"]["total"]) for row in its])
                lines.append((_NAMES.get(judge, judge), kind, len(its), *phases, whole))
    header = ("judge", "kind", "n", "build, s", "verify, s", "time, s", "in all, s")
    return f"Seconds a candidate that passed, median (quartiles):\n\n{table(header, lines)}" if lines else ""


def _widths(judged: dict[str, list[Row]]) -> str:
    widths: dict[str, dict[tuple[str, str], float]] = {}
    for judge, rows in judged.items():
        ratios = {(row["problem"], row["author"]): row["ratio"] for row in rows if row["ratio"]}
        widths[judge] = {which: (hi - lo) / value for which, (value, lo, hi) in ratios.items()}
        if by_blocks := [row for row in rows if row.get("alone")]:
            widths[f"{judge}, by repetitions alone"] = {
                (row["problem"], row["author"]): (row["alone"][1] - row["alone"][0]) / row["ratio"][0]
                for row in by_blocks
            }
    lines = []
    for judge, its in widths.items():
        cells = []
        for other in _NAMES:
            both = sorted(set(its) & set(widths.get(other, {})))
            narrower = sum(its[which] < widths[other][which] for which in both)
            cells.append("" if judge in _NAMES or not both else f"{narrower} of {len(both)}")
        lines.append((_NAMES.get(judge, judge), len(its), quartiles([100 * width for width in its.values()]), *cells))
    header = (
        "judge",
        "n",
        "width of the 95% interval, % of the ratio",
        *(f"narrower than {name}" for name in _NAMES.values()),
    )
    note = (
        "Ours hold differences between processes of equal code too, but in the row that says otherwise; theirs only "
        "what repetitions in one process show."
    )
    return f"{table(header, lines)}\n\n{note}" if lines else ""


def _builds(judged: dict[str, list[Row]]) -> str:
    lines = []
    for judge, rows in judged.items():
        seconds = sorted(row["seconds"]["build"] for row in rows if row["kind"] == "cuda" and row["passed"])
        if len(seconds) > 1:
            tenths = statistics.quantiles(seconds, n=10, method="inclusive")
            shown = (seconds[0], tenths[0], tenths[4], tenths[8], seconds[-1])
            lines.append((_NAMES.get(judge, judge), len(seconds), *(f"{s:.2f}" for s in shown)))
    header = ("inline CUDA builds", "n", "least, s", "10%", "median", "90%", "largest")
    return table(header, lines) if lines else ""


def _refused(judged: dict[str, list[Row]]) -> str:
    lines = [
        f"- {_NAMES.get(judge, judge)}, {row['author']} on {row['problem']}: {' '.join(row['said'].split())[:200]}"
        for judge, rows in judged.items()
        for row in rows
        if not row["passed"]
    ]
    return "\n".join(["Not passed:", *lines]) if lines else ""
