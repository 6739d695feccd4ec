"""A release of codes with claimed speedups, judged row by row: what is claimed, and what became of each row.

`load` reads the JSON-lines format of the CUDA-L1 repository: level_id, task_id, ref_code (the task), custom_code (the
candidate, which defines `ModelNew`), score_default (the claimed speedup against eager). Each row is a task of its own.
Results go to `results.jsonl` of a folder as rows are done, one line each; beside it `release.json` lists the rows, so
that a report needs nothing else. A stopped run goes on where it was: a row that was judged under the same settings is
not judged again, one that our own failure left without a word is tried again, after the others.
NOT covered: the report (release), scores against other baselines than eager, other formats of a release.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from cuda_l1 import foreign, journal, parsing
from cuda_l1.errors import UsageError
from cuda_l1.types import (
    Candidate,
    Evaluation,
    Mode,
    Precision,
    Record,
    Status,
    Task,
    digest,
    first_wrong,
    jsonable,
    to_json,
)

if TYPE_CHECKING:
    from cuda_l1.judge import JudgeConfig

PREFIX = "cuda-l1:"
RESULTS, LISTING = "results.jsonl", "release.json"
SCHEMA = 1
_FIELDS: dict[str, tuple[type, ...]] = {
    "level_id": (int,),
    "task_id": (int,),
    "ref_code": (str,),
    "custom_code": (str, type(None)),
    "score_default": (int, float, type(None)),
}

Job = tuple[Task, Sequence[Candidate]]
Outcome = list[Evaluation] | Exception
Runner = Callable[[Iterable[Job], "JudgeConfig", int], Generator[tuple[int, Outcome]]]
"""`judge.pool.run`: takes the next job when a worker is free; yields (number of the job, its outcome)."""


Pending = dict[str, tuple[Task, Candidate]]
"""Row names to what is to be judged."""


class Claim(NamedTuple):
    """One row of a release."""

    row: str
    """`LEVEL/ID`, e.g. `1/12`."""
    task: Task
    """Made of the row's own ref_code."""
    candidate: Candidate | None
    reason: str
    """Why there is no candidate; empty where there is one."""
    claimed: float | None
    """Speedup against eager that the release states."""


class Row(Record):
    """A claim as the listing keeps it."""

    row: str
    level: int
    claimed: float | None
    reason: str
    key: str | None
    """Names task, candidate, settings and the judge's version; None without a candidate."""


class Listing(Record):
    """`release.json`: what was asked for, as the latest run asked it."""

    schema_version: int = SCHEMA
    name: str
    """The release's file name."""
    file: str = ""
    """The file as it was asked for; empty where an earlier version wrote this."""
    device: str
    effort: str
    baselines: tuple[str, ...]
    precision: Precision
    mode: Mode
    rows: tuple[Row, ...]


class Result(Record):
    """A line of `results.jsonl`: the judge's word on a row, or what kept it from one."""

    row: str
    key: str
    evaluation: Evaluation | None = None
    error: str = ""
    at: str


def load(spec: str, *, precision: Precision = "default", mode: Mode = "eval") -> list[Claim]:
    """Rows of a release, in its order. UsageError names the line that does not read, and what was expected."""
    if not spec.startswith(PREFIX) or spec == PREFIX:
        raise UsageError(f"--claims {spec}: expected {PREFIX}FILE, e.g. {PREFIX}optimized_cuda_code/h100.json")
    path = Path(spec.removeprefix(PREFIX))
    if path.exists() and not path.is_file():  # a pipe may be waited for until for ever
        raise UsageError(f"--claims: {path} is no regular file: expected one of JSON lines")
    lines = journal.text_of(path, f"--claims: {path}").split("\n")  # no other character ends a line of JSON
    claims: dict[str, Claim] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        claim = _claim(_fields(line, where), where, precision, mode)
        if claim.row in claims:
            raise UsageError(f"{where}: row {claim.row} is there twice")
        claims[claim.row] = claim
    if not claims:
        raise UsageError(f"{path} holds no claims: expected one JSON object a line")
    return list(claims.values())


def _fields(line: str, where: str) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where} is no JSON: {error}; expected one object a line") from None
    if not isinstance(fields, dict):
        raise UsageError(f"{where}: expected an object, found a {type(fields).__name__}")
    for name, kinds in _FIELDS.items():
        if name not in fields or not isinstance(fields[name], kinds) or isinstance(fields[name], bool):
            found = _kind(type(fields[name])) if name in fields else "nothing"
            wanted = " or ".join(map(_kind, kinds))
            raise UsageError(f"{where}: {name} must be {wanted}, found {found}")
        if isinstance(fields[name], str) and foreign.whole(fields[name]) != fields[name]:
            raise UsageError(f"{where}: {name} must be text, found half of a surrogate pair in it: leave the row out")
    return fields


def _kind(kind: type) -> str:
    return "null" if kind is type(None) else kind.__name__


def _claim(fields: Mapping[str, Any], where: str, precision: Precision, mode: Mode) -> Claim:
    claimed = fields["score_default"]
    if claimed is not None and not 0 < claimed <= sys.float_info.max:
        raise UsageError(f"{where}: score_default must be a speedup above 0, found {str(claimed)[:20]}")
    for name in ("level_id", "task_id"):
        if fields[name] < 0:  # --only could not name it
            raise UsageError(f"{where}: {name} must be 0 or more, found {fields[name]}")
    row, code = f"{fields['level_id']}/{fields['task_id']}", fields["custom_code"]
    task = Task(
        id=f"cuda-l1/{row}", name=f"CUDA-L1 {row}", source=fields["ref_code"], level=fields["level_id"],
        precision=precision, mode=mode,
    )  # fmt: skip
    reason = "custom_code is null" if code is None else ""
    if code is not None and code.strip() in ("", "None"):
        reason = f"custom_code is the text {code.strip()!r}"
    if reason:
        return Claim(row, task, None, reason, claimed)
    language = parsing.language_of(code)
    candidate = Candidate(task_id=task.id, code=code, language=language, origin="human", author=f"release {row}")
    return Claim(row, task, candidate, "", claimed)


def select(claims: Sequence[Claim], only: str) -> list[Claim]:
    """The claims named by e.g. `1/1-20,25,2/5`, in the release's order. UsageError for a part that names none."""
    chosen: set[str] = set()
    level = ""
    for part in only.split(","):
        match = re.fullmatch(r"(?:(\d+)/)?(\d+)(?:-(\d+))?", part.strip())
        if match is None or not (match[1] or level):
            raise UsageError(f"--only {only}: {part!r} is no row; expected LEVEL/ID or LEVEL/FIRST-LAST, e.g. 1/1-20")
        level = match[1] or level
        first, last = int(match[2]), int(match[3] or match[2])
        places = {claim.row: claim.row.partition("/") for claim in claims}
        found = {row for row, (of, _, number) in places.items() if of == level and first <= int(number) <= last}
        if not found:
            raise UsageError(f"--only {only}: the release has no row {part.strip()}")
        chosen |= found
    return [claim for claim in claims if claim.row in chosen]


def listing(claims: Sequence[Claim], spec: str, config: JudgeConfig) -> Listing:
    """All rows of the release under these settings."""
    file = foreign.whole(spec.removeprefix(PREFIX))  # a name may hold bytes that JSON takes only as half a pair
    return Listing(
        name=Path(file).name,
        file=file,
        device=config.device,
        effort=config.effort,
        baselines=config.baselines,
        precision=claims[0].task.precision,
        mode=claims[0].task.mode,
        rows=tuple(
            Row(
                row=claim.row,
                level=claim.task.level or 0,
                claimed=claim.claimed,
                reason=claim.reason,
                key=digest(config.digest_for(claim.task), claim.candidate.id) if claim.candidate else None,
            )
            for claim in claims
        ),
    )


def read(folder: Path) -> tuple[Listing, dict[str, Result]]:
    """What a folder holds: the listing, and for each of its rows the latest result under the listing's settings."""
    try:
        found = Listing.model_validate_json((folder / LISTING).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"{folder / LISTING} does not read: {_reason(error)}; verify --claims writes it anew, and keeps the results"
        ) from None
    return found, _latest(folder / RESULTS, {row.row: row.key for row in found.rows})


def _latest(path: Path, keys: Mapping[str, str | None]) -> dict[str, Result]:
    latest: dict[str, Result] = {}
    for number, fields in enumerate(journal.lines(path), 1):
        try:
            if keys.get(fields["row"]) == fields["key"]:
                latest[fields["row"]] = Result.model_validate(fields)
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{path}, line {number} does not read: {_reason(error)}; move the file away to begin anew"
            ) from None
    return latest


def _reason(error: Exception) -> str:
    """On one line: of several things that are wrong with a record, the first."""
    if isinstance(error, ValidationError):
        return first_wrong(error)
    return f"no {error}" if isinstance(error, KeyError) else str(error)


@contextlib.contextmanager
def opened(folder: Path, found: Listing) -> Iterator[Results]:
    """The results of a folder, which is made, held by this process alone. UsageError where another one holds it."""
    busy = f"{folder} is in use by another verify --claims: wait for it, or use --out"
    with journal.held(folder / RESULTS, busy) as file:
        journal.replace(folder / LISTING, to_json(found))
        yield Results(file, {row.row: row.key for row in found.rows}, read(folder)[1])


class Results:
    """What is known of each row, on the disk and here."""

    def __init__(self, file: IO[bytes], keys: Mapping[str, str | None], latest: dict[str, Result]) -> None:
        self._file = file
        self._keys = keys
        self.latest = latest

    def final(self, row: str) -> bool:
        """Whether a row need not be judged again: our own failure says nothing of the code."""
        evaluation = self.latest[row].evaluation if row in self.latest else None
        return evaluation is not None and evaluation.status is not Status.INFRA_FAILED

    def add(self, row: str, outcome: Outcome) -> Result:
        """Write a row's outcome down; it is on the disk when this returns."""
        failed = isinstance(outcome, Exception)
        result = Result(
            row=row,
            key=str(self._keys[row]),
            evaluation=None if isinstance(outcome, Exception) else outcome[0],
            error=f"{type(outcome).__name__}: {outcome}" if failed else "",
            at=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        journal.append(self._file, jsonable(result))
        self.latest[row] = result
        return result


def pending(claims: Sequence[Claim], results: Results, config: JudgeConfig) -> Pending:
    """Claims with code that have no final result yet; those that failed on us before come last.

    With a seed in the config all of them: a seed asks for a repetition.
    """
    repeat = config.seed is not None
    ordered = sorted(claims, key=lambda claim: claim.row in results.latest)
    return {
        claim.row: (claim.task, claim.candidate)
        for claim in ordered
        if claim.candidate and (repeat or not results.final(claim.row))
    }


def judge_rows(
    rows: Pending,
    results: Results,
    config: JudgeConfig,
    runner: Runner,
    *,
    workers: int,
    seconds: float | None = None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> None:
    """Judge all rows, each result written as it comes. After `seconds` no further row is begun."""
    ends = math.inf if seconds is None else time.monotonic() + seconds
    begun: list[str] = []

    def jobs() -> Iterator[Job]:
        for row, (task, candidate) in rows.items():
            if time.monotonic() >= ends:
                return
            begun.append(row)
            yield task, [candidate]

    with contextlib.closing(runner(jobs(), config, workers)) as outcomes:
        for index, outcome in outcomes:
            on_result(results.add(begun[index], outcome))
