"""KernelBench's problems, from a checkout, from a folder that holds its dataset, or from the hub's dataset.

A level goes in, its problems come out by number. Layout of a checkout: KernelBench/levelN/ID_Name.py. The dataset has
the splits level_N with the columns code, name and problem_id; a local folder of it is read by the same code.
Not covered: KernelBench's own tolerances and timing; the judge has its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cuda_l1.errors import TaskError

HUB = "ScalingIntelligence/KernelBench"
LEVELS = (1, 2, 3, 4)


class Problem(NamedTuple):
    """One problem. `name` is its file's stem, e.g. `12_Matmul_with_diagonal_matrices_`."""

    level: int
    number: int
    name: str
    source: str


def read(level: int, where: str | None) -> dict[int, Problem]:
    """All problems of a level, by number. `where` is a folder, None the hub."""
    if level not in LEVELS:
        raise TaskError(f"KernelBench has no level {level}: its levels are 1 to 4")
    if where is None:
        return _from_dataset(level, HUB)
    folder = Path(os.path.expanduser(where))
    if not folder.is_dir():
        raise TaskError(f"no KernelBench at {where}: expected the folder of a checkout, or of the dataset")
    for root in (folder, folder / "KernelBench"):
        if any((root / f"level{known}").is_dir() for known in LEVELS):
            return _from_checkout(level, root)
    return _from_dataset(level, str(folder))


def pick(problems: Mapping[int, Problem], level: int, numbers: Iterable[int]) -> list[Problem]:
    """Those with the numbers given, in that order."""
    numbers = list(numbers)
    if unknown := [number for number in numbers if number not in problems]:
        raise TaskError(
            f"KernelBench level {level} has no problem {unknown[0]}: its {len(problems)} problems are numbered "
            f"{min(problems)} to {max(problems)}"
        )
    return [problems[number] for number in numbers]


def _from_checkout(level: int, root: Path) -> dict[int, Problem]:
    folder = root / f"level{level}"
    found: dict[int, Problem] = {}
    for path in folder.glob("*.py"):
        number = path.name.partition("_")[0]
        if number.isdecimal():
            try:
                source = path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError) as error:
                raise TaskError(f"{path} does not read: {error}; expected a problem of KernelBench") from None
            found[int(number)] = Problem(level, int(number), path.stem, source)
    if not found:
        raise TaskError(f"{folder} holds no problems: expected files such as 1_Square_matrix_multiplication_.py")
    return found


def _from_dataset(level: int, path: str) -> dict[int, Problem]:
    try:
        import datasets
    except ImportError:
        raise TaskError(
            "KernelBench's problems are not on this machine. Either `git clone https://github.com/"
            f"{HUB}` and give --kernelbench FOLDER, or `pip install 'cuda-l1[hub]'` to take them from the hub"
        ) from None
    try:
        rows = datasets.load_dataset(path, split=f"level_{level}")
    except Exception as error:
        raise TaskError(
            f"level {level} of the dataset {path} cannot be read: {type(error).__name__}: {error}. "
            f"A checkout works without it: git clone https://github.com/{HUB}, then --kernelbench FOLDER"
        ) from error
    if missing := {"code", "name", "problem_id"} - set(rows.column_names):
        raise TaskError(f"the dataset {path} has no column {', '.join(sorted(missing))}: is it KernelBench's?")
    return {
        int(row["problem_id"]): Problem(level, int(row["problem_id"]), row["name"].removesuffix(".py"), row["code"])
        for row in rows
    }
