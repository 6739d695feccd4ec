"""How often luck decides: each specimen judged again and again, in sessions with draws of their own.

    python benchmarks/by_chance.py run --workers 2 --rounds 4 --limit 1800 --out chance.jsonl
    python benchmarks/by_chance.py run --device cuda --workers 7 --limit 600 --out chance.jsonl
    python benchmarks/by_chance.py table chance.jsonl

The specimens are tests/cheats and tests/honest, those that need no GPU, or those that do. On a CPU each worker has a
core of its own. Only eager races. A cheat *slipped through* where it PASSED though its file names another status, or
was FAST where it names none; honest code was *turned away* where it did not pass. The bound is the one-sided 95%
Clopper-Pearson bound of the rate over all judgements. NOT covered: what would harm this machine, and on a CPU what
needs several cores.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from aa import upper_bound
from journal import Journal, Row, limit, table

from cuda_l1.types import Effort

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import specimens


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--rounds", type=int, default=1, help="sessions for each specimen")
    run.add_argument("--workers", type=int, default=2, help="cores that judge at once")
    run.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="what the specimens are written for")
    run.add_argument("--effort", choices=get_args(Effort), default="quick", help="a glance tells less")
    run.add_argument("--kind", choices=("cheats", "honest"), help="these alone")
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
    """Judge what the journal does not hold yet, round after round."""
    from cuda_l1.judge import JudgeConfig, pool

    config = JudgeConfig(
        device=options.device, cores=1 if options.device == "cpu" else None, effort=options.effort, baselines=(),
        build_timeout_s=90, run_timeout_s=10,
    )  # fmt: skip
    known = {(row["round"], row["kind"], row["name"]) for row in journal.rows}
    kinds = [options.kind] if options.kind else ["cheats", "honest"]
    files = [each for kind in kinds for each in specimens.collect(kind) if _may_run(each, options.device)]
    groups = [
        (number, chosen)
        for number in range(options.rounds)
        for chosen in specimens.groups([each for each in files if (number, each.kind, each.name) not in known])
    ]
    jobs = [(specimens.task(chosen[0].task), [each.candidate for each in chosen]) for _, chosen in groups]
    for index, outcome in pool.run(jobs, config, options.workers):
        number, chosen = groups[index]
        if isinstance(outcome, Exception):
            print(f"{chosen[0].task}: {type(outcome).__name__}: {outcome}", file=sys.stderr)
            continue
        for specimen, evaluation in zip(chosen, outcome, strict=True):
            passed, fast = evaluation.status == "PASSED", evaluation.verdict == "FAST"
            journal.add({
                "round": number, "kind": specimen.kind, "name": specimen.name, "status": evaluation.status,
                "verdict": evaluation.verdict,
                "speedup": evaluation.speedup.value if evaluation.speedup else None,
                "right": passed if specimen.kind == "honest" else not (passed if specimen.statuses else fast),
                "findings": [f"{each.check}: {each.detail}"[:200] for each in evaluation.findings],
                "judge": evaluation.environment.judge_version, "seed": evaluation.seed,
            })  # fmt: skip


def _may_run(specimen: specimens.Specimen, device: str) -> bool:
    needs_cores = device == "cpu" and specimen.starts_others
    return specimen.device == device and not (specimen.dangerous or needs_cores)


def render(rows: Sequence[Row]) -> str:
    """Markdown: the rates of both kinds, and each specimen that was judged wrongly at least once."""
    said = [row for row in rows if row["status"] != "INFRA_FAILED"]
    wrong = [row for row in said if not row["right"]]
    lines = []
    for kind, what in (("cheats", "slipped through"), ("honest", "turned away")):
        judged, its = ([row for row in each if row["kind"] == kind] for each in (said, wrong))
        bound, fast = upper_bound(len(its), len(judged)), sum(row["verdict"] == "FAST" for row in its)
        files = len({row["name"] for row in judged})
        lines.append([kind, files, len(judged), f"{len(its)} {what}", f"{bound:.2%}", fast if kind == "cheats" else ""])
    parts = [table(["", "files", "judgements", "wrong", "at most", "of these FAST"], lines)]
    counts, times = (Counter((row["kind"], row["name"]) for row in each) for each in (said, wrong))
    last = {(row["kind"], row["name"]): row for row in wrong}
    if wrong:
        parts.append(table(["file", "wrong", "the last time"], [
            ["/".join(file), f"{times[file]} of {counts[file]}", _said_of(last[file])]
            for file in sorted(last, key=lambda file: (file[0], -times[file], file[1]))
        ]))  # fmt: skip
    if failed := len(rows) - len(said):
        parts.append(f"{failed} more ended by a failure of the judge's own.")
    return "\n\n".join(parts)


def _said_of(row: Row) -> str:
    speedup = f" {row['speedup']:.2f}x" if row["speedup"] else ""
    return f"{row['status']} {row['verdict'] or ''}{speedup} {'; '.join(row['findings'])}".replace("|", "/").strip()


if __name__ == "__main__":
    main()
