"""`cuda-l1 verify --claims`: a whole release of codes, row by row, in as many runs as it takes."""

from __future__ import annotations

import functools
import os
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from cuda_l1 import foreign, wording
from cuda_l1.cli.shared import (
    check_device,
    check_toolchain,
    judge_config,
    options,
    report_file,
    show_report,
    work,
)
from cuda_l1.errors import CannotJudgeError, UsageError

if TYPE_CHECKING:
    from cuda_l1.claims import Claim, Result, Results, Runner
    from cuda_l1.config import VerifyConfig
    from cuda_l1.console import Console
    from cuda_l1.judge import JudgeConfig

claims_options = options(
    click.option("--claims", metavar="cuda-l1:FILE", help="Judge a whole release instead of one CANDIDATE."),
    click.option("--only", metavar="1/1-20,2/5", help="With --claims: these rows of it."),
    click.option(
        "--time-budget", metavar="9m", help="With --claims: begin no row after that; exit 3 if rows are left."
    ),
    click.option(
        "--workers", type=click.IntRange(1), help="With --claims: rows prepared at once. Default: as for eval"
    ),
    click.option("--gpus", type=click.IntRange(1), help="With --claims: spread them over so many GPUs. Default: 1"),
    click.option("--out", metavar="FOLDER", help="With --claims: folder of the results. Default: runs/claims-FILE"),
    click.option("-o", "--output", metavar="FILE", help="With --claims: the report as .md or .json."),
)
NAMES = ("claims", "only", "time_budget", "workers", "gpus", "out", "output")
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_MOST_WORKERS = 6


def refuse(given: Mapping[str, Any], why: str) -> None:
    """UsageError for the first of these arguments that was given."""
    for name, value in given.items():
        if value is not None and value != ():
            raise UsageError(f"{name} {' '.join(value) if isinstance(value, tuple) else value}: {why}")


def verify_claims(asked: dict[str, Any], config: VerifyConfig, screen: Console, *, as_json: bool) -> int:
    """Judge what is left of a release and report on all of it. The exit code says how the claims stand."""
    from cuda_l1 import claims, release

    budget, output = asked["time_budget"], asked["output"]
    seconds = None if budget is None else duration_in_s(budget, "--time-budget")
    report_file(output)
    loaded = claims.load(asked["claims"], precision=config.precision, mode=config.mode)
    chosen = loaded if asked["only"] is None else claims.select(loaded, asked["only"])
    with work():
        judging = judge_config(config, seeded=True)
        check_device(judging, asked["gpus"] or 1)
        listing = claims.listing(loaded, asked["claims"], judging)
        folder = Path(asked["out"] or _folder(listing.name, config.seed))
        with claims.opened(folder, listing) as results:
            _judge(chosen, results, judging, seconds, asked["workers"], asked["gpus"] or 1, screen, folder)
            only = {claim.row for claim in chosen}
            total = release.summary(listing, results.latest, None if asked["only"] is None else only)
    return show(total, screen, output=output, as_json=as_json)


def show(total: dict[str, Any], screen: Console, *, output: str | None, as_json: bool) -> int:
    """The report where it was asked for; its exit code."""
    from cuda_l1 import release

    show_report(total, release.markdown(total), screen, output=output, as_json=as_json)
    if left := total["counts"]["by_outcome"].get(release.LEFT, 0):
        screen.say(f"{wording.counted(left, 'row')} left, run again to go on")
    return int(total["exit_code"])


def _judge(chosen: Sequence[Claim], results: Results, config: JudgeConfig, seconds: float | None, workers: int | None,
           gpus: int, screen: Console, folder: Path) -> None:  # fmt: skip
    from cuda_l1 import claims
    from cuda_l1.judge import pool

    pending = claims.pending(chosen, results, config)
    unable = set()
    for row, (_, candidate) in pending.items():
        try:
            check_toolchain(candidate)
        except CannotJudgeError as error:
            results.add(row, error)
            unable.add(row)
    able = {row: job for row, job in pending.items() if row not in unable}
    without = sum(claim.candidate is None for claim in chosen)
    known = len(chosen) - without - len(pending)
    screen.say(
        f"{wording.counted(len(chosen), 'row')}: {known} judged before, {without} without code, {len(unable)} that "
        f"this machine cannot build, {len(able)} to judge on {config.device}; results in {folder}"
    )
    progress = _Progress(screen, len(able))
    try:
        runner = cast("Runner", functools.partial(pool.run, gpus=gpus))
        claims.judge_rows(able, results, config, runner, seconds=seconds, on_result=progress,
                          workers=workers or gpus * workers_for(config))  # fmt: skip
    except KeyboardInterrupt:
        screen.say(
            f"{wording.counted(progress.left, 'row')} left; what was judged is kept in {folder}, run again to go on"
        )
        raise


class _Progress:
    """One line on stderr for each row that is done."""

    def __init__(self, screen: Console, total: int) -> None:
        self._screen, self._total, self._began = screen, total, time.monotonic()
        self._tally: Counter[str] = Counter()

    @property
    def left(self) -> int:
        return self._total - self._tally.total()

    def __call__(self, result: Result) -> None:
        from cuda_l1 import report

        evaluation = result.evaluation
        said, detail = ("not judged", result.error) if evaluation is None else (str(evaluation.status), "")
        self._tally[said] += 1
        if evaluation is not None and evaluation.verdict is not None:
            said, detail = f"{said} {evaluation.verdict}", f"{report.ratio(evaluation.speedup_eager)} vs eager"
        elif evaluation is not None and evaluation.findings:
            detail = report.finding_text(evaluation.findings[0].check, evaluation.findings[0].detail)
        done = self._tally.total()
        tally = ", ".join(f"{count} {name}" for name, count in sorted(self._tally.items()))
        time_left = wording.duration_s((time.monotonic() - self._began) / done * self.left)
        text = foreign.one_line(detail, 110)
        self._screen.say(f"  {done}/{self._total}  {result.row:<6} {said:<14} {text}   ({tally}; {time_left} left)")


def _folder(name: str, seed: int | None) -> str:
    """A repetition under a seed stands apart from the results that it repeats."""
    return f"runs/claims-{Path(name).stem}" + ("" if seed is None else f"-seed-{seed}")


def workers_for(config: JudgeConfig) -> int:
    """How many tasks to prepare at once. On a CPU builds beside it would disturb the timing, but for cores apart."""
    if config.device == "cpu":
        return max(1, len(os.sched_getaffinity(0)) // config.cores) if config.cores else 1
    return max(1, min(_MOST_WORKERS, (os.cpu_count() or 2) // 2))


def duration_in_s(text: str, option: str) -> float:
    """`9m` in seconds. UsageError for what is no duration."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)", text.strip())
    if match is None:
        raise UsageError(f"{option} {text}: expected a number and s, m or h, for instance 9m")
    return float(match[1]) * _UNITS[match[2]]
