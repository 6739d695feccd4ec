"""How much of a task may be left out before somebody tells: mutants of KernelBench's tasks, on a CPU.

    python benchmarks/mutants.py run --kernelbench CHECKOUT --limit 1800 --out mutants.jsonl
    python benchmarks/mutants.py table mutants.jsonl

Each task is made small first, by its own constants. Each of its mutants (`cuda_l1/mutants.py`) that runs at all meets
five draws of the task's own inputs, as KernelBench's evaluator compares (1e-4 of each element and as much again), and
ten at 1e-2, as the authors' eval_cuda.py does; those that five draws do not tell, this judge too. NOT covered: mutants
that five draws tell, which this judge is not asked about; the two evaluators themselves; tasks that have no small form.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from journal import Journal, Row, TimeUp, table, within

from cuda_l1.cli.mutants import row_of
from cuda_l1.mutants import Mutant, mutants
from cuda_l1.tasks.sizes import resize
from cuda_l1.types import Task

_DIVISORS = (256, 64, 32, 16, 8, 4, 2, 1)
_LEAST = {24: 8, 64: 16, 1024: 32}
"""Constants from such a number on are made smaller, down to that."""
_LONGEST_S, _LONG_ENOUGH_S, _MOST_NUMBERS = 0.015, 0.0004, 300_000
_MOST_S, _MOST_TASK_S = 5, 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("--kernelbench", type=Path, required=True, help="a checkout")
    run.add_argument("--levels", default="1,2,3")
    run.add_argument("--limit", type=float, required=True, help="seconds")
    run.add_argument("--out", type=Path, required=True)
    shown = commands.add_parser("table")
    shown.add_argument("files", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        torch.set_num_threads(1)
        journal = Journal(options.out)
        until = time.monotonic() + options.limit
        for level in options.levels.split(","):
            for path in sorted((options.kernelbench / "KernelBench" / f"level{level}").glob("*.py")):
                if time.monotonic() < until and not any(row["task"] == f"{level}/{path.stem}" for row in journal.rows):
                    measure(journal, f"{level}/{path.stem}", path.read_text())
        print(render(journal.rows))
    else:
        print(render([row for path in options.files for row in Journal(path).rows]))


def measure(journal: Journal, name: str, source: str) -> None:
    """One row a mutant, and one of the task."""
    found, why = [], ""
    try:
        with torch.no_grad():
            small = shrunk(source)
            if small is None:
                why = "no small form"
            else:
                found = list(_rows(small, name))
    except (Exception, TimeUp) as error:
        why = f"{type(error).__name__}: {error}"[:200]
    for row in found:
        journal.add(row)
    journal.add({"task": name, "left_out": why, "mutants": len(found)})
    print(name, why or len(found), file=sys.stderr, flush=True)


def _rows(source: str, name: str) -> Iterator[Row]:
    from cuda_l1.judge import JudgeConfig, Session
    from cuda_l1.types import Candidate

    task = Task(id=f"mutants/{name}", name=name, source=source)
    with Session(task, JudgeConfig(device="cpu", effort="glance", baselines=())) as session:
        until = time.monotonic() + _MOST_TASK_S
        for mutant in mutants(source):
            with within(_MOST_TASK_S):
                told = by_draws(source, mutant)
            if told is None or time.monotonic() > until:
                continue
            row = {"task": name, "line": mutant.line, "was": mutant.was, "now": mutant.now, **told}
            if not told["five"]:
                evaluation = session.evaluate(Candidate(task_id=task.id, code=mutant.code, origin="transform"))
                row |= row_of(mutant, evaluation) | {"degenerate": session.degenerate}
                if row["told"] is None:  # the judge itself failed
                    continue
            yield row


def shrunk(source: str) -> str | None:
    """The task with smaller constants, the largest of some that takes milliseconds; None where none runs."""
    best = None
    source = re.sub(
        r"^(\w+) = (\w+) = (\d+)$", r"\1, \2 = \3, \3", source, flags=re.MULTILINE
    )  # `resize` takes no chain
    for divisor in _DIVISORS:
        try:
            with within(_MOST_S):
                small = resize(source, "cpu", _smaller(source, divisor), "the task")
                module = _loaded(small)
                model, inputs = module.Model(*module.get_init_inputs()), module.get_inputs()
                if sum(each.numel() for each in inputs if isinstance(each, torch.Tensor)) > _MOST_NUMBERS:
                    break
                model(*inputs)
                began = time.perf_counter()
                model(*inputs)
                taken = time.perf_counter() - began
        except (Exception, TimeUp):  # of such a size it is no task
            continue
        if taken > _LONGEST_S:
            break
        best = small
        if taken > _LONG_ENOUGH_S:
            break
    return best


def _smaller(source: str, divisor: int) -> dict[str, str]:
    """Its constants that are sizes, as `resize` takes them."""
    sizes = {}
    for node in (each for each in ast.parse(source).body if isinstance(each, ast.Assign)):
        target, value = node.targets[0], node.value
        several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        for name, its in zip(target.elts, value.elts, strict=True) if several else [(target, value)]:
            if isinstance(name, ast.Name) and not any(isinstance(each, ast.Name | ast.Call) for each in ast.walk(its)):
                before = eval(ast.unparse(its))  # numbers, in tuples
                after = _divided(before, divisor, least=2 if name.id == "batch_size" else 0)
                sizes |= {name.id: repr(after)} if after != before else {}
    return sizes


def _divided(value: Any, divisor: int, least: int) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_divided(each, divisor, least) for each in value)
    least = least or max((to for since, to in _LEAST.items() if type(value) is int and value >= since), default=0)
    return min(value, max(value // divisor, least)) if least else value


def by_draws(source: str, mutant: Mutant) -> Row | None:
    """Whether five draws of the task's own inputs tell it at 1e-4, and ten at 1e-2; None for one that does not run."""
    reference, other = _loaded(source), _loaded(mutant.code)
    told = {"five": False, "ten": False}
    try:
        models = []
        for kind in (reference.Model, other.ModelNew):
            torch.manual_seed(0)
            models.append(kind(*reference.get_init_inputs()))
        for draw in range(10):
            torch.manual_seed(draw + 1)
            inputs = reference.get_inputs()
            expected, got = (_outputs(model, inputs) for model in models)
            told["five"] |= draw < 5 and not _close(expected, got, 1e-4)
            told["ten"] |= not _close(expected, got, 1e-2)
    except Exception:  # whoever runs it once knows
        return None
    return told


def _outputs(model: Any, inputs: list[Any]) -> list[torch.Tensor]:
    torch.manual_seed(0)
    out = model(*[each.clone() if isinstance(each, torch.Tensor) else each for each in inputs])
    return list(out) if isinstance(out, list | tuple) else [out]


def _close(expected: list[torch.Tensor], got: list[torch.Tensor], tolerance: float) -> bool:
    return len(expected) == len(got) and all(
        one.shape == other.shape and torch.allclose(one, other.to(one.dtype), rtol=tolerance, atol=tolerance)
        for one, other in zip(expected, got, strict=True)
    )


def _loaded(code: str) -> ModuleType:
    module = ModuleType("loaded")
    exec(code, module.__dict__)
    return module


def render(rows: list[Row]) -> str:
    """The counts by level, and what this judge does not tell."""
    lines = []
    for level in ("1", "2", "3", ""):
        of = [row for row in rows if row["task"].startswith(f"{level}/" if level else "")]
        made = [row for row in of if "five" in row]
        kept = [row for row in made if not row["five"]]
        sound = [row for row in kept if not row["degenerate"]]
        tasks = {row["task"] for row in made}
        lines.append([f"level {level}" if level else "all", len(tasks), len(made), sum(row["ten"] for row in made),
                      len(made) - len(kept), len(made) - sum(not row["told"] for row in kept),
                      sum(not row["told"] for row in sound)])  # fmt: skip
    header = ["", "tasks", "mutants", "told by ten draws, 1e-2", "by five, 1e-4", "by this judge beside those",
              "not told, of tasks that are not degenerate"]  # fmt: skip
    unseen = [
        [row["task"], row["line"], f"`{row['was'][:70]}`", f"`{row['now'][:50]}`", "yes" if row["degenerate"] else ""]
        for row in rows if row.get("told") is False
    ]  # fmt: skip
    out = [row for row in rows if row.get("left_out")]
    return "\n".join([
        table(header, lines), "",
        table(["task", "line", "what stands there", "what this judge does not tell from it", "degenerate"], unseen), "",
        f"Left out: {', '.join(row['task'] for row in out)}.",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
