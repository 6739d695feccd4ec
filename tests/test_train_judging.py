"""Judging beside the training, with the real judge: through worker processes and the archive, and not for ever."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs the extra `train`")

from records import make_candidate, make_evaluation, make_task
from toy_policy import OTHER, RIGHT, WRONG

from cuda_l1.archive import Archive
from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import JudgeConfig
from cuda_l1.train.judging import Judging
from cuda_l1.types import Candidate, Status, Task

CONFIG = JudgeConfig(effort="glance", baselines=())
TASK = make_task()
CROWDED_OUT = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 1.00 GiB is "
    "free. Including non-PyTorch memory, this process has 3.00 GiB memory in use."
)
FAILS_THE_JUDGE = RIGHT.replace(
    "        return", f"        raise torch.OutOfMemoryError({CROWDED_OUT!r})\n        return"
)
NO_CORES = CONFIG.model_copy(update={"cores": 4096})
HANGING = RIGHT.replace("        return", "        while True:\n            pass\n        return")


def kept(folder: Path, *codes: str) -> list[Candidate]:
    candidates = [make_candidate(TASK, code, origin="policy") for code in codes]
    with Archive(folder / "archive.sqlite") as archive:
        for candidate in candidates:
            archive.add_candidate(candidate, TASK)
    return candidates


def judging(folder: Path, limit_s: float = 300.0, config: JudgeConfig = CONFIG, session: int | None = None) -> Judging:
    return Judging(str(folder / "archive.sqlite"), "run", config, workers=1, limit_s=limit_s, session=session)


def test_a_group_is_judged_in_a_worker_and_twins_are_not_judged_twice(tmp_path: Path) -> None:
    right, wrong, other = kept(tmp_path, RIGHT, WRONG, OTHER)
    judge = judging(tmp_path)
    try:
        judge.begin(TASK, [right, wrong])
        judge.begin(TASK, [right])
        found, settled = asyncio.run(judge.settle())
        assert {found[right.id].status, found[wrong.id].status} == {Status.PASSED, Status.WRONG_OUTPUT}
        assert settled.judged == 2
        judge.begin(TASK, [wrong, right])
        again, settled = asyncio.run(judge.settle())
        assert again == found
        assert settled.judged == 0, "their evaluations are in the archive"
    finally:
        judge.close()
    with Archive(tmp_path / "archive.sqlite") as archive:
        assert len(archive.evaluations("run")) == 2
        assert archive.evaluation(other.id, CONFIG.digest_for(TASK)) is None


@pytest.mark.parametrize(("session", "sessions"), [(None, 1), (1, 2)])
def test_a_group_may_be_spread_over_sessions(tmp_path: Path, session: int | None, sessions: int) -> None:
    judge = judging(tmp_path, session=session)
    try:
        judge.begin(TASK, kept(tmp_path, RIGHT, WRONG))
        found, settled = asyncio.run(judge.settle())
    finally:
        judge.close()
    assert settled.judged == 2
    assert len({evaluation.seed for evaluation in found.values()}) == sessions, "each session draws its own"


def test_a_batch_does_not_wait_for_one_that_is_stuck(tmp_path: Path) -> None:
    """The candidate hangs for as long as the judge lets it, which is longer than the batch has."""
    [stuck] = kept(tmp_path, HANGING)
    judge = judging(tmp_path, limit_s=5.0)
    try:
        began = time.monotonic()
        judge.begin(TASK, [stuck])
        found, settled = asyncio.run(judge.settle())
        assert found == {}
        assert settled.judged == 0
        assert time.monotonic() - began < CONFIG.run_timeout_s
    finally:
        judge.close()


def broken(folder: Path, what: str) -> tuple[Task, Candidate, JudgeConfig]:
    """A task, an answer to it and a judge that can say nothing of it."""
    task = make_task(source=TASK.source.replace("randn(8)", "randn(no_such_size)")) if what == "task" else TASK
    [candidate] = kept(folder, FAILS_THE_JUDGE if what == "candidate" else RIGHT)
    return task, candidate, NO_CORES if what == "judge" else CONFIG


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("judge", "4096 CPU cores were asked for"),
        ("task", "no_such_size"),
        ("candidate", "others had the device's memory"),
    ],
)
def test_where_nothing_can_be_judged_the_training_stops(tmp_path: Path, what: str, said: str) -> None:
    task, candidate, config = broken(tmp_path, what)
    judge = judging(tmp_path, config=config)
    try:
        judge.begin(task, [candidate])
        with pytest.raises(CannotJudgeError, match=f"nothing of a batch could be judged: .*{said}"):
            asyncio.run(judge.settle())
    finally:
        judge.close()


def test_where_something_is_known_the_training_goes_on(tmp_path: Path) -> None:
    right, other = kept(tmp_path, RIGHT, OTHER)
    with Archive(tmp_path / "archive.sqlite") as archive:
        archive.add_evaluation(make_evaluation(right), config_digest=NO_CORES.digest_for(TASK), run_id="before")
    judge = judging(tmp_path, config=NO_CORES)
    try:
        judge.begin(TASK, [right, other])
        found, settled = asyncio.run(judge.settle())
        assert list(found) == [right.id]
        assert settled.judged == 0
    finally:
        judge.close()
