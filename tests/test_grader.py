"""Replies as rewards, with the real judge in worker processes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from records import make_task

from cuda_l1 import reward
from cuda_l1.grader import Graded, Grader
from cuda_l1.judge import JudgeConfig
from cuda_l1.types import Status

CONFIG = JudgeConfig(effort="glance", baselines=())
TASK = make_task()
CODE = """import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        {body}
"""
RIGHT, WRONG = (CODE.format(body=f"return {said}") for said in ("x.clamp_min(0)", "torch.relu(x) + 1"))
HANGING = CODE.format(body="while True:\n            pass")


def reply(code: str) -> str:
    return f"Here it is.\n```python\n{code}```\n"


@pytest.fixture(scope="module")
def grader() -> Iterator[Grader]:
    with Grader(CONFIG, workers=1) as found:
        yield found


@pytest.mark.slow
def test_replies_to_several_tasks_are_graded_in_their_order(grader: Grader) -> None:
    other = make_task("local/relu-1", source=TASK.source.replace("torch.relu(x)", "torch.relu(x) + 1"))
    broken = make_task("local/relu-2", source=TASK.source.replace("randn", "no_such"))
    asked = [(TASK, WRONG), (other, WRONG), (TASK, RIGHT), (broken, RIGHT), (TASK, f"{RIGHT}\n"), (other, RIGHT)]
    replies = [*((task, reply(code)) for task, code in asked), (TASK, "I cannot.")]
    wrong, right, also, nobody, twin, not_there, none = grader(replies)
    assert (wrong.value, wrong.evaluation and wrong.evaluation.status) == (0.0, Status.WRONG_OUTPUT)
    assert (not_there.value, none) == (0.0, Graded(reward.NOTHING, said=none.said))
    assert none.said.startswith("no code block")
    assert twin is also, "judged once"
    for each, task in ((right, other), (also, TASK)):
        assert each.evaluation is not None
        assert each.evaluation.task_id == task.id
        assert each.reward == reward.score(each.evaluation, "certain")
        assert each.value
    assert (nobody.reward, nobody.value) == (None, None)
    assert nobody.evaluation is None
    assert "no_such" in nobody.said


@pytest.mark.slow
def test_what_hangs_costs_itself_alone(grader: Grader) -> None:
    with Grader(CONFIG, workers=1, limit_s=8.0) as impatient:
        code = impatient([(TASK, "no code"), (TASK, reply(HANGING))])
        assert [each.value for each in code] == [0.0, None]
        assert code[1].said == "not judged within 8 s"
    assert grader([]) == []


@pytest.mark.slow
def test_where_the_judge_cannot_work_nothing_is_said_of_a_reply() -> None:
    with Grader(CONFIG.model_copy(update={"cores": 4096}), workers=1, measure="speedup") as unable:
        [found] = unable([(TASK, reply(RIGHT))])
    assert found.reward is None
    assert "4096 CPU cores were asked for" in found.said
