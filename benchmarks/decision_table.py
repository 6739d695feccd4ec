"""Table and figure of `decision_quality.py`: shares of wrong and missed decisions by method and budget."""

from __future__ import annotations

import importlib
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from journal import Row, table

REPEATS = 100
GROUPS = {"the same": (100,), "2%": (98, 102), "5%": (95, 105), "20%": (83, 120)}
_PANELS = (("the same", "the same code\ncalled faster or slower"), ("2%", "2% faster or slower:\nmissed or reversed"),
           ("5%", "5% faster or slower:\nmissed or reversed"))  # fmt: skip
_STYLE = {"paper": ("#b25d00", "o", "paper's protocol"), "KernelBench": ("#5a5a5a", "s", "KernelBench"),
          "cuda-l1": ("#0b5fa5", "D", "cuda-l1")}  # fmt: skip

_LABEL_AT = {"paper": 8, "KernelBench": -14, "cuda-l1": 8}
_TICKS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class Budget(NamedTuple):
    """What one method decided at one budget. `bad` by group: wrong on the same code; missed or reversed on others."""

    method: str
    name: str
    seconds: float
    counts: dict[str, int]
    bad: dict[str, float]
    reversed: int
    undecided: int
    """AMBIGUOUS on the same code: neither right nor wrong."""
    off: float | None
    """How far ratios were off the true ones at most, but for the worst twentieth: a share; None below twenty."""


def truth(repeats: int) -> str:
    """What should be decided of a candidate with that many repetitions."""
    return "SAME" if repeats == REPEATS else "FAST" if repeats < REPEATS else "SLOW"


def budgets(rows: Sequence[Row]) -> list[Budget]:
    """All methods and budgets, cheapest first."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["row"] == "decision":
            found.setdefault((row["method"], row["budget"]), []).append(row)
    made = [_budget(method, name, its) for (method, name), its in found.items()]
    return sorted(made, key=lambda budget: (list(_STYLE).index(budget.method), budget.seconds))


def _budget(method: str, name: str, rows: list[Row]) -> Budget:
    counts, bad = {}, {}
    for group, repeats in GROUPS.items():
        its = [row for row in rows if row["repeats"] in repeats]
        wrong: Callable[[Row], bool] = _is_false if group == "the same" else _is_missed
        if its:
            counts[group], bad[group] = len(its), statistics.fmean(map(wrong, its))
    backwards = {"FAST": "SLOW", "SLOW": "FAST"}
    return Budget(
        method,
        name,
        statistics.median(row["seconds"] for row in rows),
        counts,
        bad,
        sum(row["decision"] == backwards.get(truth(row["repeats"])) for row in rows),
        sum(row["decision"] == "AMBIGUOUS" for row in rows if row["repeats"] == REPEATS),
        _off([abs(math.log(row["ratio"] * row["repeats"] / REPEATS)) for row in rows if row.get("ratio")]),
    )


def _off(errors: list[float]) -> float | None:
    return math.expm1(statistics.quantiles(errors, n=20)[-1]) if len(errors) >= 20 else None


def _is_false(row: Row) -> bool:
    return row["decision"] in ("FAST", "SLOW")


def _is_missed(row: Row) -> bool:
    return bool(row["decision"] != truth(row["repeats"]))


def render(made: Sequence[Budget]) -> str:
    """Markdown."""
    if not made:
        return "no decision yet"
    lines = []
    for budget in made:
        cells = [f"{budget.bad[g]:.1%} of {budget.counts[g]}" if g in budget.bad else "–" for g in GROUPS]
        off = f"{budget.off:.1%}" if budget.off is not None else "–"
        lines.append(
            (budget.method, budget.name, f"{budget.seconds:.2f}", *cells, budget.reversed, budget.undecided, off)
        )
    header = ("method", "budget", "seconds of timing", "same code: FAST or SLOW", "2%: missed", "5%: missed",
              "20%: missed", "wrong sign", "same code: AMBIGUOUS", "off by (95%)")  # fmt: skip
    return table(header, lines)


def draw(made: Sequence[Budget], path: Path) -> None:
    """Three panels, seconds of timing along, share of bad decisions up; SVG or PNG by the file's name."""
    importlib.import_module("matplotlib").use("agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    pyplot.rcParams.update({"font.size": 11, "svg.fonttype": "none"})
    figure, axes = pyplot.subplots(1, len(_PANELS), figsize=(12, 4.4), sharey=True)
    seconds = [budget.seconds for budget in made]
    for axis, (group, title) in zip(axes, _PANELS, strict=True):
        axis.set_xscale("log")
        for method, (colour, marker, label) in _STYLE.items():
            its = [budget for budget in made if budget.method == method and group in budget.bad]
            points = [(budget.seconds, 100 * budget.bad[group]) for budget in its]
            axis.plot(*zip(*points, strict=True) if points else ([], []), color=colour, marker=marker, label=label)
            for budget, point in zip(its, points, strict=True):
                axis.annotate(budget.name, point, (0, _LABEL_AT[method]), textcoords="offset points", fontsize=8,
                              color=colour, ha="center")  # fmt: skip
        axis.set_title(title, fontsize=11)
        axis.set_xlabel("seconds of timing a decision")
        axis.set_xticks(_TICKS, [f"{tick:g}" for tick in _TICKS])
        axis.minorticks_off()
        axis.set_xlim(min(seconds) / 1.7, max(seconds) * 1.7)
        axis.set_ylim(-6, 100)
        axis.grid(alpha=0.3)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("decisions, %")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="upper center", ncols=3, frameon=False)
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
