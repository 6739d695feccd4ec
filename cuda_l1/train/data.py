"""Stage 1's data: every generator tries every task until two of its codes are judged PASSED, or twenty tries are spent.

    tasks -> screened, KernelBench refused -> for each generator: ask or transform -> judge -> data.jsonl

Each row is a conversation for TRL's SFTTrainer (`prompt`, `completion`) with where it comes from: task, candidate,
digest of the evaluation, origin, author, licence. Unless `min_speedup` is set there is no filter on speed, as in the
paper (method section 2). A row is written as soon as its task is judged, after every reply and evaluation of it is in
the archive; started again, nothing known is asked or judged.
Not covered: training on the rows (sft), and whether a model's terms allow it: its `licence` says, the user wrote it.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from cuda_l1 import attempt, journal, llm, parsing, prompts, transforms
from cuda_l1.archive import Archive
from cuda_l1.errors import CannotJudgeError, ConfigError, CudaL1Error, ModelError, TaskError
from cuda_l1.judge import JudgeConfig
from cuda_l1.train import contamination, families, reply
from cuda_l1.train.data_config import DataConfig
from cuda_l1.train.tasks import choose
from cuda_l1.types import Candidate, Evaluation, Message, Status, Task, Verdict, digest, to_json

Job = tuple[Task, Sequence[Candidate]]
Judge = Callable[[Sequence[Job]], Iterable[tuple[int, list[Evaluation] | CudaL1Error]]]
"""Yields, for each job in any order, its index and its evaluations in order or what went wrong."""
Event = dict[str, Any]
ROWS = "data.jsonl"
TRANSFORMS = "transforms"
_COUNTED = {"id", "task", "family", "author", "verdict", "licence"}
"""Of a row, what is read again."""
OWN_LICENCE = "Apache-2.0: task and code were written by cuda-l1's own generator and transforms"


class Generator(NamedTuple):
    """Who writes code: a client, or without one the transforms named (None: all)."""

    name: str
    licence: str
    client: llm.Client | None = None
    techniques: tuple[str, ...] | None = None


class Made(NamedTuple):
    """A candidate, and what its row is written from: a model's reply or a transform's change."""

    candidate: Candidate
    reply: str = ""
    change: reply.Change | None = None


class Quest:
    """What one generator has done for one task, and still owes it."""

    def __init__(self, task: Task, generator: Generator) -> None:
        self.task, self.generator = task, generator
        self.tried = self.passed = 0
        self.waiting: list[Made] = []
        """Written and not yet judged."""
        self.left: list[Made] = []
        """Of a transform: not yet tried."""
        self.seen: set[str] = set()
        self.over = False


class Rows:
    """Those of a held file (`journal.held`): each is appended once, also over several starts."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, path = file, Path(file.name)
        self.rows: list[dict[str, Any]] = journal.lines(path)
        if (wrong := next((row for row in self.rows if not row.keys() >= _COUNTED), None)) is not None:
            raise ConfigError(f"{path}: expected {', '.join(sorted(_COUNTED))} in every row, found "
                              f"{', '.join(wrong) or 'nothing'}; move the file away, or set another `out`")  # fmt: skip
        self._ids = {row["id"] for row in self.rows}

    def add(self, row: dict[str, Any]) -> None:
        """Append, unless it is there."""
        if row["id"] in self._ids:
            return
        self._ids.add(row["id"])
        self.rows.append(row)
        journal.append(self._file, row)


class Builder:
    """Carries tasks through all generators. `judge` is the pool of judging processes, tests give their own; `file` is
    the held one for the rows."""

    def __init__(
        self,
        config: DataConfig,
        generators: Sequence[Generator],
        archive: Archive,
        judging: JudgeConfig,
        judge: Judge,
        file: IO[bytes],
        *,
        device_name: str,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.config, self.generators, self.archive = config, list(generators), archive
        self.judging, self.judge, self.device_name, self.on_event = judging, judge, device_name, on_event
        self.rows = Rows(file)
        self.left_out: Counter[str] = Counter()
        """Reason to tasks that gave no rows, or too few, for it."""
        self.rows_left_out: Counter[str] = Counter()
        """Reason to codes that passed and gave no row for it."""
        self.judged = self.reused = 0
        self._answered: set[str] = set()
        """Generators that wrote something for the batch, in this start or an earlier one."""

    def build(self, tasks: Sequence[Task]) -> dict[str, Any]:
        """All tasks, `batch` at a time; the manifest, which is also written. Ctrl-C keeps what was known by then, in a
        manifest that is not `complete`."""
        if not self.generators:
            raise ConfigError("no generator: name transforms, models, or both")
        contamination.refuse(tasks, None)
        self._require_same_judge(tasks)
        complete = False
        with asyncio.Runner() as runner:
            try:
                for start in range(0, len(tasks), self.config.batch):
                    self._batch(tasks[start : start + self.config.batch], runner)
                    done = min(start + self.config.batch, len(tasks))
                    self.on_event({"event": "data", "tasks": done, "of": len(tasks), "rows": len(self.rows.rows)})
                complete = True
            finally:
                for generator in self.generators:
                    if generator.client is not None:
                        runner.run(generator.client.aclose())
                manifest = {"complete": complete, **self._manifest(len(tasks))}
                journal.replace(Path(self.config.out) / "manifest.json", json.dumps(manifest, indent=1) + "\n")
        return manifest

    def _require_same_judge(self, tasks: Sequence[Task]) -> None:
        """ConfigError where earlier rows were judged otherwise: this judge may reject what they hold."""
        under = {task.id: self.judging.digest_for(task) for task in tasks}
        for number, row in enumerate(self.rows.rows, 1):
            if under.get(row["task"], row.get("judged_under")) != row.get("judged_under"):
                raise ConfigError(f"{Path(self.config.out) / ROWS}: its row {number} was judged under other settings, "
                                  "by another judge, or on another device or torch; move the file away, or set another "
                                  "`out`")  # fmt: skip

    def _batch(self, tasks: Sequence[Task], runner: asyncio.Runner) -> None:
        quests = [Quest(task, generator) for task in tasks for generator in self.generators]
        self._answered.clear()
        known = self.judged + self.reused
        for quest in quests:
            self.archive.add_task(quest.task)
            self._take_up(quest)
            quest.over = not quest.waiting and self._wanted(quest) <= 0
        while quests := [quest for quest in quests if not quest.over]:
            self._fill([quest for quest in quests if not quest.waiting], runner)
            failure = self._settle([quest for quest in quests if quest.waiting])
            if failure is not None and self.judged + self.reused == known:
                raise failure
            for quest in quests:
                quest.over = quest.over or self._wanted(quest) <= 0

    def _wanted(self, quest: Quest) -> int:
        return min(self.config.successes - quest.passed, self.config.tries - quest.tried)

    def _take_up(self, quest: Quest) -> None:
        """What an earlier start was told, or what a transform has to offer."""
        if quest.generator.client is not None:
            for earlier in self.archive.attempts(self._run_id(quest)):
                quest.tried += 1
                self._answered.add(quest.generator.name)
                found = self.archive.candidate(earlier.candidate_id) if earlier.candidate_id else None
                quest.waiting += [Made(found, earlier.reply)] if found else []
            return
        proposals, _ = transforms.propose(
            quest.task, self.judging.device, quest.generator.techniques, plain=self.config.plain
        )
        ideas = _ideas()
        quest.left = [
            Made(p.candidate, change=reply.Change(p.technique, ideas[p.technique], p.detail)) for p in proposals
        ]

    def _fill(self, quests: Sequence[Quest], runner: asyncio.Runner) -> None:
        """Let each quest's generator write as many as are still wanted."""
        asking = [quest for quest in quests if quest.generator.client is not None]
        for quest in quests:
            if quest.generator.client is None:
                wanted = self._wanted(quest)
                quest.waiting, quest.left = quest.left[:wanted], quest.left[wanted:]
                quest.tried += len(quest.waiting)
                quest.over = not quest.waiting
        if asking:
            runner.run(self._ask_all(asking))

    async def _ask_all(self, quests: Sequence[Quest]) -> None:
        answers = await asyncio.gather(*map(self._ask, quests), return_exceptions=True)
        for quest, answer in zip(quests, answers, strict=True):
            if isinstance(answer, ModelError):
                quest.over = True
                self.left_out[f"{quest.generator.name} did not answer"] += 1
                self.on_event({"event": "model_error", "model": quest.generator.name, "error": str(answer)})
            elif isinstance(answer, BaseException):
                raise answer
            else:
                quest.tried += len(answer)
                self._answered.add(quest.generator.name)
                quest.waiting = [Made(each.candidate, each.attempt.reply) for each in answer if each.candidate]
        # one that answered something of the batch lives: what it refuses may be a question longer than its context
        silent = [quest.generator.name for quest in quests if quest.generator.name not in self._answered]
        if silent:
            raise ModelError(f"{silent[0]} answers nothing any more; started again, the same command goes on here")

    async def _ask(self, quest: Quest) -> list[attempt.Reply]:
        assert quest.generator.client is not None
        question = attempt.Question(self._question(quest.task), (), round=1)
        return await attempt.ask(
            quest.task,
            quest.generator.client,
            self.archive,
            question,
            n=self._wanted(quest),
            run_id=self._run_id(quest),
        )

    def _run_id(self, quest: Quest) -> str:
        """The same question to the same generator is the same run, whatever folder it is for."""
        return f"data-{digest(quest.generator.name, quest.task.source_digest, json.dumps(self._question(quest.task)))}"

    def _question(self, task: Task) -> list[Message]:
        """Without exemplars: stage 1 learns to write what runs and is right."""
        folder = Path(self.config.prompt_dir) if self.config.prompt_dir else None
        return prompts.build(
            task, [], device_name=self.device_name, language=self.config.language, folder=folder
        ).messages

    def _settle(self, quests: Sequence[Quest]) -> CannotJudgeError | None:
        """Judge what waits, task by task, each candidate once; write a task's rows as soon as it is judged. The first
        failure of the judge where every task met one."""
        jobs: dict[str, tuple[Task, dict[str, Candidate]]] = {}
        for quest in quests:
            for made in quest.waiting:
                self.archive.add_candidate(made.candidate, quest.task)
                if self.archive.lasting(made.candidate.id, self.judging.digest_for(quest.task)) is None:
                    jobs.setdefault(quest.task.id, (quest.task, {}))[1][made.candidate.id] = made.candidate
                else:
                    self.reused += 1
        for quest in quests:
            if quest.task.id not in jobs:
                self._harvest(quest)
        listed: list[Job] = [(task, list(candidates.values())) for task, candidates in jobs.values()]
        failures: list[CannotJudgeError] = []
        for index, outcome in self.judge(listed) if listed else ():
            task = listed[index][0]
            failures += [outcome] if isinstance(outcome, CannotJudgeError) else []
            if isinstance(outcome, CudaL1Error):
                self._cannot(task, outcome)
            else:
                self._store(task, outcome)
            for quest in quests:
                if quest.task.id == task.id:
                    quest.over = quest.over or isinstance(outcome, CudaL1Error)
                    self._harvest(quest)
        return failures[0] if failures and len(failures) == len(listed) else None

    def _store(self, task: Task, evaluations: Sequence[Evaluation]) -> None:
        for evaluation in evaluations:
            self.judged += 1
            self.archive.add_evaluation(
                evaluation, config_digest=self.judging.digest_for(task), run_id=f"data-{task.source_digest}"
            )

    def _cannot(self, task: Task, error: CudaL1Error) -> None:
        if not isinstance(error, TaskError | CannotJudgeError):
            raise error
        self.left_out["cannot be judged"] += 1
        self.on_event({"event": "task_left_out", "task": task.id, "reason": str(error)})

    def _harvest(self, quest: Quest) -> None:
        digest = self.judging.digest_for(quest.task)
        for made in quest.waiting:
            evaluation = self.archive.evaluation(made.candidate.id, digest)
            if evaluation is None or evaluation.status is not Status.PASSED or made.candidate.id in quest.seen:
                continue
            if evaluation.degenerate:
                if not quest.over:
                    self.left_out["degenerate"] += 1
                quest.over = True
            elif quest.passed < self.config.successes:
                quest.seen.add(made.candidate.id)
                if self._too_slow(evaluation):
                    self.rows_left_out[f"below {self.config.min_speedup:g}x eager"] += 1
                    continue
                quest.passed += 1
                self.rows.add(self._row(quest, made, evaluation))
        quest.waiting = []

    def _too_slow(self, evaluation: Evaluation) -> bool:
        measured = evaluation.credited
        return measured is not None and measured.value < self.config.min_speedup

    def _row(self, quest: Quest, made: Made, evaluation: Evaluation) -> dict[str, Any]:
        task, candidate = quest.task, made.candidate
        if made.change is not None:
            said = reply.of_transform(task, made.change, candidate.code, evaluation)
        else:
            said = reply.of_model(task, parsing.parse(made.reply, task), evaluation)
        return {
            "id": digest(task.id, quest.generator.name, candidate.id),
            "prompt": self._question(task),
            "completion": [{"role": "assistant", "content": said.text}],
            "task": task.id,
            "family": families.family_of(task) or "",
            "source_digest": task.source_digest,
            "candidate": candidate.id,
            "evaluation": digest(to_json(evaluation)),
            "judged_under": self.judging.digest_for(task),
            "verdict": str(evaluation.verdict),
            "speedup": evaluation.speedup.value if evaluation.speedup else None,
            "origin": "llm" if quest.generator.client else "transform",
            "author": quest.generator.name if quest.generator.client else candidate.author,
            "sections": said.sections,
            "licence": quest.generator.licence,
        }

    def _manifest(self, tasks: int) -> dict[str, Any]:
        rows = self.rows.rows
        return {
            "config": self.config.model_dump(mode="json"),
            "tasks": tasks,
            "tasks_with_rows": len({row["task"] for row in rows}),
            "left_out": dict(self.left_out),
            "rows_left_out": dict(self.rows_left_out),
            "rows": len(rows),
            "rows_by": {
                key: dict(Counter(row[key] for row in rows)) for key in ("family", "author", "verdict", "licence")
            },
            "fast": sum(row["verdict"] == Verdict.FAST for row in rows),
            "judged": self.judged,
            "taken_from_archive": self.reused,
        }


def _ideas() -> dict[str, str]:
    """Technique to what it is, from its own description."""
    from cuda_l1.transforms.catalogue import ALL

    said = {name: (made.__doc__ or name).strip().splitlines()[0].rstrip(".") for name, made in ALL.items()}
    return {name: text[0].lower() + text[1:] for name, text in said.items()}


def run(config: DataConfig, on_event: Callable[[Event], None] = lambda event: None) -> dict[str, Any]:
    """`cuda-l1 train data`: the manifest of what was built. Everything that can be wrong with the settings is said
    before the first question is asked."""
    from cuda_l1.judge import pool
    from cuda_l1.machine import environment

    judging = JudgeConfig(
        device=config.device, cores=config.cores, effort=config.effort, baselines=config.baselines,
        sandbox=config.sandbox,
    )  # fmt: skip
    environment.require(judging.device)
    out = Path(config.out)
    busy = f"{out} is in use by another train data: wait for it, or set another `out`"
    place = config.archive or out / "archive.sqlite"
    with journal.held(out / ROWS, busy) as file, Archive(place) as archive:
        generators = _generators(config)
        tasks, left_out = choose(
            file=config.file, seed=config.seed, count=config.count, names=config.families,
            kernelbench=config.kernelbench, device=judging.device,
        )  # fmt: skip
        builder = Builder(
            config, generators, archive, judging, lambda jobs: pool.run(jobs, judging, config.workers, config.gpus),
            file, device_name=environment.device_name(judging.device), on_event=on_event,
        )  # fmt: skip
        builder.left_out.update(left_out)
        return builder.build(tasks)


def _generators(config: DataConfig) -> list[Generator]:
    """Those of the config, each connected. ConfigError for two of one name: they could not be told apart."""
    found: list[Generator] = []
    if techniques := transforms.named(config.transforms):
        found.append(Generator(TRANSFORMS, OWN_LICENCE, techniques=techniques))
    for source in config.models:
        client = llm.connect(
            source.model, base_url=source.base_url, temperature=source.temperature, max_tokens=source.max_tokens
        )
        found.append(Generator(client.name, source.licence, client))
    twice = [name for name, times in Counter(generator.name for generator in found).items() if times > 1]
    if twice:
        raise ConfigError(f"generator {twice[0]} is named twice: raise `tries` or `successes` instead")
    return found
