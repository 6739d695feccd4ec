"""Of the seconds that a build takes, how many the candidate's own compiler needs: in this judge, and without one.

    python benchmarks/build_parts.py --kernelbench KERNELBENCH --limit 240 --out builds.jsonl

New kernels of `kernels.py`, one at a time on an idle machine. In the judge a build is a fresh process in the sandbox,
its context on the device, the candidate's import, construction and first call; a task's own module as the candidate
(`plain`) has all of that but a compiler. Without a judge: import, construction and first call of a sibling with another
mark in one process that is warm (torch, the device and the flavour's compiler have been used before); not for inline
CUDA, whose `load_inline` takes a minute there. NOT covered: builds beside other builds (`judge_speed.py`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from aa_tasks import itself
from journal import Journal, Row, limit, quartiles, table
from kernels import CHOSEN, FORMULAS, Flavour, candidate, problem

from cuda_l1.judge import JudgeConfig, Session

_WARM: tuple[Flavour, ...] = ("nvrtc", "triton")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernelbench", type=Path, required=True, help="checkout: its problems")
    parser.add_argument("--each", type=int, default=10, help="kernels of each flavour")
    parser.add_argument("--limit", type=float, default=240.0, help="seconds")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--warm", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.warm:
        print(json.dumps(warm(json.loads(arguments.warm.read_text()))))
        return
    journal = Journal(arguments.out)
    with limit(arguments.limit):
        measure(journal, arguments.kernelbench, arguments.each)
    print(render(journal.rows))


def measure(journal: Journal, kernelbench: Path, each: int) -> None:
    """All kernels that the journal does not hold yet."""
    known = {(row["kind"], row["name"], row["where"]) for row in journal.rows}
    mark = secrets.token_hex(3)
    for name in dict.fromkeys(name for names in CHOSEN.values() for name in names[:each]):
        task = problem(FORMULAS[name].problem, kernelbench)
        made = {flavour: candidate(name, flavour, task, mark) for flavour in CHOSEN if name in CHOSEN[flavour][:each]}
        made |= {"plain": itself(task, 0)}
        todo = {kind: one for kind, one in made.items() if (kind, name, "judge") not in known}
        if not todo:
            continue
        config = JudgeConfig(device="cuda", effort="glance", baselines=())
        with Session(task, config) as session:
            for kind, one in todo.items():
                said = session.evaluate(one)
                row: Row = {"kind": kind, "name": name, "where": "judge", "seconds": said.seconds.build}
                journal.add(row | {"said": str(said.status)})
    for flavour in _WARM:
        names = [name for name in CHOSEN[flavour][:each] if (flavour, name, "warm") not in known]
        for name, seconds in in_one_process(flavour, names, kernelbench).items() if names else ():
            journal.add({"kind": flavour, "name": name, "where": "warm", "seconds": seconds, "said": ""})


def in_one_process(flavour: Flavour, names: Sequence[str], kernelbench: Path) -> dict[str, float]:
    """Seconds of each kernel's import, construction and first call in a process that has done the same before."""
    mark, asked = secrets.token_hex(3), []
    for name in [CHOSEN[flavour][-1], *names]:  # the first warms
        task = problem(FORMULAS[name].problem, kernelbench)
        its = mark if asked else f"{mark}w"
        asked.append({"name": name, "code": candidate(name, flavour, task, its).code})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "asked.json"
        file.write_text(json.dumps(asked))
        command = [sys.executable, str(Path(__file__).resolve()), "--kernelbench", ".", "--out", folder]
        done = subprocess.run([*command, "--warm", str(file)], capture_output=True, text=True, check=True, cwd=folder)
    return dict(list(json.loads(done.stdout.splitlines()[-1]))[1:])


def warm(asked: Sequence[dict[str, str]]) -> list[tuple[str, float]]:
    """In the child: name and seconds of each."""
    import torch

    torch.zeros(1, device="cuda").add_(1)
    sys.path.insert(0, os.getcwd())
    for number, one in enumerate(asked):  # Triton reads its functions' text from files
        Path(f"candidate_{number}.py").write_text(one["code"])
    seconds = []
    for number, one in enumerate(asked):
        began = time.perf_counter()
        module = importlib.import_module(f"candidate_{number}")
        model = module.ModelNew(*module.get_init_inputs()).cuda()
        built = time.perf_counter() - began
        inputs = [leaf.cuda() for leaf in module.get_inputs()]
        torch.cuda.synchronize()
        began = time.perf_counter()
        with torch.no_grad():
            model(*inputs)
        torch.cuda.synchronize()
        seconds.append((one["name"], built + time.perf_counter() - began))
    return seconds


def render(rows: Sequence[Row]) -> str:
    """Markdown."""
    by: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        by.setdefault((row["where"], row["kind"]), []).append(row["seconds"])
    floor = statistics.median(by.get(("judge", "plain"), [0.0]))
    lines = []
    for kind in ("plain", "nvrtc", "triton", "cuda"):
        its, alone = by.get(("judge", kind), []), by.get(("warm", kind), [])
        beyond = [seconds - floor for seconds in its] if kind != "plain" else []
        lines.append((kind, len(its), quartiles(its), quartiles(beyond), quartiles(alone)))
    header = ("kind", "n", "build in the judge, s", "beyond a plain module's median", "without a judge, warm, s")
    wrong = [f"- {row['kind']} {row['name']}: {row['said']}" for row in rows if row["said"] not in ("", "PASSED")]
    return "\n".join([table(header, lines), *wrong])


if __name__ == "__main__":
    main()
