"""One run of the search: its folder, its tallies, what it has judged, and where it keeps what it learns.

Everything is in the archive and in the run folder's events.jsonl as soon as it is known, so that Ctrl-C and kill -9
lose nothing; on resuming, what the archive has of this run under the same config of the judge need not be judged again.
What is best is decided by report.best, the same rule that the report uses. Not covered: what is tried, and in which
order (loop, rounds).
"""

from __future__ import annotations

import contextlib
import json
import math
import secrets
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, NamedTuple

from cuda_l1 import foreign, journal, report
from cuda_l1.archive import Archive
from cuda_l1.config import Budget, OptimizeConfig
from cuda_l1.errors import CudaL1Error, UsageError
from cuda_l1.judge import JudgeConfig
from cuda_l1.search.credit import MODELS, Credit
from cuda_l1.types import Attempt, Candidate, Evaluation, Exemplar, Opinion, Seconds, Task, Usage, jsonable

if TYPE_CHECKING:
    from cuda_l1.judge import Session

Event = dict[str, Any]
LIMITS = ("cost", "tokens", "time", "attempts")
"""Of a budget, in the order of its fields."""
SPENT = "budget of {} reached"


class Result(NamedTuple):
    """How a run ended."""

    run_id: str
    folder: Path
    summary: dict[str, Any]
    best: Exemplar | None
    """The best win; None where nothing was faster with certainty."""
    ended: str
    """Why the search stopped, in words."""
    interrupted: bool = False
    error: CudaL1Error | None = None
    """What ended it early; what was known by then is kept."""

    @property
    def is_spent(self) -> bool:
        """Whether a limit of the budget ended it."""
        return self.ended in map(SPENT.format, LIMITS)


def new_run_id(task: Task) -> str:
    """`<utc>-<name>-<4 hex>`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{task.slug}-{secrets.token_hex(2)}"


def saved(folder: Path) -> dict[str, Any]:
    """The config.json of a run folder, with the archive where it is now. UsageError where there is none.

    An archive beside the folder of the runs, as a sweep has its own, may have been moved together with it.
    """
    path = folder / "config.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{folder} is no run folder: {path.name} does not read ({why}); expected one such as runs/latest"
        ) from None
    if isinstance(data, dict) and "sweep_id" in data:
        raise UsageError(
            f"{folder} is the folder of a sweep, not of one run: go on with cuda-l1 eval --resume {folder}"
        )
    if not isinstance(data, dict) or {"run_id", "task", "config"} - set(data):
        raise UsageError(f"{path} lacks run_id, task or config: it was not written by cuda-l1 optimize")
    _require(path, data, {"run_id": str, "config": dict})
    config = data["config"]
    _require(path, config, {"archive": str | None, "out": str | None})
    if data["run_id"] in ("", ".", "..") or "/" in data["run_id"]:
        raise UsageError(f"{path}: run_id {data['run_id']!r} names no folder: expected one such as {folder.name}")
    archive = Path(config.get("archive") or "")
    beside = folder.resolve().parent.parent / archive.name
    if archive.parent == Path(config.get("out") or "").parent and beside.is_file():
        config["archive"] = str(beside)
    return data


def _require(path: Path, fields: dict[str, Any], kinds: dict[str, type | UnionType]) -> None:
    for name, kind in kinds.items():
        if not isinstance(fields.get(name), kind):
            found = type(fields.get(name)).__name__
            raise UsageError(f"{path}: {name} is a {found}, expected {getattr(kind, '__name__', kind)}")


class Run:
    """One run: its folder, its tallies, and where it keeps what it learns. `open` comes before anything else."""

    def __init__(
        self,
        task: Task,
        config: OptimizeConfig,
        judge_config: JudgeConfig,
        archive: Archive,
        *,
        run_id: str | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.task, self.config, self.judge_config, self.archive = task, config, judge_config, archive
        self.on_event = on_event
        self.run_id = run_id or new_run_id(task)
        self.folder = Path(config.out) / self.run_id
        self.config_digest = judge_config.digest_for(task)
        self.budget = Budget.parse(config.budget)
        self.resumed = (self.folder / "config.json").exists()
        self.best: Exemplar | None = None
        self.best_score = 1.0
        """Against eager, of all that passed in this run, baselines and transforms too."""
        self.judged: dict[str, Evaluation] = {}
        """The latest word of this run on each candidate."""
        self.numbers: dict[str, int] = {}
        """Of attempts, by their ids, from 1 in the order of their coming."""
        self.asked, self.tokens, self.cost, self.unpriced = 0, 0, 0.0, False
        self.is_open = False
        self._credit = Credit(task, judge_config.device)

    def alone(self) -> contextlib.AbstractContextManager[object]:
        """For this process alone while it lasts. UsageError where another one is at work on the run."""
        return journal.held(self.folder / "lock", f"{self.folder} is in use by another optimize: wait for it")

    def open(self) -> None:
        """Write down that the run exists, and take up what it already knows if it is resumed."""
        journal.folder(self.folder)
        record = {"run_id": self.run_id, "task": jsonable(self.task), "config": jsonable(self.config)}
        journal.replace(self.folder / "config.json", json.dumps(record, indent=1))
        journal.link(self.folder.parent / "latest", self.run_id)
        self.archive.add_task(self.task)
        config_json = json.dumps(jsonable(self.config))
        self.archive.start_run(self.run_id, self.task.id, config_json, source_digest=self.task.source_digest)
        evaluations = self.archive.comparable(self.run_id, self.config_digest)
        evaluations = [each for each in evaluations if each.is_lasting]  # others are judged again
        self.judged = {each.candidate_id: each for each in evaluations}
        self._times_judged = Counter(each.candidate_id for each in evaluations)
        self._find_best()
        for attempt in self.archive.attempts(self.run_id):
            self._count(attempt)
        for opinion in self.archive.opinions(self.run_id):
            self._pay(opinion.usage)
        self._earlier_s = journal.elapsed_s(self.folder / report.EVENTS)
        self._started = time.monotonic()
        self.is_open = True

    # What happened, told at once.

    def tell(self, event: str, **fields: Any) -> None:
        """Append an event to events.jsonl and pass it on."""
        self.on_event(journal.tell(self.folder / report.EVENTS, event, **fields))

    def keep(self, candidate: Candidate, evaluation: Evaluation, *, reused: bool) -> None:
        """Put a judged candidate into the archive under this run, and see whether it is the best. What is `reused` took
        this run no time."""
        self.archive.add_candidate(candidate, self.task)
        if candidate.id not in self.judged:
            self._add(evaluation.model_copy(update={"seconds": Seconds()}) if reused else evaluation)
        better = self._better(candidate, evaluation)
        kind = "baseline" if candidate.origin == "baseline" else "candidate"
        self.tell(kind, **report.entry(candidate, evaluation), reused=reused, best=better)

    def keep_attempt(self, attempt: Attempt) -> None:
        """Count what a model answered; it is in the archive already."""
        self._count(attempt)
        self.tell(
            "attempt", number=self.asked, attempt_id=attempt.id, parent_id=attempt.parent_id,
            repairs=self.numbers.get(attempt.parent_id or ""), round=attempt.round,
            candidate_id=attempt.candidate_id, parse_error=attempt.parse_error, exemplar_ids=list(attempt.exemplar_ids),
            tokens=self.tokens, cost_usd=attempt.usage.cost, estimated=attempt.usage.estimated,
        )  # fmt: skip

    def keep_opinion(self, opinion: Opinion) -> None:
        """Count what a checker answered; it is in the archive already."""
        self._pay(opinion.usage)
        self.tell(
            "opinion", candidate_id=opinion.candidate_id, checker=opinion.checker, suspicious=opinion.suspicious,
            reason=opinion.reason, case_ids=list(opinion.case_ids), tokens=self.tokens, cost_usd=opinion.usage.cost,
            estimated=opinion.usage.estimated,
        )  # fmt: skip

    def _count(self, attempt: Attempt) -> None:
        self.asked += 1
        self.numbers.setdefault(attempt.id, self.asked)
        self.unpriced = self.unpriced or attempt.usage.cost is None
        self._pay(attempt.usage)

    def _pay(self, usage: Usage) -> None:
        self.tokens += usage.prompt_tokens + usage.completion_tokens
        self.cost += usage.cost or 0.0

    def _add(self, evaluation: Evaluation) -> None:
        self.archive.add_evaluation(evaluation, config_digest=self.config_digest, run_id=self.run_id)
        self.judged[evaluation.candidate_id] = evaluation
        self._times_judged[evaluation.candidate_id] += 1

    def _find_best(self) -> None:
        """The best of all that this run has judged; without a win there is no best.py."""
        self.best = None
        for name, evaluation in self.judged.items():
            candidate = self.archive.candidate(name)
            if candidate is not None:
                self._better(candidate, evaluation)
        if self.best is None:
            (self.folder / "best.py").unlink(missing_ok=True)

    def _better(self, candidate: Candidate, evaluation: Evaluation) -> bool:
        """Whether this is a win over the best so far; if so it is the best, and best.py is written."""
        exemplar = Exemplar(candidate=candidate, evaluation=evaluation)
        if not evaluation.degenerate:
            self.best_score = max(self.best_score, exemplar.score)
        if candidate.origin == "baseline" or not evaluation.is_win:
            return False
        if self.best is not None and report.best([self.best, exemplar]) is self.best:
            return False
        self.best = exemplar
        journal.replace(self.folder / "best.py", standalone(self.task, self.best, self._times_judged[candidate.id]))
        return True

    # Judging.

    def judge(self, session: Session, candidate: Candidate) -> Evaluation:
        """Judge, unless the archive has a lasting word on a twin under the same config."""
        known = self.judged.get(candidate.id) or self.archive.lasting(candidate.id, self.config_digest)
        if known is None:
            self.tell("judging", candidate_id=candidate.id, author=candidate.author, origin=candidate.origin)
        twin = self.archive.candidate(candidate.id)  # under whose name it is shown, who wrote it first
        author = twin if twin is not None and twin.origin in MODELS else candidate
        evaluation = self._credit.noted(author, known or session.evaluate(candidate))
        self.keep(candidate, evaluation, reused=known is not None)
        return evaluation

    def confirm(self, session: Session) -> None:
        """Judge the best once more, in a fresh process on new inputs and under new weights; what is no win again gives
        way to the next.

        Two starts of the same code can differ by more than one start's interval says, and the best of many is the
        luckiest of many. The second word is the one that counts.
        """
        while self.best is not None and self._times_judged[self.best.candidate.id] < 2:
            candidate = self.best.candidate
            self.tell("judging", candidate_id=candidate.id, author=candidate.author, origin=candidate.origin)
            evaluation = self._credit.noted(candidate, session.evaluate(candidate, won=self.best.evaluation))
            self._add(evaluation)
            self._find_best()
            stands = self.best is not None and self.best.candidate.id == candidate.id
            self.tell("confirmation", **report.entry(candidate, evaluation), reused=False, best=stands)

    # Limits.

    def spent(self) -> str:
        """Which limit is reached, in words; empty while none is."""
        seconds = self._earlier_s + time.monotonic() - self._started
        for name, used, limit in zip(LIMITS, (self.cost, self.tokens, seconds, self.asked), self.budget, strict=True):
            if limit is not None and used >= limit:
                return SPENT.format(name)
        return ""

    @property
    def limited_in_usd(self) -> bool:
        """Whether what is asked must have a price."""
        return self.budget.usd is not None

    def attempts_left(self, in_flight: int) -> float:
        """How many replies may still be asked for, while so many are on their way."""
        limit = self.budget.attempts
        return math.inf if limit is None else math.ceil(limit) - self.asked - in_flight

    # What remains.

    def finish(self, ended: str, *, interrupted: bool = False, error: CudaL1Error | None = None) -> Result:
        """Report and result files, from the archive."""
        summary = report.summary(self.archive, self.run_id, self.config_digest, self.folder) | {"ended": ended}
        journal.replace(self.folder / "report.md", report.markdown(summary))
        journal.replace(self.folder / "result.json", json.dumps(summary, indent=1))
        result = Result(self.run_id, self.folder, summary, self.best, ended, interrupted, error)
        self.tell("done", outcome=summary["outcome"], ended=ended, folder=str(self.folder))
        return result


def standalone(task: Task, exemplar: Exemplar, words: int) -> str:
    """The candidate's code under a comment that says where it comes from and what was measured, and where that is the
    judge's only word of this run, as kill -9 leaves it, that nothing has confirmed it. Names are others' words
    (a model's, a file's): each is kept on its line, and none stands on the first two, where Python looks for an
    encoding."""
    candidate, evaluation = exemplar.candidate, exemplar.evaluation
    assert evaluation.speedup is not None
    environment = evaluation.environment
    by = f"{candidate.origin}: {candidate.author}" if candidate.author else candidate.origin
    eager = "" if evaluation.speedup.vs == "eager" else f", {report.ratio(evaluation.speedup_eager)} against eager"
    lines = [
        "Faster code, judged by cuda-l1. Use ModelNew in place of Model:",
        "it takes the same arguments and the same state_dict.",
        f"Task {task.name} ({task.id}).",
        f"Candidate {candidate.id}, by {by}{f'; the same code as {exemplar.same_as}' if exemplar.same_as else ''}.",
        f"{report.ratio(evaluation.speedup)} against {evaluation.speedup.vs}{eager} (median and 95% interval).",
        *(["Judged once so far: a run judges its best once more at its end."] if words < 2 else []),
        f"Largest error {evaluation.max_error:.2g} (the reference's own: {evaluation.reference_error:.2g}), "
        f"precision {task.precision}, mode {task.mode}.",
        f"Measured on {environment.device} ({environment.arch}), torch {environment.torch}, "
        f"judge {environment.judge_version}, seed {evaluation.seed}.",
    ]
    header = "".join(f"# {foreign.one_line(line)}\n" for line in lines)
    return header + "\n" + candidate.code.removeprefix("\ufeff").rstrip() + "\n"
