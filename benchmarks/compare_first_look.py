"""Where `cuda-l1 verify --claims` and an earlier, rougher look at the same release disagree, and why.

    python benchmarks/compare_first_look.py runs/claims-h100 EARLIER.json

EARLIER.json is a list with an object for each row: level, task, claimed, and either `failed` (a message) or
max_rel_error, error_same_address_new_values, error_other_distribution, error_new_weights (norms of the relative error,
null or a text where not tried), output_same_for_two_seeds, earlier_output_overwritten_by_next_call and speedup_host
(against eager, by a host clock). Rows disagree when one passed and the other did not, when both failed for other
reasons, or when both passed and the speedups differ by more than 20%.
NOT covered: which of the two is right; the reason shown is what our judge found.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from journal import table

from cuda_l1 import claims, release, report, wording
from cuda_l1.types import Status

WITHIN = 1.2
"""Speedups further apart than this factor disagree."""
_BOUND = 1e-2
_ERRORS = {
    "max_rel_error": "",
    "error_same_address_new_values": " on new values at the same address",
    "error_other_distribution": " on another distribution",
    "error_new_weights": " with other weights",
}
_KINDS = {
    Status.BUILD_FAILED: "did not run",
    Status.CRASHED: "did not run",
    Status.TIMED_OUT: "did not run",
    Status.WRONG_OUTPUT: "wrong",
    Status.REJECTED: "rejected",
}


class Word(NamedTuple):
    """What one of the two says of a row."""

    kind: str
    """`passed`, `wrong`, `rejected`, `did not run`, `constant output`, or what our judge has no word for."""
    detail: str
    speedup: float | None


class Difference(NamedTuple):
    """A row on which they disagree."""

    row: str
    what: str
    """`status` or `speedup`."""
    earlier: Word
    ours: Word
    reason: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of cuda-l1 verify --claims")
    parser.add_argument("earlier", type=Path)
    arguments = parser.parse_args()
    rows = release.summary(*claims.read(arguments.folder))["rows"]
    print(render(rows, json.loads(arguments.earlier.read_text())))


def earlier_word(row: Mapping[str, Any]) -> Word:
    """One row of the earlier look, by its own rules in the order of how much each says."""
    if "failed" in row:
        return Word("did not run", row["failed"], None)
    speedup = row["speedup_host"]
    if row["output_same_for_two_seeds"]:
        return Word("constant output", "the same output for two seeds", speedup)
    for name, where in _ERRORS.items():
        if isinstance(row[name], int | float) and not row[name] <= _BOUND:
            return Word("wrong", f"error {row[name]:.3g}{where}", speedup)
    if row["earlier_output_overwritten_by_next_call"]:
        return Word("rejected", "the next call overwrites the output", speedup)
    return Word("passed", "", speedup)


def our_word(row: Mapping[str, Any]) -> Word:
    """One row of the report."""
    findings = "; ".join(f"{each['check']}: {each['detail']}" for each in row["findings"]) or row["reason"]
    speedup = row["speedup_eager"]["value"] if row["speedup_eager"] else None
    if row["outcome"] == Status.PASSED:
        return Word("constant output" if row["degenerate"] else "passed", findings, speedup)
    return Word(_KINDS.get(row["outcome"], row["outcome"]), findings, speedup)


def differences(rows: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    """All disagreements, over the rows on which both have a word."""
    known = {f"{row['level']}/{row['task']}": earlier_word(row) for row in earlier}
    for row in rows:
        if row["row"] not in known or row["outcome"] in (release.LEFT, release.NO_CODE):
            continue
        before, ours = known[row["row"]], our_word(row)
        if before.kind != ours.kind:
            yield Difference(row["row"], "status", before, ours, _reason(row, ours))
        elif ours.kind == "passed" and before.speedup and ours.speedup:
            apart = max(before.speedup / ours.speedup, ours.speedup / before.speedup)
            if apart > WITHIN:
                yield Difference(row["row"], "speedup", before, ours, _reason(row, ours))


def _reason(row: Mapping[str, Any], ours: Word) -> str:
    """Our findings; where there are none, our notes, the interval and what the labels say."""
    if ours.detail:
        return ours.detail
    notes = [f"{note['check']}: {note['detail']}" for note in row["notes"]]
    labels = [f"labels {', '.join(row['labels'])}"] if row["labels"] else []
    return "; ".join([f"measured {report.ratio(row['speedup_eager'])}", *labels, *notes])


def render(rows: Sequence[Mapping[str, Any]], earlier: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: how often which word meets which, then every disagreement."""
    known = {f"{row['level']}/{row['task']}": earlier_word(row).kind for row in earlier}
    met = Counter(
        (known[row["row"]], our_word(row).kind)
        for row in rows
        if row["row"] in known and row["outcome"] not in (release.LEFT, release.NO_CODE)
    )
    found = list(differences(rows, earlier))
    lines = [
        (each.row, each.what, each.earlier.kind, _times(each.earlier), each.ours.kind, _times(each.ours),
         wording.plain("; ".join(filter(None, (each.earlier.detail and f"earlier: {each.earlier.detail}",
                                              f"ours: {each.reason}")))))
        for each in found
    ]  # fmt: skip
    header = ("row", "differs in", "earlier", "earlier speedup", "ours", "our speedup", "reason")
    parts = [
        f"{met.total()} rows with a word of both; {len(found)} disagreements.",
        table(("earlier", "ours", "rows"), [(*pair, count) for pair, count in sorted(met.items())]),
        table(header, lines) if lines else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _times(word: Word) -> str:
    return f"{word.speedup:.3g}x" if word.speedup else wording.UNKNOWN


if __name__ == "__main__":
    main()
