"""What a verdict takes by several versions of the judge: each of some tasks in a session of its own, version by version
in turn, its own code as the only candidate, against eager.

    python benchmarks/sessions.py run --checkouts OLD NEW --rounds 3 --limit 900 --out sessions.jsonl
    python benchmarks/sessions.py table sessions.jsonl

Seconds to open a session (the reference is asked, on all that is drawn), and of its candidate (built, verified, timed).
Ratios are to the first checkout, of medians over rounds; the last line is their geometric mean. NOT covered: several
at once (judge_speed.py), whose time overlaps.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from journal import Journal, Row, limit, table

ROOT = Path(__file__).resolve().parent.parent
ONE = """
import json, sys, time
from cuda_l1 import tasks
from cuda_l1.judge import JudgeConfig, judge
from cuda_l1.types import Candidate

target, device, effort = sys.argv[1:]
task = tasks.load(target)
code = task.source.replace("Model", "ModelNew")
started = time.perf_counter()
(made,) = judge(task, [Candidate(task_id=task.id, code=code, origin="human")],
                JudgeConfig(device=device, effort=effort, baselines=()))
print(json.dumps({"all_s": time.perf_counter() - started, "candidate_s": sum(made.seconds.model_dump().values()),
                  "status": made.status, "judge": made.environment.judge_version}))
"""
"""Run with a checkout as the package's only path."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--checkouts", type=Path, nargs="+", default=[ROOT], help="folders of this repository")
    run.add_argument("--tasks", type=Path, nargs="+", default=some(), help="files; else examples, and some of tests/")
    run.add_argument("--device", default="cpu")
    run.add_argument("--effort", default="glance")
    run.add_argument("--rounds", type=int, default=3)
    run.add_argument("--limit", type=float, required=True, help="seconds")
    run.add_argument("--out", type=Path, required=True)
    shown = commands.add_parser("table")
    shown.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        journal = Journal(options.out)
        with limit(options.limit):
            measure(journal, options)
        print(render(journal.rows))
    else:
        print(render([row for path in options.files for row in Journal(path).rows]))


def measure(journal: Journal, options: argparse.Namespace) -> None:
    """What the journal does not hold yet, round after round, each task by all checkouts one after the other."""
    known = {(row["round"], row["task"], row["checkout"]) for row in journal.rows}
    for number in range(options.rounds):
        for target in options.tasks:
            for checkout in options.checkouts:
                key = (number, target.stem, checkout.resolve().name)
                if key not in known:
                    said = one(target, checkout.resolve(), options)
                    journal.add({**dict(zip(("round", "task", "checkout"), key, strict=True)), **said})


def some() -> list[Path]:
    """The examples, and one in forty of the tasks of specimens."""
    return [*sorted((ROOT / "examples").glob("*.py")), *sorted((ROOT / "tests/cheats/tasks").glob("*.py"))[::40]]


def one(target: Path, checkout: Path, options: argparse.Namespace) -> Row:
    """One session in a process of its own."""
    arguments = [str(target), options.device, options.effort]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ONE, *arguments],
        env={**os.environ, "PYTHONPATH": str(checkout)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return {"status": done.stderr.strip().rpartition("\n")[2][:200]}
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


def render(rows: list[Row]) -> str:
    """By task the seconds of each judge, and how many times as long as the first took."""
    timed = [row for row in rows if "all_s" in row]
    judges = list(dict.fromkeys(row["judge"] for row in timed))
    taken = {
        (task, judge): [statistics.median(row[part] for row in some) for part in ("all_s", "candidate_s")]
        for task in dict.fromkeys(row["task"] for row in timed)
        for judge in judges
        if (some := [row for row in timed if (row["task"], row["judge"]) == (task, judge)])
    }
    shared = [task for task in dict.fromkeys(task for task, _ in taken) if all((task, j) in taken for j in judges)]
    lines = [
        (task, *(f"{taken[task, judge][0]:.2f} ({taken[task, judge][1]:.2f})" for judge in judges)) for task in shared
    ]
    ratios = (
        [[taken[task, judge][0] / taken[task, judges[0]][0] for task in shared] for judge in judges] if shared else []
    )
    lines.append(("all, times the first", *(f"{statistics.geometric_mean(each):.2f}" for each in ratios)))
    failed = [f"{row['task']} by {row['checkout']}: {row['status']}" for row in rows if row.get("status") != "PASSED"]
    heads = ("task", *(f"judge {judge}, s (its candidate)" for judge in judges))
    return "\n\n".join([table(heads, lines), f"{len(timed)} sessions; not PASSED: {', '.join(failed) or 'none'}"])


if __name__ == "__main__":
    main()
