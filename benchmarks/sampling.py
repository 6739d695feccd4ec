"""Samples until a search is near the best that there is, by the strategy that chooses the exemplars; no GPU, no model.

    python benchmarks/sampling.py run --limit 300 --out sampling.jsonl --figure docs/results/sampling.png
    python benchmarks/sampling.py settings --limit 600 --out settings.jsonl
    python benchmarks/sampling.py table sampling.jsonl --figure docs/results/sampling.png

The tasks and the stand-in for a model are those of `sampling_bandit.py`; the strategies are `cuda_l1.sampling`'s own
code. A search starts with the reference's code in its pool and asks in rounds of REPLIES replies to one prompt, as
`optimize` does; a subset seen before is not measured again. A search ends when it has found a candidate whose TRUE
log-speedup is 95% of the best there is, and counts as CAP when it has not. Every strategy gets the same tasks.
`settings` tries temperatures and widths on other tasks than `run` judges them by. NOT covered: what a real model does.
Needs matplotlib for the figure alone.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import functools
import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from journal import Journal, limit
from sampling_bandit import LANDSCAPES, Landscape, Problem, code, labels, measured, problem, replies
from sampling_table import draw, render, render_settings

from cuda_l1.sampling import Strategy, choose
from cuda_l1.types import Candidate, Environment, Evaluation, Exemplar, Interval, Status, Verdict

CAP = 400
REPLIES = 4
EXEMPLARS = 2
CHUNK = 25
TUNING_SEED = 1_000_000
OUTLIERS = (1, 3, 10, 30, 100, 1e3, 1e4, 1e5, 1e6)
DRAWS = 2000
_ENVIRONMENT = Environment(device="none", arch="none", torch="none", python="none", threads=1, sandbox="none",
                           judge_version="none")  # fmt: skip


class Sampler(NamedTuple):
    """A strategy with its settings. A blind one sees neither labels nor code that could differ more or less."""

    name: str
    strategy: Strategy
    temperature: float
    width: float
    blind: bool = False


SAMPLERS = (
    Sampler("none", "none", 1.0, 0.1),
    Sampler("random", "random", 1.0, 0.1),
    Sampler("island", "island", 0.25, 0.03),
    Sampler("bucket", "bucket", 0.25, 0.03),
    Sampler("paper", "paper", 0.25, 0.03),
    Sampler("contrast", "contrast", 1.0, 0.1),
    Sampler("contrast, blind", "contrast", 1.0, 0.1, blind=True),
)
"""Each with the settings that `settings` found best for it; the island has the bucket's."""
GRID = tuple(
    Sampler(f"{strategy} {temperature:g} {width:g}", strategy, temperature, width)
    for strategy, temperature, width in itertools.product(
        ("bucket", "paper", "contrast"), (0.25, 0.5, 1.0, 2.0), (0.03, 0.1, 0.3)
    )
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    for name, searches in (("run", 200), ("settings", 50)):
        command = commands.add_parser(name)
        command.add_argument("--searches", type=int, default=searches, help="by landscape and sampler")
        command.add_argument("--workers", type=int, default=os.cpu_count())
        command.add_argument("--limit", type=float, required=True, help="seconds")
        command.add_argument("--out", type=Path, required=True)
        command.add_argument("--figure", type=Path)
    shown = commands.add_parser("table")
    shown.add_argument("files", nargs="+", type=Path)
    shown.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "table":
        rows = [row for path in arguments.files for row in Journal(path).rows]
    else:
        journal = Journal(arguments.out)
        with limit(arguments.limit):
            measure(journal, arguments)
        rows = journal.rows
    if arguments.figure:
        draw(rows, arguments.figure, CAP)
    print(render_settings(rows, CAP) if any(row["row"] == "settings" for row in rows) else render(rows, CAP))


def measure(journal: Journal, arguments: argparse.Namespace) -> None:
    """All searches that the journal lacks, in chunks, over the workers; then the spread of what is chosen."""
    tuning = arguments.command == "settings"
    samplers, first = (GRID, TUNING_SEED) if tuning else (SAMPLERS, 0)
    done = {(row["landscape"], row["sampler"], row["seed"]) for row in journal.rows if "seed" in row}
    jobs = [
        (landscape, sampler, seed)
        for seed in range(first, first + arguments.searches, CHUNK)
        for landscape, sampler in itertools.product(LANDSCAPES, samplers)
        if (landscape.name, sampler.name, seed) not in done
    ]
    with concurrent.futures.ProcessPoolExecutor(arguments.workers) as workers:
        try:
            for job, needed in zip(jobs, workers.map(chunk, jobs), strict=True):
                journal.add({"row": arguments.command, "landscape": job[0].name, "sampler": job[1].name,
                             "seed": job[2], "needed": needed})  # fmt: skip
        except BaseException:
            workers.shutdown(wait=False, cancel_futures=True)
            raise
    if not tuning and not any(row["row"] == "spread" for row in journal.rows):
        for row in spreads():
            journal.add({"row": "spread"} | row)


def chunk(job: tuple[Landscape, Sampler, int]) -> list[int]:
    """Samples needed by CHUNK searches."""
    landscape, sampler, first = job
    return [search(problem(landscape, seed), sampler, seed) for seed in range(first, first + CHUNK)]


def search(task: Problem, sampler: Sampler, seed: int) -> int:
    """Samples until the target, at most CAP."""
    rng = random.Random(seed)
    pool = {0: exemplar(0, 1.0, sampler.blind)}
    scores = {pool[0].candidate.id: (0, 1.0)}
    for asked in range(0, CAP, REPLIES):
        chosen = choose(
            list(pool.values()), strategy=sampler.strategy, n=EXEMPLARS, rng=rng, temperature=sampler.temperature,
            width=sampler.width,
        )  # fmt: skip
        ids = tuple(each.candidate.id for each in chosen)
        answers = replies(task, [scores[name] for name in ids], REPLIES, rng)
        for number, mask in enumerate(answers, asked + 1):
            if mask is None:
                pool[-number] = failure(number, ids)
            elif mask not in pool:
                if task.truth[mask] >= task.target:
                    return number
                pool[mask] = exemplar(mask, measured(task, mask, rng), sampler.blind, ids)
                scores[pool[mask].candidate.id] = mask, pool[mask].score
    return CAP


class Known(Candidate):
    """A candidate that takes its digest once."""

    @functools.cached_property
    def id(self) -> str:  # type: ignore[override]
        return super().id


def exemplar(mask: int, score: float, blind: bool = False, parents: tuple[str, ...] = ()) -> Exemplar:
    """A subset as the sampler sees it: a record that passed with that score against eager."""
    text = f"# {mask}" if blind else code(mask)
    candidate = Known.model_construct(task_id="bandit", code=text, origin="llm", exemplar_ids=parents)
    evaluation = Evaluation.model_construct(
        candidate_id="", task_id="bandit", status=Status.PASSED, verdict=Verdict.SAME, times_us=(1.0,), seed=0,
        labels=() if blind else labels(mask), speedup_eager=Interval(value=score, lo=score, hi=score),
        environment=_ENVIRONMENT,
    )  # fmt: skip
    return Exemplar.model_construct(candidate=candidate, evaluation=evaluation)


def failure(number: int, parents: tuple[str, ...]) -> Exemplar:
    """A code that did not work."""
    candidate = Known.model_construct(task_id="bandit", code=f"# broken {number}", origin="llm", exemplar_ids=parents)
    evaluation = Evaluation.model_construct(
        candidate_id="", task_id="bandit", status=Status.CRASHED, seed=0, environment=_ENVIRONMENT
    )
    return Exemplar.model_construct(candidate=candidate, evaluation=evaluation)


def spreads() -> Iterator[dict[str, object]]:
    """How often each of twenty candidates is chosen when one of them is measured as so many times the next best.

    Counts of DRAWS choices of EXEMPLARS: of the exemplar drawn `first`, and of all `shown`. All strategies at
    temperature 1 and width 0.1; the other nineteen score 0.8 to 4.
    """
    for sampler, outlier in itertools.product(SAMPLERS[1:6], OUTLIERS):
        others = [0.8 * 5 ** (i / 18) for i in range(19)]
        pool = [exemplar(i, score) for i, score in enumerate([*others, others[-1] * outlier])]
        rng = random.Random(0)
        drawn = [choose(pool, strategy=sampler.strategy, n=EXEMPLARS, rng=rng, temperature=1.0, width=0.1)
                 for _ in range(DRAWS)]  # fmt: skip
        first = collections.Counter(chosen[0].candidate.id for chosen in drawn)
        shown = collections.Counter(each.candidate.id for chosen in drawn for each in chosen)
        yield {"sampler": sampler.name, "outlier": outlier, "first": sorted(first.values(), reverse=True),
               "shown": sorted(shown.values(), reverse=True)}  # fmt: skip


if __name__ == "__main__":
    main()
