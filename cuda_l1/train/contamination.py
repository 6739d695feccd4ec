"""KernelBench is tested on and never trained on: what is refused as a task to train on, and how it is recognised.

A task is refused by its id, and, where a checkout or dataset is given, by its source: if it is the same as a problem's
without names and comments, or also without numbers (the same module at other sizes).
NOT covered: a task that computes what a problem computes in other words. `shared_operations` counts those that call
the same operations in the same order, which for one or two operations is bound to happen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cuda_l1.errors import TaskError, UsageError
from cuda_l1.identity import normalised, operations, structure
from cuda_l1.tasks import kernelbench
from cuda_l1.types import Task


class Problems(NamedTuple):
    """KernelBench's problems as they are recognised: text to the problem's name."""

    normalised: dict[str, str]
    structures: dict[str, str]
    operations: dict[tuple[str, ...], str]


def problems(where: str) -> Problems:
    """All problems of a checkout or a dataset's folder. TaskError where there is none."""
    found = Problems({}, {}, {})
    for level in kernelbench.LEVELS:
        try:
            of_level = kernelbench.read(level, where)
        except TaskError:
            if level == 1:
                raise
            continue  # older checkouts and the dataset end at level 3
        for problem in of_level.values():
            name = f"kernelbench/{problem.level}/{problem.number}"
            found.normalised[normalised(problem.source)] = name
            found.structures[structure(problem.source)] = name
            found.operations[operations(problem.source)] = name
    return found


def refuse(tasks: Iterable[Task], known: Problems | None) -> None:
    """UsageError if one of the tasks is KernelBench's. Without `known` only its id can say so."""
    for task in tasks:
        twin = task.id if task.id.startswith("kernelbench") or "kernelbench" in task.tags else _twin(task, known)
        if twin is not None:
            raise UsageError(
                f"task {task.id} is {twin}: KernelBench is tested on and never trained on; leave it out of the tasks"
            )


def shared_operations(tasks: Iterable[Task], known: Problems) -> list[tuple[Task, str]]:
    """Tasks that call what a problem calls, in the same order, each with that problem."""
    pairs = ((task, known.operations.get(operations(task.source))) for task in tasks)
    return [(task, name) for task, name in pairs if name is not None]


def _twin(task: Task, known: Problems | None) -> str | None:
    if known is None:
        return None
    return known.normalised.get(normalised(task.source)) or known.structures.get(structure(task.source))
