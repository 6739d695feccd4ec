"""Candidates an hour, and where the seconds go: this judge, KernelBench's evaluator, and the authors' eval_cuda.py.

    python benchmarks/judge_speed.py run --kernelbench KERNELBENCH --authors CUDA_L1 --limit 500 --out speed.jsonl
    python benchmarks/judge_speed.py table speed.jsonl

Sixty candidates, all new sources: 20 PyTorch rewrites, 20 inline CUDA, 10 NVRTC, 10 Triton. This judge takes all, with
builds beside timing and one lease of the GPU; the others take the first few of each kind, a fresh process each, one
after the other, and their rate is extrapolated by kind. All compare with eager. NOT covered: other GPUs than the first.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gpu_watch import GpuWatch
from journal import Journal, Row, limit
from kernels import CHOSEN, FORMULAS, candidate, problem
from speed_table import render

from cuda_l1.types import Candidate, Evaluation, Interval, Task

if TYPE_CHECKING:
    from cuda_l1.judge import JudgeConfig

Judged = tuple[Evaluation, list[float] | None]

REWRITES = (
    ("2/9", "rewrites"), ("2/14", "matmul_sum_to_matvec"), ("2/86", "affine_folding"), ("1/25", "library_functions"),
    ("2/12", "affine_folding"), ("2/18", "matmul_sum_to_matvec"), ("2/22", "affine_folding"), ("2/41", "rewrites"),
    ("2/33", "affine_folding"), ("2/63", "inplace_epilogues"), ("2/70", "inplace_epilogues"), ("2/76", "rewrites"),
    ("2/81", "library_functions"), ("2/88", "library_functions"), ("2/94", "affine_folding"),
    ("2/95", "library_functions"), ("2/97", "affine_folding"), ("2/98", "inplace_epilogues"),
    ("1/88", "library_functions"), ("2/84", "affine_folding"),
)  # fmt: skip
"""Problem and technique of the PyTorch candidates."""


class Entry(NamedTuple):
    """One of the sixty."""

    kind: str
    task: Task
    candidate: Candidate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--kernelbench", type=Path, required=True, help="checkout: its problems and its evaluator")
    run.add_argument("--authors", type=Path, help="checkout of deepreinforce-ai/CUDA-L1; without it they are left out")
    run.add_argument("--what", default="quick,normal,others", help="efforts of this judge, and `others`")
    run.add_argument("--others", type=int, default=4, help="candidates of each kind for each of the others")
    run.add_argument("--workers", type=int, default=6)
    run.add_argument("--patience", type=float, default=150.0, help="seconds for one candidate in another evaluator")
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
    """Everything asked for that the journal does not hold yet."""
    marks = [row["mark"] for row in journal.rows if row["row"] == "run"]
    mark = marks[0] if marks else secrets.token_hex(3)
    if not marks:
        journal.add({"row": "run", "mark": mark})
    for what in arguments.what.split(","):
        if what == "others":
            others(journal, arguments, list(entries(arguments.kernelbench, f"{mark}o")))
        else:
            ours(journal, arguments, what, list(entries(arguments.kernelbench, mark + what[0])))


def entries(kernelbench: Path, mark: str) -> Iterator[Entry]:
    """The sixty candidates under a mark that makes their sources new."""
    from cuda_l1.transforms import propose

    for number, technique in REWRITES:
        task = problem(number, kernelbench)
        proposals, declined = propose(task, "cuda", [technique])
        if not proposals:
            raise SystemExit(f"{technique} does not fit {number}: {declined[0].reason}")
        made = proposals[0].candidate
        marked = made.model_copy(update={"code": f"{made.code}\n# {mark}\n"})
        yield Entry("torch", task, marked)
    for flavour, names in CHOSEN.items():
        for name in names:
            its = problem(FORMULAS[name].problem, kernelbench)
            yield Entry(flavour, its, candidate(name, flavour, its, mark))


def ours(journal: Journal, arguments: argparse.Namespace, effort: str, chosen: list[Entry]) -> None:
    """What is left of one pass of this judge over all candidates, and one row on the pass."""
    from cuda_l1.judge import JudgeConfig, pool

    known = {row["candidate"] for row in journal.rows if row.get("judge") == f"cuda-l1 {effort}"}
    kinds = {entry.candidate.id: entry.kind for entry in chosen}
    jobs: dict[str, tuple[Task, list[Candidate]]] = {}
    for entry in chosen:
        if entry.candidate.id not in known:
            jobs.setdefault(entry.task.id, (entry.task, []))[1].append(entry.candidate)
    if not jobs:
        return
    # Long builds between short ones: the GPU works through what is ready while the compilers run.
    compiled = [job for job in jobs.values() if any(kinds[each.id] == "cuda" for each in job[1])]
    ready = [job for job in jobs.values() if job not in compiled]
    order = [job for pair in itertools.zip_longest(ready, compiled) for job in pair if job is not None]
    config = JudgeConfig(device="cuda", effort=effort, baselines=())  # type: ignore[arg-type]
    started, done = time.perf_counter(), 0
    with GpuWatch() as watch:
        try:
            jobs_of = ((task, candidates, config) for task, candidates in order)
            for index, outcome in pool.each(judged, jobs_of, arguments.workers, config=config):
                for position, each in enumerate(order[index][1]):
                    row: Row = {"row": "candidate", "judge": f"cuda-l1 {effort}", "kind": kinds[each.id]}
                    row |= {"candidate": each.id, "author": each.author, "problem": each.task_id}
                    if isinstance(outcome, Exception):
                        row |= {"said": f"{type(outcome).__name__}: {outcome}", "passed": False, "ratio": None}
                    else:
                        row |= _said(*outcome[position])
                    journal.add(row)
                    done += 1
        finally:
            wall = time.perf_counter() - started
            if done:
                journal.add({"row": "pass", "judge": f"cuda-l1 {effort}", "judged": done, "wall_s": wall,
                             "workers": arguments.workers, **watch.seen()})  # fmt: skip


def judged(job: tuple[Task, list[Candidate], JudgeConfig]) -> list[Judged]:
    """`judge`, and beside each word the interval that the repetitions of its race alone say, without what two processes
    of equal code may differ by: as the other evaluators' intervals are."""
    from cuda_l1.judge import judge
    from cuda_l1.timing import intervals

    of_starts, alone = intervals.over_starts, {}

    def kept(starts: Sequence[Sequence[float]], spread: float, doubt: float = 0.0) -> Interval:
        said = of_starts(starts, spread, doubt)
        blocks = intervals.median_interval([log for start in starts for log in start])
        alone[said.value] = [math.exp(blocks.lo), math.exp(blocks.hi)]
        return said

    intervals.over_starts = kept
    try:
        return [(each, alone.get(each.speedup.value) if each.speedup else None) for each in judge(*job)]
    finally:
        intervals.over_starts = of_starts


def _said(evaluation: Evaluation, alone: list[float] | None) -> Row:
    speedup = evaluation.speedup
    findings = "; ".join(f"{finding.check}: {finding.detail[:200]}" for finding in evaluation.findings)
    return {
        "said": f"{evaluation.verdict or evaluation.status} {findings}".strip(),
        "passed": speedup is not None,
        "ratio": [speedup.value, speedup.lo, speedup.hi] if speedup else None,
        "alone": alone,
        "seconds": evaluation.seconds.model_dump(),
        "notes": [note.check for note in evaluation.notes],
        "where": evaluation.environment.device,
    }


def others(journal: Journal, arguments: argparse.Namespace, chosen: list[Entry]) -> None:
    """The other evaluators on the first candidates of each kind, kinds in turn: a stopped run has some of all."""
    checkouts = {"kernelbench": arguments.kernelbench, "authors": arguments.authors}
    known = {(row["judge"], row["candidate"]) for row in journal.rows if row["row"] == "candidate"}
    by_kind = {kind: [e for e in chosen if e.kind == kind] for kind in ("torch", *CHOSEN)}
    for position in range(arguments.others):
        for kind, its in by_kind.items():
            for judge, checkout in checkouts.items():
                entry = its[position]
                if checkout is None or (judge == "authors" and kind == "triton"):
                    continue
                if (judge, entry.candidate.id) not in known:
                    row = {"row": "candidate", "judge": judge, "kind": kind, "candidate": entry.candidate.id,
                           "author": entry.candidate.author, "problem": entry.task.id}  # fmt: skip
                    journal.add(row | other(judge, checkout, entry, arguments.patience))


def other(judge: str, checkout: Path, entry: Entry, patience: float) -> Row:
    """One candidate in a fresh process with empty caches; `wall_s` counts the process's start too."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "task.py").write_text(entry.task.source)
        (here / "new.py").write_text(entry.candidate.code)
        caches = {"TORCH_EXTENSIONS_DIR": "extensions", "TRITON_CACHE_DIR": "triton", "CUDA_CACHE_PATH": "cuda"}
        command = [
            sys.executable, str(Path(__file__).with_name("other_judges.py").resolve()), judge,
            "--checkout", str(checkout.resolve()), "--task", "task.py", "--candidate", "new.py", "--kind", entry.kind,
        ]  # fmt: skip
        environment = os.environ | {name: str(here / cache) for name, cache in caches.items()}
        (here / "extensions").mkdir()
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command, cwd=here, env=environment, capture_output=True, text=True, timeout=patience, check=False
            )
        except subprocess.TimeoutExpired:
            return {
                "said": f"not done within {patience:g} s",
                "passed": False,
                "ratio": None,
                "wall_s": patience,
                "out_of_patience": True,
            }
        wall = time.perf_counter() - started
    if done.returncode:
        return {"said": f"failed: {done.stderr[-400:]}", "passed": False, "ratio": None, "wall_s": wall}
    return {**json.loads(done.stdout.splitlines()[-1]), "wall_s": wall}


if __name__ == "__main__":
    main()
