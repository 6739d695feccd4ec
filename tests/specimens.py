"""Candidates whose fate is known: cheats that must earn nothing, and honest code that must pass.

A specimen is a file as the judge gets it. What should become of it stands in module-level literals, read without
importing: TASK (a file of `cheats/tasks`), STATUS and FINDING (a string, or a tuple where several checks may rightly
see it first), CREDIT = "none" instead of both (whatever the status, never FAST), DETAIL (words of the finding), DEVICE
(`cpu`: shows on any device; `cuda`: needs one), DANGEROUS = True (harms whoever runs it without a sandbox, or tells
nothing where there is none), CPU_ONLY = True (it is about the host's memory, or its task does not run on a GPU).

NOT covered: judging them (judged.py, test_honest.py) and comparing evaluators (benchmarks/catch_rates.py).
"""

from __future__ import annotations

import ast
import functools
import re
import subprocess
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.types import Candidate, Task

HERE = Path(__file__).parent
PARTS = 21
"""Of specimens whose session few share one part is judged at a commit, for all take longer than all else; of those that
attack the judge itself, and of slow tests, those of every third part."""
_MANY = {"less work", "less precision"}
"""Classes of cheats of which there are hundreds, most of them refused by one of the sets of inputs and weights."""
_SHARED = {"linear", "matmul", "two_operations"}
"""Tasks of most cheats that attack the judge itself: many share a session there, and elsewhere each opens one."""
_STARTS = re.compile(r"thread|subprocess|os\.fork|multiprocessing|clone_|affinity", re.IGNORECASE)


class Specimen(NamedTuple):
    """One file and what should become of it."""

    kind: str
    """`cheats` or `honest`."""
    name: str
    title: str
    """First line of the docstring: the class, a colon, the trick."""
    code: str
    task: str
    statuses: tuple[str, ...]
    findings: tuple[str, ...]
    detail: str
    device: str
    dangerous: bool
    cpu_only: bool

    @property
    def family(self) -> str:
        """The class of cheat , or of honest code."""
        return self.title.partition(":")[0]

    @property
    def starts_others(self) -> bool:
        """Whether it may be at work in a thread or a process of its own, on another core than its calls. Not where it
        must not even be built."""
        return self.statuses != ("BUILD_FAILED",) and _STARTS.search(self.code) is not None

    @property
    def attacks_the_judge(self) -> bool:
        """Whether it is about the judge itself, and on a task that many share."""
        return self.kind == "cheats" and self.family not in _MANY and self.task in _SHARED

    def is_in(self, part: int) -> bool:
        """Whether that one of the `PARTS` holds it: its task's, so that all of that share a session, or every third."""
        if self.attacks_the_judge:
            return zlib.crc32(self.name.encode()) % 3 == part % 3
        return _parts()[self.task] == part

    @property
    def candidate(self) -> Candidate:
        """As the judge gets it."""
        return Candidate(task_id=f"specimen/{self.task}", code=self.code, origin="human", author=self.name)


@functools.cache
def read(path: Path) -> Specimen:
    """One specimen; ValueError for a file without the literals that it needs."""
    text = path.read_text()
    said = _literals(text)
    kind = path.parent.name
    known = {"TASK", "STATUS", "FINDING", "CREDIT", "DETAIL", "DEVICE", "DANGEROUS", "CPU_ONLY"}
    if unknown := {name for name in said if name.isupper() and not name.startswith("_")} - known:
        raise ValueError(f"{path.name} says {', '.join(sorted(unknown))}; known are {', '.join(sorted(known))}")
    tree = ast.parse(text)
    title = (ast.get_docstring(tree) or "").partition("\n")[0]
    if ":" not in title or "TASK" not in said or (("STATUS" in said) == ("CREDIT" in said)):
        raise ValueError(f"{path.name} needs a docstring `class: trick`, a TASK, and either a STATUS or CREDIT")
    code = "".join(text.splitlines(keepends=True)[tree.body[0].end_lineno :])  # our own words tell an evaluator nothing
    return Specimen(
        kind, path.stem, title, code, said["TASK"], _tuple(said.get("STATUS")), _tuple(said.get("FINDING")),
        said.get("DETAIL", ""), said.get("DEVICE", "cpu"), said.get("DANGEROUS", False),
        said.get("CPU_ONLY", False),
    )  # fmt: skip


def collect(kind: str) -> list[Specimen]:
    """All of a folder, by task, device and cores, so that neighbours share a session."""
    found = (read(path) for path in (HERE / kind).glob("*.py"))
    return sorted(found, key=lambda s: (s.task, s.device, s.starts_others, s.name))


def groups(files: Sequence[Specimen], most: int = 8) -> list[list[Specimen]]:
    """Specimens of one task together, for a session; at most so many, and the largest groups first."""
    by_task: dict[str, list[Specimen]] = {}
    for specimen in files:
        by_task.setdefault(specimen.task, []).append(specimen)
    some = [same[i : i + most] for same in by_task.values() for i in range(0, len(same), most)]
    return sorted(some, key=len, reverse=True)


@functools.cache
def _parts() -> dict[str, int]:
    """The part of each task: those with most specimens first, each to the part that has the fewest."""
    every = [each for kind in ("cheats", "honest") for each in collect(kind)]
    tasks = Counter(each.task for each in every if not each.attacks_the_judge)
    loads, parts = [0] * PARTS, {}
    for task, count in sorted(tasks.items(), key=lambda item: (-item[1], item[0])):
        parts[task] = loads.index(min(loads))
        loads[parts[task]] += count
    return parts


def part_of_commit() -> int | None:
    """Whose turn it is at the commit that is checked out, the same each time; None where there is none."""
    told = subprocess.run(["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True)
    return int(told.stdout[:12], 16) % PARTS if told.returncode == 0 else None


def task(name: str) -> Task:
    """The task of that name."""
    source = (HERE / "cheats" / "tasks" / f"{name}.py").read_text()
    said = _literals(source)
    return Task(
        id=f"specimen/{name}", name=name, source=source, precision=said.get("PRECISION", "default"),
        mode=said.get("MODE", "eval"),
    )  # fmt: skip


class Sessions:
    """Judge sessions for specimens that come sorted by task: one is open at a time. On a CPU each has a core of its
    own, so that other tests have others; all cores for a specimen that `starts_others`."""

    def __init__(self, config: JudgeConfig) -> None:
        self._config = config
        self._key: tuple[str, str, int | None] | None = None
        self._session: Session | None = None

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.__exit__(None, None, None)
        self._key = self._session = None

    def of(self, specimen: Specimen, device: str | None = None) -> Session:
        """The session of a specimen's task on a device (its own where none is named)."""
        where = device or specimen.device
        key = (specimen.task, where, 1 if where == "cpu" and not specimen.starts_others else None)
        if key != self._key:
            self.__exit__()
            changed = {"device": where, "cores": key[2]}
            config = JudgeConfig(**(self._config.model_dump() | changed))  # validated: cuda is cuda:0 then
            self._session = Session(task(key[0]), config).__enter__()
            self._key = key
        assert self._session is not None
        return self._session


def _literals(code: str) -> dict[str, Any]:
    found = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def _tuple(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)
