"""Which tasks a stage trains on: from a file or drawn from the families, none held out and none KernelBench's.

Not covered: the drawing itself (families), what makes a drawn task sound (screen), and how a KernelBench task is
recognised (contamination).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cuda_l1 import journal
from cuda_l1.errors import ConfigError
from cuda_l1.train import contamination, families
from cuda_l1.types import Task, to_json


def choose(
    *, file: str | None, seed: int, count: int, names: Sequence[str], kernelbench: str | None, device: str
) -> tuple[list[Task], Counter[str]]:
    """The tasks, and how many were left out for which reason. Drawn ones are screened on `device`, which takes its
    time into account: keep the list (`write`) where the same tasks are wanted again."""
    from cuda_l1.train.screen import sound

    left_out: Counter[str] = Counter()
    known = contamination.problems(kernelbench) if kernelbench else None
    if file:
        tasks = read(Path(file))
    else:
        scale: families.Scale = "cpu" if device == "cpu" else "cuda"
        tasks = families.generate(seed, count, names or None, scale=scale)
        good = sound(tasks, device)
        left_out["screen"], tasks = len(tasks) - len(good), good
    contamination.refuse(tasks, known)
    if known is not None:
        shared = {task.id for task, _ in contamination.shared_operations(tasks, known)}
        left_out["calls what a KernelBench problem calls"] = len(shared)
        tasks = [task for task in tasks if task.id not in shared]
    if held_out := [task.id for task in tasks if families.family_of(task) in families.split()[1]]:
        raise ConfigError(f"task {held_out[0]} is of a family that is held out: it is tested on and never trained on")
    if not tasks:
        raise ConfigError(f"no tasks are left to train on; left out: {dict(+left_out) or 'none'}")
    return tasks, +left_out


def read(path: Path) -> list[Task]:
    """JSON lines of Task records. ConfigError names the line that does not read."""
    tasks: list[Task] = []
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"tasks {path} do not read: {error}") from None
    for number, line in enumerate(lines, start=1):
        try:
            tasks += [Task.model_validate_json(line)] if line.strip() else []
        except ValueError as error:
            raise ConfigError(f"{path}, line {number} is no Task: {str(error).splitlines()[0]}") from None
    return tasks


def write(path: Path, tasks: Sequence[Task]) -> None:
    """As `read` reads them; by a rename, so that the file is whole or not there."""
    journal.replace(path, "".join(f"{to_json(task)}\n" for task in tasks))
