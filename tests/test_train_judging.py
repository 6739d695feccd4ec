"""Judging beside the training, with the real judge: through worker processes and the archive, and not for ever."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs the extra `train`")

from failing import FAILS
from records import make_candidate, make_evaluation, make_task
from toy_policy import OTHER, RIGHT, WRONG

from cuda_l1.archive import Archive
from cuda_l1.errors import CannotJudgeError
from cuda_l1.judge import JudgeConfig
from cuda_l1.train.judging import Judging
from cuda_l1.types import Candidate, Finding, Status, Task, Verdict

CONFIG = JudgeConfig(effort="glance", baselines=(), sandbox="none")  # `end_eager` needs that
TASK = make_task()
FAILS_THE_JUDGE = FAILS + RIGHT.replace("        return", "        end_eager()\n        return")
NO_CORES = CONFIG.model_copy(update={"cores": 4096})
HANGING = RIGHT.replace("        return", "        while True:\n            pass\n        return")


def kept(folder: Path, *codes: str) -> list[Candidate]:
    candidates = [make_candidate(TASK, code, origin="policy") for code in codes]
    with Archive(folder / "archive.sqlite") as archive:
        for candidate in candidates:
            archive.add_candidate(candidate, TASK)
    return candidates


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an archive that several tests keep candidates in: of each its own text."""
    return tmp_path_factory.mktemp("judging")


@pytest.fixture(scope="module")
def usual(archived: Path) -> Iterator[Judging]:
    """A judge whose worker is up."""
    judge = judging(archived)
    yield judge
    judge.close()


@pytest.fixture(scope="module")
def unable(archived: Path) -> Iterator[Judging]:
    """A judge that asks for more cores than there are."""
    judge = judging(archived, config=NO_CORES)
    yield judge
    judge.close()


def judging(folder: Path, limit_s: float = 300.0, config: JudgeConfig = CONFIG, session: int | None = None) -> Judging:
    return Judging(str(folder / "archive.sqlite"), "run", config, workers=1, limit_s=limit_s, session=session)


@pytest.mark.slow
def test_a_group_is_judged_in_a_worker_and_twins_are_not_judged_twice(archived: Path, usual: Judging) -> None:
    right, wrong, other = kept(archived, RIGHT, WRONG, OTHER)
    usual.begin(TASK, [right, wrong])
    usual.begin(TASK, [right])
    found, settled = asyncio.run(usual.settle())
    assert {found[right.id].status, found[wrong.id].status} == {Status.PASSED, Status.WRONG_OUTPUT}
    assert settled.judged == 2
    lasting = [each for each in (wrong, right) if found[each.id].is_lasting]  # a crowded machine's word is not
    usual.begin(TASK, lasting)
    again, settled = asyncio.run(usual.settle())
    assert again == {each.id: found[each.id] for each in lasting}
    assert settled.judged == 0, "their evaluations are in the archive"
    with Archive(archived / "archive.sqlite") as archive:
        judged = [evaluation.candidate_id for evaluation in archive.evaluations("run")]
        assert (judged.count(right.id), judged.count(wrong.id)) == (1, 1)
        assert archive.evaluation(other.id, CONFIG.digest_for(TASK)) is None


def test_what_a_crowded_machine_could_not_tell_is_asked_again(archived: Path, usual: Judging) -> None:
    [right] = kept(archived, f"{RIGHT}# on a crowded machine\n")
    note = Finding(check="crowded", detail="other programs had 1.5 of 2 CPU cores")
    crowded = make_evaluation(right, verdict=Verdict.AMBIGUOUS, notes=(note,))
    with Archive(archived / "archive.sqlite") as archive:
        archive.add_evaluation(crowded, config_digest=CONFIG.digest_for(TASK), run_id="before")
    usual.begin(TASK, [right])
    found, settled = asyncio.run(usual.settle())
    assert (found[right.id].status, found[right.id] == crowded, settled.judged) == (Status.PASSED, False, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("session", "sessions"), [(None, 1), (1, 2)])
def test_a_group_may_be_spread_over_sessions(
    archived: Path, usual: Judging, session: int | None, sessions: int
) -> None:
    judge = judging(archived, session=session) if session else usual
    try:
        judge.begin(TASK, kept(archived, *(f"{code}# {sessions}\n" for code in (RIGHT, WRONG))))
        found, settled = asyncio.run(judge.settle())
    finally:
        if session:
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


def broken(folder: Path, what: str) -> tuple[Task, Candidate]:
    """A task and an answer to it, of which a judge can say nothing, or this one cannot."""
    task = make_task(source=TASK.source.replace("randn(8)", "randn(no_such_size)")) if what == "task" else TASK
    [candidate] = kept(folder, f"{FAILS_THE_JUDGE if what == 'candidate' else RIGHT}# {what}\n")
    return task, candidate


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("judge", "4096 CPU cores were asked for"),
        ("task", "no_such_size"),
        ("candidate", "what it is timed beside failed"),
    ],
)
def test_where_nothing_can_be_judged_the_training_stops(
    archived: Path, usual: Judging, unable: Judging, what: str, said: str
) -> None:
    task, candidate = broken(archived, what)
    judge = unable if what == "judge" else usual
    judge.begin(task, [candidate])
    with pytest.raises(CannotJudgeError, match=f"nothing of a batch could be judged: .*{said}"):
        asyncio.run(judge.settle())


def test_where_something_is_known_the_training_goes_on(archived: Path, unable: Judging) -> None:
    right, other = kept(archived, *(f"{code}# known\n" for code in (RIGHT, OTHER)))
    with Archive(archived / "archive.sqlite") as archive:
        archive.add_evaluation(make_evaluation(right), config_digest=NO_CORES.digest_for(TASK), run_id="before")
    unable.begin(TASK, [right, other])
    found, settled = asyncio.run(unable.settle())
    assert list(found) == [right.id]
    assert settled.judged == 0
