"""What a step of training asks, keeps and leaves out, with a judge of known speeds and no model."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="needs the extra `train`")

from records import make_evaluation
from toy_policy import OTHER, RIGHT, WRONG, ToyJudge, block, make_tasks

from cuda_l1 import attempt, journal, reward
from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig
from cuda_l1.train import metrics, reinforce, rollouts
from cuda_l1.train.config import ContrastiveConfig, load
from cuda_l1.types import Status

pytestmark = [
    # TRL, transformers and torch of these versions warn about one another.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def made(rolled: Any, tmp_path: Path) -> Any:
    """Rollouts without a model: (rollouts, task id)."""
    opened = []

    def make(left_out: tuple[str, ...] = (), **settings: Any) -> rollouts.Rollouts:
        config = load(ContrastiveConfig, rolled(**settings))
        archive = Archive(tmp_path / "archive.sqlite")
        opened.append(archive)
        judge = ToyJudge(tmp_path / "archive.sqlite", left_out=left_out)
        return reinforce.make_rollouts(
            config, reinforce.chosen(config, JudgeConfig()), archive, judge, "toy-contrastive"
        )

    yield make
    for archive in opened:
        archive.close()


def answer(made: rollouts.Rollouts, step: int, *texts: str) -> list[rollouts.Answer]:
    """One step with one group of these replies."""
    import asyncio

    [question] = made.draw(step, ["local/relu-0"])
    made.ask([(question, "local/relu-0")] * len(texts))
    made.answered(texts[:1], [3], [True])
    made.answered(texts[1:], [3] * (len(texts) - 1), [True] * (len(texts) - 1))
    asyncio.run(made.verdicts())
    return made.judged


def test_an_answer_that_nobody_could_judge_is_left_out_and_a_wrong_one_is_worth_nothing(made: Any) -> None:
    toy = made(left_out=(RIGHT,))
    answers = answer(toy, 0, block(OTHER), block(WRONG), "no code", block(RIGHT))
    worth = [rollouts.worth(each, "certain") for each in answers]
    assert worth[1:] == [reward.NOTHING, reward.NOTHING, None]
    compared = toy.compare(answers, 4)
    assert compared[3] == 0.0
    assert compared[:3] == reward.advantages(worth[:3], "certain")
    figures = rollouts.figures(answers, rollouts.Settled(2, 0.5))
    shares = {"success": 0.25, "fast": 0.25, "hacks": 0.0, "no_code": 0.25, "left_out": 0.25}
    assert figures == shares | {"judged": 2.0, "judging_s": 0.5}


def test_rejected_code_counts_as_a_hack() -> None:
    from records import make_candidate, make_task

    candidate = make_candidate(make_task())
    rejected = rollouts.Answer(candidate.id, make_evaluation(candidate, Status.REJECTED))
    assert rollouts.figures([rejected, rollouts.Answer()], rollouts.Settled(1, 1.0))["hacks"] == 0.5


def test_what_a_killed_step_left_in_the_archive_is_not_judged_again_and_not_shown_before_its_time(made: Any) -> None:
    first = made(strategy="random")
    answer(first, 0, block(OTHER), block(WRONG))
    assert len(first.judge.judged) == 2
    again = made(strategy="random")  # resumed from before that step: its known is empty
    [question] = again.draw(0, ["local/relu-0"])
    assert question.exemplar_ids == ()
    answers = answer(again, 0, block(OTHER), block(WRONG))
    assert again.judge.judged == [], "the judge's word was in the archive"
    again.learn(answers)
    [question] = again.draw(1, ["local/relu-0"])
    assert question.exemplar_ids == (answers[0].candidate_id,), "from the next step on it is shown, if it passed"


@pytest.mark.parametrize("strategy", [*attempt.sampling.Strategy.__args__])  # type: ignore[attr-defined]
def test_every_strategy_draws_the_same_for_the_same_step(made: Any, strategy: str) -> None:
    toy = made(strategy=strategy)
    toy.learn(answer(toy, 0, block(OTHER), block(RIGHT), block(WRONG)))
    drawn = [toy.draw(step, ["local/relu-0"])[0] for step in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1]
    assert all(bool(each.exemplar_ids) == (strategy != "none") for each in drawn)


def test_the_schedule_takes_every_task_before_any_twice(tmp_path: Path) -> None:
    tasks = make_tasks(tmp_path / "tasks.jsonl", count=5)
    names = rollouts.schedule(tasks, 12, seed=3)
    assert len(names) == 12
    assert set(names[:5]) == set(names[5:10]) == {task.id for task in tasks}
    assert names == rollouts.schedule(tasks, 12, seed=3)
    assert names != rollouts.schedule(tasks, 12, seed=4)


def test_metrics_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / metrics.FILE
    path.write_text('{"step": 1, "loss": 0.5}\n{"step": 2, "loss": 0.4}\n{"step": 3, "lo')
    metrics.truncate(path, 1)
    assert journal.lines(path) == [{"step": 1, "loss": 0.5}]


def test_random_state_is_left_alone(tmp_path: Path) -> None:
    random.seed(5)
    expected = random.Random(5).random()
    rollouts.schedule(make_tasks(tmp_path / "tasks.jsonl"), 4, seed=0)
    assert random.random() == expected
