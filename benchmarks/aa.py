"""A/A: the reference's own code as candidate, judged as any other. Every FAST or SLOW is false.

    python benchmarks/aa.py run --device cuda --rounds 4 --limit 240 --out aa.jsonl
    python benchmarks/aa.py table aa.jsonl

Rows hold one verdict each. The table counts them, gives the one-sided 95% Clopper-Pearson bound of the false rate, how
often the interval holds 1, and by task the spread of the ratios. NOT covered: wrong verdicts on code that does differ
(`decision_quality.py`).
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import get_args

from aa_tasks import itself, tasks
from journal import Journal, Row, limit, table

from cuda_l1.types import Candidate, Effort, Evaluation, Task

Job = tuple[Task, list[Candidate]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--device", default="cpu")
    run.add_argument("--rounds", type=int, default=4, help="sessions of each task")
    run.add_argument("--each", type=int, default=4, help="verdicts in a session, each with processes of its own")
    run.add_argument("--effort", choices=get_args(Effort), default="normal")
    run.add_argument("--workers", type=int, help="default: 6 on a GPU, 1 on a CPU")
    run.add_argument("--only", default="", help="tasks whose name holds this text")
    run.add_argument("--limit", type=float, required=True, help="seconds")
    run.add_argument("--out", type=Path, required=True)
    shown = commands.add_parser("table")
    shown.add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "run":
        journal = Journal(arguments.out)
        with limit(arguments.limit):
            measure(journal, arguments)
        print(render(journal.rows))
    else:
        print(render([row for path in arguments.files for row in Journal(path).rows]))


def measure(journal: Journal, arguments: argparse.Namespace) -> None:
    """Judge what the journal does not hold yet, round after round."""
    from cuda_l1.judge import JudgeConfig, pool

    config = JudgeConfig(device=arguments.device, effort=arguments.effort, baselines=())
    known = {(row["device"], row["effort"], row["round"], row["task"]) for row in journal.rows}
    named: list[tuple[int, Job]] = []
    for number in range(arguments.rounds):
        for task in tasks(config.device):
            if arguments.only in task.name and (config.device, config.effort, number, task.name) not in known:
                named.append((number, (task, [itself(task, i) for i in range(arguments.each)])))
    workers = arguments.workers or (6 if config.device.startswith("cuda") else 1)
    for index, outcome in pool.run([job for _, job in named], config, workers):
        number, (task, _) = named[index]
        if isinstance(outcome, Exception):
            print(f"{task.name}: {type(outcome).__name__}: {outcome}", file=sys.stderr)
            continue
        for evaluation in outcome:
            where = {"device": config.device, "effort": config.effort, "round": number, "task": task.name}
            journal.add(where | _row(evaluation))
        print(task.name, *(e.verdict or e.status for e in outcome), file=sys.stderr)


def _row(evaluation: Evaluation) -> Row:
    speedup = evaluation.speedup
    return {
        "status": evaluation.status,
        "verdict": evaluation.verdict,
        "ratio": [speedup.value, speedup.lo, speedup.hi] if speedup else None,
        "call_us": statistics.median(evaluation.times_us) if evaluation.times_us else None,
        "findings": [f"{finding.check}: {finding.detail}" for finding in evaluation.findings],
        "notes": [note.check for note in evaluation.notes],
        "seconds": evaluation.seconds.model_dump(),
        "where": evaluation.environment.device,
        "seed": evaluation.seed,
    }


def upper_bound(failures: int, trials: int) -> float:
    """One-sided 95% Clopper-Pearson bound: the largest rate under which so few failures have a chance of 5%."""
    if failures >= trials:
        return 1.0

    def chance(rate: float) -> float:
        return math.fsum(math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(failures + 1))

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) > 0.05 else (low, middle)
    return high


def render(rows: Sequence[Row]) -> str:
    """Markdown: for each kind of device and effort the counts and a row a task."""
    parts = []
    for device, effort in sorted({(row["where"], row["effort"]) for row in rows}):
        parts.append(_of_device([row for row in rows if (row["where"], row["effort"]) == (device, effort)]))
    return "\n\n".join(parts) or "no verdict yet"


def _of_device(rows: list[Row]) -> str:
    judged = [row for row in rows if row["verdict"] is not None]
    counts = Counter(row["verdict"] for row in judged)
    false = counts["FAST"] + counts["SLOW"]
    held = sum(row["ratio"][1] <= 1 <= row["ratio"][2] for row in judged)
    lines = [
        f"A/A on {rows[0]['where']}, effort {rows[0]['effort']}: {len(judged)} verdicts, {counts['SAME']} SAME, "
        f"{counts['AMBIGUOUS']} AMBIGUOUS, {counts['FAST']} FAST, {counts['SLOW']} SLOW.",
    ]
    if judged:
        lines.append(
            f"False: {false} of {len(judged)}, that is at most {upper_bound(false, len(judged)):.2%} with 95% "
            f"certainty. The interval holds 1 in {held} of {len(judged)}."
        )
    refused = [row for row in rows if row["verdict"] is None]
    lines += [f"Not PASSED: {row['task']}: {row['status']} {'; '.join(row['findings'])}" for row in refused]
    by_task: dict[str, list[Row]] = {}
    for row in judged:
        by_task.setdefault(row["task"], []).append(row)
    header = ("task", "call, us", "n", "SAME", "AMBIGUOUS", "FAST", "SLOW", "ratio, least to largest",
              "interval's width, median", "seconds a verdict (timing)", "notes")  # fmt: skip
    ordered = sorted(by_task.items(), key=lambda item: statistics.median(row["call_us"] for row in item[1]))
    return "\n".join([*lines, "", table(header, [_line(name, its) for name, its in ordered])])


def _line(name: str, rows: list[Row]) -> list[object]:
    def middle(get: Callable[[Row], float]) -> float:
        return statistics.median(get(row) for row in rows)

    ratios = [row["ratio"][0] for row in rows]
    counts = Counter(row["verdict"] for row in rows)
    notes = Counter(note for row in rows for note in set(row["notes"]))
    return [
        name,
        f"{middle(lambda row: row['call_us']):.3g}",
        len(rows),
        *(counts[word] or "" for word in ("SAME", "AMBIGUOUS", "FAST", "SLOW")),
        f"{min(ratios):.4f} to {max(ratios):.4f}",
        f"{middle(lambda row: (row['ratio'][2] - row['ratio'][1]) / row['ratio'][0]):.2%}",
        f"{middle(lambda row: row['seconds']['total']):.2f} ({middle(lambda row: row['seconds']['time']):.2f})",
        ", ".join(f"{count} {note}" for note, count in notes.most_common(3)),
    ]


if __name__ == "__main__":
    main()
