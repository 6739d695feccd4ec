"""How often two words on the same rows of a release agree: rows judged twice in one folder, or by two passes.

    python benchmarks/judged_twice.py runs/claims-h100              # rows judged anew there, under other settings
    python benchmarks/judged_twice.py runs/claims-h100 EARLIER      # against another pass
    python benchmarks/judged_twice.py docs/results/h100_release.md EARLIER.md

A pass is a folder of `verify --claims`, or the page of its report. The later word of a row is the one that the report
takes, the earlier one the last before it, or the other pass's. A row that our own failure left without a word counts
nowhere. NOT covered: which of the two is right, and what changed between them (machine, judge, threads).
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from journal import table

from cuda_l1 import claims, journal, release, report, wording
from cuda_l1.types import Interval, Status

_HAS_WORD = {str(status) for status in Status} - {str(Status.INFRA_FAILED)}
_RATIO = re.compile(r"([\d.]+)x \[([\d.]+), ([\d.]+)\]")


class Word(NamedTuple):
    """What a pass says of a row."""

    status: str
    verdict: str
    eager: Interval | None
    said: str


class Pair(NamedTuple):
    """Two words on one row; both passed where there is a ratio."""

    row: str
    earlier: Word
    later: Word

    @property
    def ratio(self) -> float:
        """By what factor the speedups against eager differ, 1 or more; 0 where one has none."""
        one, two = self.earlier.eager, self.later.eager
        return max(one.value / two.value, two.value / one.value) if one and two else 0.0

    @property
    def apart(self) -> bool:
        """Whether the intervals against eager have nothing in common."""
        one, two = self.earlier.eager, self.later.eager
        return one is not None and two is not None and (one.hi < two.lo or two.hi < one.lo)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("later", type=Path, help="folder of cuda-l1 verify --claims, or its page")
    parser.add_argument("earlier", type=Path, nargs="?", help="another one")
    arguments = parser.parse_args()
    earlier = read(arguments.earlier) if arguments.earlier else before(arguments.later)
    print(render(pairs(earlier, read(arguments.later))))


def read(path: Path) -> dict[str, Word]:
    """The words that a report takes, of a folder or of its page."""
    return _of_page(path.read_text()) if path.is_file() else _of_rows(release.summary(*claims.read(path))["rows"])


def before(folder: Path) -> dict[str, Word]:
    """The last word on each row that was given under other settings than the listing's."""
    listing, _ = claims.read(folder)
    keys = {row.row: row.key for row in listing.rows}
    found = [claims.Result.model_validate(line) for line in journal.lines(folder / claims.RESULTS)]
    others = {each.row: each for each in found if each.row in keys and each.key != keys[each.row]}
    return _of_rows(release.summary(listing, others)["rows"])


def _of_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, Word]:
    words = {}
    for row in rows:
        eager = row["speedup_eager"]
        findings = "; ".join(f"{each['check']}: {each['detail']}" for each in row["findings"])
        best = f"{report.ratio(row['speedup'])} {row['speedup']['vs']}" if row["speedup"] else wording.plain(findings)
        interval = Interval(value=eager["value"], lo=eager["lo"], hi=eager["hi"]) if eager else None
        words[row["row"]] = Word(row["outcome"], row["verdict"] or "", interval, best)
    return {row: word for row, word in words.items() if word.status in _HAS_WORD}


def _of_page(page: str) -> dict[str, Word]:
    words = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 10 or not re.fullmatch(r"\d+/\d+", cells[0]):
            continue
        row, _, eager, best, status, verdict, _, _, _, why = cells
        found = _RATIO.match(eager)
        interval = Interval(value=float(found[1]), lo=float(found[2]), hi=float(found[3])) if found else None
        words[row] = Word(status, verdict if found else "", interval, best if found else why)
    return {row: word for row, word in words.items() if word.status in _HAS_WORD}


def pairs(earlier: Mapping[str, Word], later: Mapping[str, Word]) -> list[Pair]:
    """The rows with two words, in the later one's order."""
    return [Pair(row, earlier[row], word) for row, word in later.items() if row in earlier]


def render(found: Sequence[Pair]) -> str:
    """Markdown: how many agree, then every row whose status or verdict differs."""
    same = [one for one in found if one.earlier.status == one.later.status]
    passed = [one for one in same if one.ratio]
    verdicts = Counter((one.earlier.verdict, one.later.verdict) for one in passed)
    ratios = sorted(one.ratio - 1 for one in passed)
    parts = [f"{len(found)} rows with two words: {len(same)} the same status; {len(passed)} passed twice."]
    if passed:
        parts += [
            f"Speedups against eager differ by {statistics.median(ratios):.1%} in the median, by at most "
            f"{ratios[int(0.9 * len(ratios))]:.1%} in nine of ten, by {ratios[-1]:.1%} at most. Intervals without a "
            f"common point: {', '.join(one.row for one in passed if one.apart) or 'none'}.",
            table(("earlier", "later", "rows"), [(*pair, count) for pair, count in sorted(verdicts.items())]),
        ]
    differ = [one for one in found if one.earlier[:2] != one.later[:2]]
    if differ:
        lines = [(one.row, *(" ".join(filter(None, word[:2] + word[3:])) for word in one[1:])) for one in differ]
        parts.append(table(("row", "earlier", "later"), lines))
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
