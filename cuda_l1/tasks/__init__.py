"""From what a user names to a Task: a file in KernelBench's format, a class in any file, a problem of KernelBench.

    file.py                     defines Model, get_inputs() and, if Model takes arguments, get_init_inputs()
    file.py:Class, or :function with `inputs` (and `init`): a function's name, other.py:function, or 'x=randn(64, 4096)'
    kernelbench:LEVEL/ID        from a checkout, a dataset folder, or the hub

The result is always one source text that defines all three names. Nothing of it is run here (judge).
What it imports from its own folder is found there by the Task's `import_path`, and named by its id (`unchanged`).
NOT covered: siblings that are no Python, that are imported by a name which is made while it runs, or that lie where
libraries are installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from cuda_l1.errors import TaskError
from cuda_l1.tasks import kernelbench as kernelbench_problems
from cuda_l1.tasks.local import completed, read
from cuda_l1.tasks.packages import imported
from cuda_l1.tasks.sizes import resize
from cuda_l1.types import Mode, Precision, Task, digest

__all__ = ["load", "load_set", "unchanged"]

_KERNELBENCH = "kernelbench:"


def load(
    target: str,
    *,
    inputs: str | None = None,
    init: str | None = None,
    kernelbench: str | None = None,
    device: str = "cpu",
    sizes: Mapping[str, str] | None = None,
    precision: Precision = "default",
    mode: Mode = "eval",
) -> Task:
    """One task. `kernelbench` is the folder of a checkout or of a dataset, None the hub. `sizes` gives module-level
    constants other values, over those that the source's own SIZES has for `device`. TaskError says what is wrong."""
    if target.startswith(_KERNELBENCH):
        if inputs or init:
            raise TaskError(f"{target} has inputs of its own: --inputs and --init belong to file.py:NAME")
        match = re.fullmatch(r"(\d+)/(\d+)", target.removeprefix(_KERNELBENCH))
        if match is None:
            raise TaskError(f"{target!r} names no problem: expected kernelbench:LEVEL/ID, e.g. kernelbench:1/12")
        level, number = int(match[1]), int(match[2])
        found = kernelbench_problems.pick(kernelbench_problems.read(level, kernelbench), level, [number])
        return _of_problem(found[0], device, sizes, precision, mode)
    name, source, folder = read(target, inputs, init)
    source = resize(source, device, sizes or {}, name)
    task = Task(id="local/-", name=name, source=source, precision=precision, mode=mode, import_path=folder)
    return task.model_copy(update={"id": f"local/{_named(task)}"})


def unchanged(task: Task) -> Task:
    """The task; TaskError where it was loaded earlier, and what it imports from its folder has changed since: what was
    judged then was another module."""
    if task.import_path and task.id.startswith("local/") and task.id != f"local/{_named(task)}":
        said = f"what it imports from {task.import_path} is not what it was when this began"
        raise TaskError(f"task {task.name}: {said}: begin anew")
    return task


def _named(task: Task) -> str:
    """Its source, precision and mode, and what it imports from its folder."""
    texts = imported(task.source, Path(task.import_path)) if task.import_path else {}
    return digest(task.source_digest, *chain(*sorted(texts.items()))) if texts else task.source_digest


def load_set(spec: str, *, kernelbench: str | None = None, **same: Any) -> list[Task]:
    """Tasks of a set, in order: targets, folders and KernelBench levels with commas between them, as in `examples/`,
    `a.py,b.py:Net`, `kernelbench:1`, `kernelbench:1/1-20,25,kernelbench:2/3`, or `list.txt` with one of these on
    each line, its files beside it. `same` goes to every `load`."""
    tasks: list[Task] = []
    for part in _parts(spec):
        if part.startswith(_KERNELBENCH):
            tasks += _problems(part, kernelbench, **same)
        elif os.path.isdir(part):
            files = sorted(p for p in Path(part).glob("*.py") if not p.name.startswith("_"))
            if not files:
                raise TaskError(f"folder {part} holds no .py file: expected one task a file")
            try:
                tasks += [load(str(path), **same) for path in files]
            except TaskError as error:
                raise TaskError(
                    f"{error}. Every file of the folder is a task, but for those that begin with _"
                ) from None
        elif re.search(r"\.py(:\w+)?$", part):
            tasks.append(load(part, **same))
        elif part.endswith(".txt"):
            for target in _listed(Path(part)):
                tasks += load_set(target, kernelbench=kernelbench, **same)
        else:
            raise TaskError(
                f"unknown task set {part!r}: expected kernelbench:LEVEL, kernelbench:LEVEL/1-20, a folder, a list.txt "
                "with one of these on each line, or files with commas between them"
            )
    return tasks


def _listed(path: Path) -> list[str]:
    """The sets on a list's lines, `#` begins a comment."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"the list of tasks {path} does not read: {error}") from None
    named = [text for line in lines if (text := line.partition("#")[0].strip())]
    if not named:
        raise TaskError(f"the list {path} names no task: expected one target a line, e.g. my.py or kernelbench:1/12")
    if inner := [text for text in named if text.endswith(".txt")]:
        raise TaskError(f"{path} names another list, {inner[0]}: put its lines here instead")
    return [text if text.startswith(_KERNELBENCH) else str(path.parent / text) for text in named]


def _parts(spec: str) -> list[str]:
    """Split at commas, but keep `kernelbench:1/1-20,25` together."""
    parts: list[str] = []
    for part in filter(None, (part.strip() for part in spec.split(","))):
        if parts and re.fullmatch(r"[\d-]+", part) and re.fullmatch(rf"{_KERNELBENCH}\d+/[\d,-]+", parts[-1]):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    if not parts:
        raise TaskError("the task set is empty: expected e.g. kernelbench:1/1-20, examples/, or a.py,b.py")
    return parts


def _problems(
    part: str,
    where: str | None,
    *,
    device: str = "cpu",
    sizes: Mapping[str, str] | None = None,
    precision: Precision = "default",
    mode: Mode = "eval",
) -> list[Task]:
    match = re.fullmatch(r"(\d+)(?:/([\d,-]+))?", part.removeprefix(_KERNELBENCH))
    if match is None:
        raise TaskError(f"{part!r} names no set: expected kernelbench:LEVEL or kernelbench:LEVEL/1-20,25")
    level = int(match[1])
    all_of_level = kernelbench_problems.read(level, where)
    numbers = _numbers(match[2]) if match[2] else sorted(all_of_level)
    found = kernelbench_problems.pick(all_of_level, level, numbers)
    return [_of_problem(problem, device, sizes, precision, mode) for problem in found]


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise TaskError(f"{part!r} is no problem number: expected one such as 12, or a range such as 1-20")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return numbers


def _of_problem(
    problem: kernelbench_problems.Problem,
    device: str,
    sizes: Mapping[str, str] | None,
    precision: Precision,
    mode: Mode,
) -> Task:
    id = f"kernelbench/{problem.level}/{problem.number}"
    if sizes:  # another problem than the published one, so it must not share its name
        id += "@" + ",".join(f"{name}={value}" for name, value in sorted(sizes.items()))
    return Task(
        id=id,
        name=problem.name,
        source=completed(resize(problem.source, device, sizes or {}, problem.name), problem.name),
        level=problem.level,
        precision=precision,
        mode=mode,
    )
