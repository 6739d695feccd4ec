"""What weights that begin at zero, closed, frozen or as an identity are drawn as, and what of them a text says."""

from __future__ import annotations

import pytest
import torch
from linear import task

from cuda_l1.inputs.operations import flags, multiplied, said_of_weights
from cuda_l1.inputs.parts import DEAD
from cuda_l1.inputs.redrawn import (
    ALONE,
    BOLDEST,
    CAUTIOUS,
    COUNTED,
    FAR,
    NUMBERED,
    OPENED,
    REACHED,
    STEEP,
    other_weights,
)
from cuda_l1.inputs.weights import saved
from cuda_l1.judge import JudgeConfig, Session


class Gated(torch.nn.Module):
    """A gate, a scale of layers, a flag and what counts, all of which hide or divide nothing as they are made."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = torch.nn.Parameter(torch.zeros(()))
        self.scale = torch.nn.Parameter(torch.full((4,), 1e-6))
        self.norm = torch.nn.BatchNorm1d(4)
        self.register_buffer("is_on", torch.tensor(False))
        self.register_buffer("was_on", torch.tensor(1.0))
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("whiten", torch.eye(4))


def test_what_begins_closed_is_opened_and_all_else_stays() -> None:
    module = Gated()
    made = saved(module, 1, list(module.state_dict()), how=OPENED)
    assert set(made) == {"gate", "scale", "is_on", "count"}, "biases are added, and a running mean hides nothing"
    assert bool(made["is_on"])
    assert float(made["scale"].abs().max()) > 1e-2


def test_a_flag_held_as_a_number_is_turned_where_the_text_asks_for_it() -> None:
    module, names = Gated(), ["was_on", "count"]
    for said, turned in (({"flags": ["was_on"]}, 0.0), ({}, None)):
        made = saved(module, 1, names, how=ALONE, said=said)
        assert float(made["count"]) == 1
        assert float(made["was_on"]) == turned or turned is None
    assert float(made["was_on"]) > 0, "a limit, say"


@pytest.mark.parametrize(("said", "is_full"), [({"products": ["whiten"]}, True), ({}, False)])
def test_an_identity_is_any_matrix_where_something_is_multiplied_by_it(
    said: dict[str, list[str]], is_full: bool
) -> None:
    made = saved(Gated(), 1, how=BOLDEST, said=said)
    assert bool((made["whiten"] != 0).all()) is is_full


def test_frozen_layers_and_matrices_of_both_signs_are_drawn_as_what_is_trained() -> None:
    layers = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).requires_grad_(False)
    layers[1].weight.requires_grad_(True)
    layers.register_buffer("again", torch.randn(8, 8))
    layers.register_buffer("table", torch.rand(8, 8))
    own, made = layers.state_dict(), saved(layers, 1, how=STEEP)
    for name, is_steep in (("0.weight", True), ("again", True), ("table", False)):
        assert bool((made[name].norm() / own[name].norm() > 1.5).all()) is is_steep, name


def test_counts_are_two_or_more_and_what_may_be_places_stays() -> None:
    torch.manual_seed(0)
    for zeros in (torch.zeros(8), torch.zeros((), dtype=torch.long), torch.zeros(8, dtype=torch.int8)):
        made = other_weights(zeros, COUNTED, is_trained=False)
        assert made.dtype == zeros.dtype
        assert int(made.min()) >= 2
    for stays in (torch.zeros(8, dtype=torch.long), torch.zeros(8, dtype=torch.bool), torch.ones(8)):
        assert torch.equal(other_weights(stays, COUNTED, is_trained=False), stays)
    assert torch.equal(other_weights(torch.zeros(8), COUNTED, is_trained=True), torch.zeros(8))


def test_one_whole_number_is_a_lesser_one_and_all_else_stays() -> None:
    for kind in (torch.int32, torch.int64):
        for single in (torch.tensor(17, dtype=kind), torch.tensor([2], dtype=kind)):
            made = other_weights(single, NUMBERED, is_trained=False)
            assert made.dtype == kind
            assert int(single) // 2 <= int(made) < int(single)
    for stays in (torch.tensor(1), torch.tensor(-100), torch.tensor(17.0), torch.arange(8), torch.tensor(True)):
        assert torch.equal(other_weights(stays, NUMBERED, is_trained=False), stays)


def test_what_begins_at_zero_and_nobody_trains_is_not_negative_where_weights_are_cautious() -> None:
    assert float(other_weights(torch.zeros(64), CAUTIOUS, is_trained=False).min()) >= 0
    assert float(other_weights(torch.zeros(64), CAUTIOUS, is_trained=True).min()) < 0
    made = other_weights(torch.zeros(256), ALONE, is_trained=False)
    assert bool((made == 1).any() and (made == 0).any() and (made < -0.5).any()), "flags, and a mean"


def test_gates_that_begin_at_zero_stay_open_far_out() -> None:
    assert float(other_weights(torch.tensor(0.0), FAR, is_trained=True)) > 4
    assert float(other_weights(torch.zeros(8, 1, 1), FAR, is_trained=True).max()) > 4
    assert float(other_weights(torch.tensor(0.0), FAR, is_trained=False)) < 1


@pytest.mark.parametrize("decays", [0.5 * torch.rand(16, 1), torch.linspace(0, 0.5, 16), 0.5 * torch.rand(16, 16)])
def test_frozen_decays_of_any_shape_stay_below_one_and_some_come_near(decays: torch.Tensor) -> None:
    torch.manual_seed(0)
    made = other_weights(decays, FAR, is_trained=False)
    assert 0.8 < float(made.max()) <= 1
    assert float(made.min()) >= 0


def test_of_dead_units_all_weights_are_zero_and_never_the_first_rows() -> None:
    torch.manual_seed(0)
    value, (both, rows, columns) = torch.randn(64, 32), DEAD
    for how in DEAD:
        made = other_weights(value, how, is_trained=True)
        dead = (made == 0).all(1), (made == 0).all(0)
        assert bool(dead[0].any()) is (how in (both, rows))
        assert bool(dead[1].any()) is (how in (both, columns))
        assert not bool(dead[0][0] or dead[1][0])
    assert torch.equal(other_weights(value, both, is_trained=False), value)


@pytest.mark.parametrize(
    "text", ["if self.is_on:", "torch.where(self.is_on > 0, x, y)", "x if not self.q.is_on else y", "self.is_on.bool()"]
)
def test_what_a_text_asks_for_by_itself_is_a_flag(text: str) -> None:
    assert flags(text) == {"is_on"}


def test_limits_are_no_flags_and_factors_are_read_from_products() -> None:
    assert not flags("torch.where(e <= self.delta, e, self.delta * e)")
    assert multiplied("y = x @ self.part.whiten.T") == {"whiten"}
    assert multiplied("y = torch.einsum('ij,jk', x, self.rotation)") == {"rotation"}
    assert not multiplied("y = x * (1 - self.eye)")


BEHIND = """
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.hidden, self.after = (torch.nn.Parameter(torch.randn(16, 16) / 4) for _ in range(3))
        self.begins = torch.nn.Parameter(torch.zeros(16))

    def forward(self, x):
        y = (x @ self.first).tanh()
        return {} @ self.after

def get_inputs():
    return [torch.randn(8, 16)]
"""


@pytest.mark.parametrize(
    ("body", "most"),
    [("(y + self.begins * (y @ self.hidden).tanh())", 8), ("((y + self.begins) @ self.hidden).tanh()", 1)],
    ids=["a gate", "a bias"],
)
def test_behind_what_is_opened_only_what_it_hid_is_tried_again(body: str, most: int) -> None:
    with Session(task(BEHIND.format(body)), JudgeConfig(effort="glance", baselines=())) as session:
        ref = session.reference
        behind = [made for made in ref.parts if made.after]
        assert 0 < len(behind) <= most
        for made in behind if most > 1 else []:
            assert {"begins", "hidden"} <= set(ref.weights[made.weights].names)


SCHEDULE = (
    "class Model(nn.Module):\n"
    "    def __init__(self, late=900, every=64):\n"
    "        super().__init__()\n"
    "        self.late, self.every = late, every\n\n"
    "    def forward(self, x):\n"
    "        self.steps += 1\n"
    "        if int(self.steps) >= self.late or self.steps % self.every == 0:\n"
    "            x = x / self.scale\n"
    "        return x * self.turns.lt(40)\n"
)


def test_what_a_text_asks_its_counts_for_is_read() -> None:
    asked = said_of_weights(SCHEDULE, [500])["counts"]
    assert asked["steps"] == [0, 64, 500]
    assert asked["turns"] == [40]
    assert "scale" not in asked


@pytest.mark.parametrize("how", REACHED)
def test_counts_are_at_what_is_asked_or_one_off_and_nothing_else_is(how: str) -> None:
    module = Gated()
    drawn = saved(
        module, 3, ["count", "whiten", "was_on"], how=how, said={"counts": {"count": [500.0], "whiten": [4.0]}}
    )
    assert drawn["count"] == 500 + REACHED[how]
    assert drawn["was_on"] == 1
    assert torch.equal(drawn["whiten"], torch.eye(4))


def test_under_seeds_that_follow_one_another_counts_are_at_each_of_several_numbers() -> None:
    said = {"counts": {"count": [20.0, 500.0, 9000.0]}}
    made = [int(saved(Gated(), seed, ["count"], how="at what is asked", said=said)["count"]) for seed in (7, 8, 9)]
    assert sorted(made) == [20, 500, 9000]
