"""Wrong decisions against seconds spent: the paper's protocol, KernelBench's 100 trials, and this judge.

    python benchmarks/decision_quality.py run --device cuda --limit 180 --out quality.jsonl --figure quality.svg
    python benchmarks/decision_quality.py table quality.jsonl --figure quality.svg

The truth is known: a reference runs a kernel 100 times, its candidates run it 83 to 120 times, so they are 1.20x faster
to 1.20x slower, and the same at 100. All get the same gap of 1%. Wrong: FAST or SLOW of the same code, or of the wrong
sign. Missed: a difference that was not called. NOT covered: tasks whose repeated part is not nearly all of the time.
Needs matplotlib for the figure alone.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from aa_tasks import Shape
from decision_table import budgets, draw, render
from fixed_protocols import decided, means_ratio, paper_ratio, windows
from journal import Journal, limit

from cuda_l1.types import Candidate, Task

REPEATS = 100
CANDIDATES = (100, 98, 102, 95, 105, 83, 120)
"""Repetitions of the candidates: as fast, then 1.02, 1.05 and 1.20 times faster and slower."""
_REPEATED = "for _ in range(REPEATS):\n    y = {}\nreturn y"
SHAPES = (
    Shape("many small launches", "N, M = 64, 64", "N, M = 64, 64", _REPEATED.format("torch.tanh(x)")),
    Shape("memory-bound", "N, M = 4096, 4096", "N, M = 256, 256", _REPEATED.format("x + 1.0")),
    Shape("matmul", "N, M = 512, 512", "N, M = 96, 96", _REPEATED.format("x @ self.weight"),
          init="self.weight = nn.Parameter(torch.randn(M, M) / M**0.5)"),
)  # fmt: skip
PAPER_S = (0.1, 0.25, 0.5, 1.0, 2.0)
TRIALS = (10, 30, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--device", default="cpu")
    run.add_argument("--rounds", type=int, default=100, help="at most; usually the limit ends it")
    run.add_argument("--efforts", default="quick,normal", help="of this judge")
    run.add_argument("--seconds", type=float, default=2.1, help="for each fixed protocol and candidate, in a round")
    run.add_argument("--workers", type=int, help="default: 6 on a GPU, 1 on a CPU")
    run.add_argument("--limit", type=float, required=True, help="seconds")
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--figure", type=Path)
    shown = commands.add_parser("table")
    shown.add_argument("files", nargs="+", type=Path)
    shown.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "run":
        journal = Journal(arguments.out)
        with limit(arguments.limit):
            measure(journal, arguments)
        rows = journal.rows
    else:
        rows = [row for path in arguments.files for row in Journal(path).rows]
    if arguments.figure:
        draw(budgets(rows), arguments.figure)
    print(render(budgets(rows)))


def source(shape: Shape, device: str, repeats: int) -> str:
    """The task's source with its kernel repeated that often."""
    sizes = shape.cuda if device.startswith("cuda") else shape.cpu
    assert sizes is not None
    return shape.source(f"{sizes}; REPEATS = {repeats}")


def renamed(text: str) -> str:
    """A reference's source as a candidate's."""
    return re.sub(r"\bModel\b", "ModelNew", text)


def measure(journal: Journal, arguments: argparse.Namespace) -> None:
    """Rounds of all protocols, in turn, so that a stopped run has some of each."""
    known = {(row["method"], row["round"]) for row in journal.rows if row["row"] == "done"}
    for number in range(arguments.rounds):
        steps: dict[str, Callable[[], None]] = {"fixed": lambda n=number: fixed(journal, arguments, n)}  # type: ignore[misc]
        for effort in arguments.efforts.split(","):
            steps[effort] = lambda n=number, e=effort: ours(journal, arguments, n, e)  # type: ignore[misc]
        for method, step in steps.items():
            if (method, number) not in known:
                step()
                journal.add({"row": "done", "method": method, "round": number})
                print(f"round {number}: {method}", file=sys.stderr)


def ours(journal: Journal, arguments: argparse.Namespace, number: int, effort: str) -> None:
    """One decision of this judge on every candidate of every task."""
    from cuda_l1.judge import JudgeConfig, pool

    jobs: list[tuple[Task, list[Candidate]]] = []
    for shape in SHAPES:
        task = Task(id=f"quality/{shape.name}", name=shape.name, source=source(shape, arguments.device, REPEATS))
        codes = {n: renamed(source(shape, arguments.device, n)) for n in random.sample(CANDIDATES, len(CANDIDATES))}
        jobs.append((task, [_candidate(task, code, repeats) for repeats, code in codes.items()]))
    config = JudgeConfig(device=arguments.device, effort=effort, baselines=())  # type: ignore[arg-type]
    workers = arguments.workers or (6 if config.device.startswith("cuda") else 1)
    for index, outcome in pool.run(jobs, config, workers):
        task, candidates = jobs[index]
        if isinstance(outcome, Exception):
            print(f"{task.name}: {outcome}", file=sys.stderr)
            continue
        for candidate, evaluation in zip(candidates, outcome, strict=True):
            speedup = evaluation.speedup
            row = {"row": "decision", "method": "cuda-l1", "budget": effort, "round": number, "task": task.name}
            row |= {"repeats": int(candidate.author), "decision": evaluation.verdict or evaluation.status}
            row |= {"seconds": evaluation.seconds.time, "of": evaluation.environment.device}
            journal.add(row | {"ratio": speedup and speedup.value, "interval": speedup and [speedup.lo, speedup.hi]})


def _candidate(task: Task, code: str, repeats: int) -> Candidate:
    return Candidate(task_id=task.id, code=code, origin="builtin", author=str(repeats))


def fixed(journal: Journal, arguments: argparse.Namespace, number: int) -> None:
    """Decisions of both fixed protocols on every candidate of every task, one process a task."""
    for shape in SHAPES:
        candidates = {str(n): renamed(source(shape, arguments.device, n)) for n in CANDIDATES}
        sources = {"reference": source(shape, arguments.device, REPEATS), "candidates": candidates}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(sources, file)
            file.flush()
            done = subprocess.run(
                [sys.executable, str(Path(__file__).with_name("fixed_protocols.py").resolve()), "--device",
                 arguments.device, "--seconds", str(arguments.seconds), file.name],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"fixed protocols on {shape.name}: {done.stderr[-2000:]}")
        for line in done.stdout.splitlines():
            found = json.loads(line)
            where = {"row": "decision", "round": number, "task": shape.name, "repeats": int(found["candidate"])}
            for budget in PAPER_S:
                for window in windows(found["pairs"], budget):
                    row = where | {"method": "paper", "budget": f"{budget:g} s", "seconds": budget}
                    ratio = paper_ratio(window)
                    journal.add(row | {"decision": decided(ratio), "ratio": ratio})
            for measured in found["measured"]:
                for count in TRIALS:
                    trials: Sequence[tuple[float, float, float]] = measured["trials"][:count]
                    share = (count + 4) / (len(measured["trials"]) + 4)  # three warm-ups and the trial thrown away
                    row = where | {"method": "KernelBench", "budget": f"{count} trials"}
                    ratio = means_ratio(trials)
                    journal.add(
                        row | {"seconds": measured["seconds"] * share, "decision": decided(ratio), "ratio": ratio}
                    )


if __name__ == "__main__":
    main()
