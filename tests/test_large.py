"""Tasks whose sets have no room on the device: sets on the host, no rival, in a race one call's inputs at a time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from linear import HEAD, LINEAR, rewrite, task

from cuda_l1.correctness import sets, stepped
from cuda_l1.inputs.redrawn import LARGE, LARGEST, SMALL
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.machine import room
from cuda_l1.timing import plan
from cuda_l1.types import Candidate, Status, Task, Verdict
from cuda_l1.wire.arena import Layout

WASTEFUL = LINEAR.replace(
    "        return torch.relu(self.fc(x))\n",
    "        for _ in range(40):\n            y = torch.relu(self.fc(x))\n        return y\n",
)


@pytest.fixture
def cramped(monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session that does with the least."""
    monkeypatch.setattr(room, "ALL", room.Room(keeps=False, rival=False, spare=False))
    monkeypatch.setattr(plan, "plan", lambda reference: plan.Plan(1, 1))
    baseline = rewrite(source=WASTEFUL, old="range(40)", new="range(1)").model_copy(
        update={"origin": "baseline", "author": "once"}
    )
    monkeypatch.setattr(Session, "baseline_candidates", lambda self: ([baseline], {}))
    with Session(task(WASTEFUL), JudgeConfig(effort="quick", baselines=("once",))) as session:
        yield session


def test_verdicts_are_the_same_with_the_least_room(cramped: Session) -> None:
    honest = rewrite(source=WASTEFUL, old="range(40)", new="range(1)")
    for _ in range(3):  # eager's own time moves on a busy machine, and widens the interval: one call a turn shows it
        evaluation = cramped.evaluate(honest)
        assert evaluation.status is Status.PASSED
        assert evaluation.speedup_eager is not None
        if evaluation.speedup_eager.lo > 2:
            break
    assert evaluation.speedup_eager.lo > 2
    assert evaluation.speedup is not None
    assert evaluation.speedup.vs == "once", "compared through eager"
    assert 0.3 < evaluation.speedup.value < 3
    assert evaluation.verdict is not Verdict.SLOW
    kinds = [(one.kind, one.weights) for one in cramped.reference.sets]
    assert kinds[:3] == [("own", 0), ("own", 0), ("own", 1)]


@pytest.mark.parametrize(
    ("old", "new", "check"),
    [
        ("return y", "return y * (1 + 1e-2 * (x[0, 0] > 0))", "error"),
        ("return y", "x.add_(1)\n        return y", "inputs_modified"),
        (
            "return y",
            "return self.__dict__.setdefault('kept', {}).setdefault(x.data_ptr(), y).clone()",
            "replayed_output",
        ),
        (
            "        return y",
            "        if not hasattr(self, 'out'):\n            self.out = torch.empty_like(y)\n"
            "        return self.out.copy_(y)",
            "output_overwritten",
        ),
    ],
)
def test_what_is_wrong_is_seen_with_the_least_room(cramped: Session, old: str, new: str, check: str) -> None:
    evaluation = cramped.evaluate(rewrite(source=WASTEFUL, old=old, new=new))
    assert [finding.check for finding in evaluation.findings] == [check]


def test_with_the_least_room_nobody_is_asked_about_precision(cramped: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes several outputs more: 2/34 of the release, whose calls write 4 GiB, found none for these on an H100."""
    asked: list[object] = []
    monkeypatch.setattr(stepped, "found", lambda *given: asked.append(given))
    off = rewrite(source=WASTEFUL, old="return y", new="return y * 1.000005").model_copy(update={"author": "off"})
    assert cramped.evaluate(off).status is Status.PASSED
    assert not asked
    assert "fewer bits within the bound pass" in cramped.reference.room.said


RELU = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return torch.relu(x)\n\n"
    "def get_inputs():\n    return [torch.randn(4096, ROWS)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device, and there is none")
def test_a_call_that_takes_a_tenth_of_the_device_is_judged() -> None:
    """A 23rd is read and as much written: 6 GiB each on 140 GiB."""
    there = torch.cuda.mem_get_info()[1]
    source = RELU.replace("ROWS", str(there // 23 // 4096 // 4))
    large = Task(id="local/large", name="large", source=source)

    def candidate(body: str) -> Candidate:
        code = source.replace("class Model(", "class ModelNew(").replace("torch.relu(x)", body)
        return Candidate(task_id="local/large", code=code, origin="human")

    config = JudgeConfig(device="cuda", effort="quick", baselines=("graph",))
    with Session(large, config) as session:
        assert not session.reference.room.keeps
        honest = session.evaluate(candidate("x.clamp(min=0)"))
        slower = session.evaluate(candidate("torch.relu(torch.relu(x))"))
        wrong = session.evaluate(candidate("torch.nn.functional.leaky_relu(x, 1e-3)"))
    assert (honest.status, honest.findings) == (Status.PASSED, ())
    assert (slower.status, slower.verdict) == (Status.PASSED, Verdict.SLOW)
    assert [finding.check for finding in wrong.findings] == ["error"]


CLAMPED = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return torch.tanh(x.clamp(max=8)) + 0.1 * x.clamp(max=8)\n\n"
    "def get_inputs():\n    return [torch.randn(256, 1024)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def test_distributions_of_which_no_set_is_kept_are_met_while_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a call moves some 60 MB on a CPU, or half a GiB on a GPU: the clamp is never reached by the task's own
    values, and other sets have no room."""
    monkeypatch.setitem(sets._BUDGET_BYTES, "cpu", 1 << 20)
    large = Task(id="local/clamped", name="clamped", source=CLAMPED)
    without = CLAMPED.replace("class Model(", "class ModelNew(").replace(".clamp(max=8)", "")
    same = CLAMPED.replace("class Model(", "class ModelNew(").replace("x.clamp(max=8)", "x.minimum(x.new_tensor(8.))")
    with Session(large, JudgeConfig(effort="quick", baselines=())) as session:
        (said,) = (note.detail for note in session.reference.notes if note.check == "distributions")
        assert {made.kind for made in session.reference.sets} == {"own"}
        wrong = session.evaluate(Candidate(task_id=large.id, code=without, origin="human"))
        honest = session.evaluate(Candidate(task_id=large.id, code=same, origin="human"))
    assert "met while timed" in said
    assert [finding.check for finding in wrong.findings] == ["timed_output"]
    assert (honest.status, honest.findings) == (Status.PASSED, ())


STEPS = LINEAR.replace(
    "        return torch.relu(self.fc(x))\n",
    "        h = torch.zeros_like(x[:, 0])\n        for step in range(x.shape[1]):\n"
    "            h = torch.tanh(self.fc(h) + x[:, step])\n        return h\n",
).replace("torch.randn(32, 64)", "torch.randn(8, 6, 64)")


@pytest.mark.parametrize("source", [LINEAR, STEPS, RELU.replace("4096, ROWS", "32, 64")], ids=["a", "steps", "relu"])
@pytest.mark.parametrize("fitting", [0, 24, 1000])
def test_what_sets_take_is_known_before(source: str, fitting: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a device's room for it a session begins or waits: 2/34 of the release kept 90 GiB, and was taken for 33."""
    reads, writes = {STEPS: (8 * 6 * 64 * 4, 8 * 64 * 4)}.get(source, (32 * 64 * 4, 32 * 64 * 4))
    monkeypatch.setitem(sets._BUDGET_BYTES, "cpu", fitting * (reads + 4 * writes))
    with Session(task(source), JudgeConfig(effort="glance", baselines=())) as session:
        ref = session.reference
        there = [one for made in (*ref.sets, *ref.later, *ref.parts) for one in (made.inputs, *made.expected)]
        there += [held.row for which, held in ref.weights.items() if which >= len(sets.WEIGHTS)]
        taken = {one.untyped_storage().data_ptr(): one.untyped_storage().nbytes() for one in there}
        wide = tuple(leaf.widened() for leaf in ref.output_leaves)
        own = Layout(ref.input_leaves, ref.output_leaves, 1, 2)
        known = sets.kept_nbytes(own, own._replace(outputs=wide), ref.state_nbytes, "cpu", source)
    assert sum(taken.values()) <= known <= 3 * sum(taken.values())


def test_of_large_weights_some_reach_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where few extreme weights are drawn none go to what a recurrence alone needs."""
    monkeypatch.setattr(sets, "EXTREME_BYTES", 0)
    clipped = task(LINEAR.replace("torch.relu(self.fc(x))", "x @ self.fc.weight.clamp(-1.0, 1.0).t()"))
    for _ in range(4):
        with Session(clipped, JudgeConfig(effort="glance", baselines=())) as session:
            drawn = {sets.WEIGHTS[which] for which in session.reference.extreme}
        assert len(drawn) == sets.FEW_EXTREME
        assert drawn < {LARGE, LARGEST, SMALL}
