"""Tables and figure of `sampling.py`: samples needed, with intervals, and what one outlier does to the choice."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from journal import Row, table

RESAMPLES = 4000
ALL = "all"
_STYLE = {"none": ("#9a9a9a", "v"), "random": ("#5a5a5a", "s"), "island": ("#7b4fa3", "^"), "bucket": ("#1a8a4a", "o"),
          "paper": ("#b25d00", "X"), "contrast": ("#0b5fa5", "D"), "contrast, blind": ("#7fb2dd", "d")}  # fmt: skip


class Mean(NamedTuple):
    """Mean samples needed with its 95% interval over tasks, and the share of searches that arrived."""

    value: float
    lo: float
    hi: float
    arrived: float


Needed = dict[str, dict[str, list[int]]]
"""Samples needed by landscape, sampler and task; the tasks of one landscape stand in the same order everywhere."""


def needed(rows: Sequence[Row]) -> Needed:
    """All searches, and those of all landscapes together as ALL."""
    found: Needed = {}
    for row in sorted((row for row in rows if "needed" in row), key=lambda row: int(row["seed"])):
        found.setdefault(row["landscape"], {}).setdefault(row["sampler"], []).extend(row["needed"])
    if found:
        names = next(iter(found.values()))
        found[ALL] = {name: [n for its in found.values() for n in its.get(name, ())] for name in names}
    return found


def mean(values: Sequence[int], cap: int) -> Mean:
    """The bootstrap's percentile interval; a search that did not arrive counts as `cap`."""
    found = np.asarray(values, dtype=float)
    lo, hi = np.quantile(_resampled(found), (0.025, 0.975))
    return Mean(float(found.mean()), float(lo), float(hi), float((found < cap).mean()))


def saved(values: Sequence[int], others: Sequence[int]) -> tuple[float, float, float]:
    """Mean of `values` over the mean of `others` on the same tasks, with the 95% interval of the paired bootstrap."""
    one, other = np.asarray(values, dtype=float), np.asarray(others, dtype=float)
    lo, hi = np.quantile(_resampled(one) / _resampled(other), (0.025, 0.975))
    return float(one.mean() / other.mean()), float(lo), float(hi)


def _resampled(values: np.ndarray) -> np.ndarray:
    """[RESAMPLES] means of tasks drawn with replacement, the same draws for every sampler."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(len(values), np.full(len(values), 1 / len(values)), size=RESAMPLES)
    return counts @ values / len(values)  # type: ignore[no-any-return]


def effective(counts: Sequence[int]) -> float:
    """exp of the entropy: how many candidates it would take, chosen equally often, to vary as much."""
    total = sum(counts)
    return math.exp(-sum(n / total * math.log(n / total) for n in counts if n))


def render(rows: Sequence[Row], cap: int) -> str:
    """Markdown: samples, shares that arrived, ratios, and the spread of the choice."""
    found = needed(rows)
    if not found:
        return "no search yet"
    names = [name for name in _STYLE if name in found[ALL]]
    tasks = len(next(iter(found[ALL].values()))) // (len(found) - 1)
    parts = [f"Mean samples until 95% of the best log-speedup ({cap} where not reached), over {tasks} tasks each:"]
    means = {land: {name: mean(its[name], cap) for name in names} for land, its in found.items()}
    parts.append(table(("landscape", *names), [
        (land, *(f"{m.value:.0f} [{m.lo:.0f}, {m.hi:.0f}]" for m in its.values())) for land, its in means.items()
    ]))  # fmt: skip
    parts.append(f"Share of the searches that reached it within {cap} samples:")
    parts.append(table(("landscape", *names), [
        (land, *(f"{m.arrived:.0%}" for m in its.values())) for land, its in means.items()
    ]))  # fmt: skip
    if "contrast" in names:
        others = [name for name in names if name != "contrast"]
        parts.append("Samples of `contrast` over those of the others, on the same tasks (below 1: it needs fewer):")
        parts.append(table(("landscape", *others), [
            (land, *("{:.2f} [{:.2f}, {:.2f}]".format(*saved(its["contrast"], its[name])) for name in others))
            for land, its in found.items()
        ]))  # fmt: skip
    spreads = [row for row in rows if row["row"] == "spread"]
    if spreads:
        outliers = sorted({row["outlier"] for row in spreads})
        by_name = {(row["sampler"], row["outlier"]): effective(row["counts"]) for row in spreads}
        parts.append("Of twenty candidates, as many are effectively chosen when the best is so many times the next:")
        parts.append(table(("strategy", *(f"{n:,.0f}x" for n in outliers)), [
            (name, *(f"{by_name[name, n]:.1f}" for n in outliers)) for name in names if (name, 1) in by_name
        ]))  # fmt: skip
    return "\n\n".join(parts)


def render_settings(rows: Sequence[Row], cap: int) -> str:
    """Markdown: mean samples by strategy, temperature and width, over all landscapes."""
    lines = []
    for name, values in needed(rows)[ALL].items():
        found = mean(values, cap)
        lines.append((*name.split(), f"{found.value:.0f} [{found.lo:.0f}, {found.hi:.0f}]", f"{found.arrived:.0%}"))
    return table(("strategy", "temperature", "width", "mean samples", "arrived"), lines)


def draw(rows: Sequence[Row], path: Path, cap: int) -> None:
    """Left: samples by landscape and strategy. Right: effective number of candidates chosen against the outlier."""
    importlib.import_module("matplotlib").use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    pyplot.rcParams.update({"font.size": 11, "svg.fonttype": "none"})
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(13, 8), width_ratios=(1.6, 1))
    found = needed(rows)
    names = [name for name in _STYLE if name in found[ALL]]
    for place, name in enumerate(names):
        colour, marker = _STYLE[name]
        its = [mean(found[land][name], cap) for land in found]
        heights = [-at + 0.36 - 0.72 * place / (len(names) - 1) for at in range(len(found))]
        spans = np.array([(m.value - m.lo, m.hi - m.value) for m in its]).T
        left.errorbar([m.value for m in its], heights, xerr=spans, fmt=marker, color=colour, markersize=5, label=name)
    left.set_yticks([-at for at in range(len(found))], list(found))
    for at in range(len(found) - 1):
        left.axhline(-at - 0.5, color="#dddddd", linewidth=0.8)
    left.set_ylim(-len(found) + 0.45, 0.55)
    left.set_xlim(0, cap * 1.02)
    left.set_xlabel(f"mean samples until 95% of the best log-speedup\n({cap} where not reached; bars: 95% intervals)")
    left.grid(axis="x", alpha=0.3)
    for name in names:
        points = [(row["outlier"], effective(row["counts"])) for row in rows
                  if row["row"] == "spread" and row["sampler"] == name]  # fmt: skip
        if points:
            colour, marker = _STYLE[name]
            right.plot(*zip(*sorted(points), strict=True), color=colour, marker=marker, label=name)
    right.set_xscale("log")
    right.set_ylim(0, 20.8)
    right.set_xlabel("best of twenty scores, as a multiple of the next\n(two exemplars a prompt)")
    right.set_ylabel("candidates effectively chosen (exp of the entropy)")
    right.grid(alpha=0.3)
    for axis in (left, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.legend(*left.get_legend_handles_labels(), loc="upper center", ncols=len(names), frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.95))
    figure.savefig(path, dpi=130)
    pyplot.close(figure)
