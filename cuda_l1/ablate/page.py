"""An ablation for people: its tables as rows of text, what they say in sentences, and all of it as a page.

A summary of `study` goes in, text comes out; times and factors keep their intervals. NOT covered: where it is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from cuda_l1 import report, wording
from cuda_l1.wording import UNKNOWN

Rows = list[tuple[str, ...]]
SUBSETS = ("parts on", "status", "judged", "median", "vs eager", "vs none", "why")
EFFECTS = ("part", "alone", "on top of the rest", "Shapley share", "it is")
PAIRS = ("pair", "together", "product of each alone", "factor", "they")
_WHY = {
    "interrupted": "Interrupted: what was judged is kept; the same command goes on.",
    "not judged": "The judge failed on a subset: the same command judges it again.",
    "degenerate": "The task is degenerate: its output does not depend on its inputs, so no speedup means anything.",
    "does not pass": "The candidate with all its parts on does not pass, so there is no gain to explain.",
}
_SAYS = {
    "help": "they help each other: together they give more than the product",
    "hinder": "they hinder each other: together they give less than the product",
    "multiply": "they multiply, to within one per cent",
    "cannot tell": "whether they help or hinder each other these measurements cannot tell",
}
METHOD = (
    "A factor is a ratio of times, above 1 is faster. `alone` adds a part to none, `on top of the rest` takes it away "
    "from all; Shapley shares multiply to what all parts do together. Intervals are 95% and hold what judging the same "
    "code again gives; those of factors add the subsets' own in quadrature. One that holds 1 says nothing."
)


def subset_rows(total: Mapping[str, Any], *, longest_why: int = 90) -> Rows:
    """One row for each planned subset, in the order of judging."""
    base = next((row for row in total["subsets"] if not row["on"]), None)
    rows: Rows = []
    for row in total["subsets"]:
        judged = row["status"] is not None
        text = report.cells(row) if judged else None
        notes = [f"{note['check']}: {note['detail']}" for note in row["notes"] if note["check"] in report.DENIALS]
        why = "; ".join(filter(None, [text.why if text else "", row["why"], *notes]))
        rows.append(
            (
                subset_name([part["name"] for part in total["parts"]], row["on"]),
                row["status"] or "not judged",
                f"{row['judged']}x",
                text.time if text else UNKNOWN,
                text.eager if text else UNKNOWN,
                _over(row, base),
                why if len(why) <= longest_why else why[: longest_why - 1] + "…",
            )
        )
    return rows


def subset_name(names: list[str], on: list[str]) -> str:
    """`all`, `none`, or what is on; what is off where that is one part of three or more."""
    off = [name for name in names if name not in on]
    if not off:
        return f"all: {' + '.join(names)}"
    if not on:
        return "none"
    return f"all but {off[0]}" if len(off) == 1 and len(names) > 2 else " + ".join(on)


def _over(row: Mapping[str, Any], base: Mapping[str, Any] | None) -> str:
    """The ratio to the subset with nothing on, without interval: a help for reading, the effects have theirs."""
    if base is None or row is base or not row["speedup_eager"] or not base["speedup_eager"]:
        return UNKNOWN
    return f"{row['speedup_eager']['value'] / base['speedup_eager']['value']:.2f}x"


def effect_rows(total: Mapping[str, Any]) -> Rows:
    """One row for each part."""
    return [
        (row["part"], *(report.ratio(row[name]) for name in ("alone", "last", "shapley")), row["worth"])
        for row in total["analysis"]["effects"]
    ]


def pair_rows(total: Mapping[str, Any]) -> Rows:
    """One row for each pair that was measured without the others."""
    return [
        (
            " + ".join(row["parts"]),
            *(report.ratio(row[name]) for name in ("together", "product", "factor")),
            row["says"],
        )
        for row in total["analysis"]["pairs"]
    ]


def sentences(total: Mapping[str, Any]) -> list[str]:
    """What the numbers say, the most important first."""
    analysis, said = total["analysis"], []
    if total["outcome"] in _WHY:
        said.append(_WHY[total["outcome"]])
    if total["due"] and total["outcome"] == "measured":
        said.append(
            f"{total['due']} measurements do not count, because other programs took the machine meanwhile: wait until "
            "it is free, and the same command makes those again."
        )
    if analysis["together"] is not None:
        count = len(total["parts"])
        parts = f"All {count} parts together" if count > 1 else f"The only part, {total['parts'][0]['name']},"
        said.append(f"{parts} make it {report.ratio(analysis['together'])} as fast as with none ({total['none']}).")
    found = analysis["interaction"]
    if found is not None:
        singles = "each part alone" if found["by"] == "alone" else "what each part is worth on top of the rest"
        said.append(
            f"The product of {singles} is {report.ratio(found['product'])}; the factor between is "
            f"{report.ratio(found['factor'])} (logarithm {_log(found['log'])}): {_SAYS[found['says']]}."
        )
    deviation = total["repeats"]["log_deviation"]
    if deviation is None:
        said.append("Each subset was judged once: --repeats 2 also measures how far equal code differs.")
    else:
        said.append(
            f"The same code judged again differs by a factor of {math.exp(deviation):.2f} (standard deviation)."
        )
    costly = [row["part"] for row in analysis["effects"] if row["worth"] == "slower" and row["last"]]
    if costly:
        said.append(f"Faster without: {', '.join(costly)}.")
    return said


def _log(interval: Mapping[str, float]) -> str:
    return f"{interval['value']:+.2f} [{interval['lo']:+.2f}, {interval['hi']:+.2f}]"


def markdown(total: Mapping[str, Any]) -> str:
    """The page."""
    parts = [(part["name"], part["note"]) for part in total["parts"]]
    sections = [
        f"# {wording.plain(total['name'])}: what each part is worth",
        "\n".join(f"- {wording.plain(text)}" for text in sentences(total)),
        f"Run `{total['run_id']}`, task `{total['task_id']}`; parts taken away by {total['by']}.",
        "## Subsets",
        wording.table(SUBSETS, subset_rows(total, longest_why=300)),
        "## Parts",
        wording.table(EFFECTS, effect_rows(total)),
        *(["## Pairs, without the other parts", wording.table(PAIRS, pair_rows(total))] * bool(pair_rows(total))),
        METHOD,
        "## What the parts are",
        wording.table(("part", "what it is"), parts),
        *(["## No part here", wording.table(("technique", "why"), total["declined"])] * bool(total["declined"])),
        "## Environment",
        wording.environment_text(total["environment"], total["devices"]),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"
