"""What is counted, or told by a comparison of long sums, may be off by what rounding flips, and by no more."""

from __future__ import annotations

import pytest
import torch
from linear import HEAD

from cuda_l1.judge import JudgeConfig, Session, edges, oracle, verify
from cuda_l1.judge.reference import Reference
from cuda_l1.judge.values import LONG_SUMS, MOVED, MOVED_TWICE, TIES_APART
from cuda_l1.types import Task

BOUND = verify.Bound(1e-4, 1e-3)
ABOVE = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return (x[:, :32].sum(1) > x[:, 32:].sum(1)).sum()\n\n"
    "def get_inputs():\n    return [torch.randn(2048, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def session(source: str) -> Session:
    return Session(Task(id="local/counted", name="counted", source=source), JudgeConfig(effort="glance", baselines=()))


def is_right(reference: Reference, x: torch.Tensor, off: int) -> bool:
    """Whether such a count of that input is undecided."""
    row = reference.sets[0].inputs.clone()
    reference.leaves_of(row)[0].copy_(x)
    [exact] = reference.exact_of(row, 0) or []
    return edges.undecided(reference, row.view(torch.uint8), 0, 0, exact + off, exact, BOUND)


def test_a_count_is_off_by_what_lies_at_the_edge_and_no_more() -> None:
    x = torch.randn(2048, 64)
    x[:, 0] += 100.0  # all are counted
    x[:8, :32] = torch.rand(8, 32)
    x[:8, 32:] = x[:8, :32].flip(1)
    x[:4, 0] *= 1 + 2e-7
    with session(ABOVE) as judged:
        reference = judged.reference
        assert is_right(reference, x, 2)
        assert is_right(reference, x, -2)
        assert not is_right(reference, x, 40)
        assert not is_right(reference, x, -40)
        x[:8, 0] += 1.0
        assert not is_right(reference, x, 1), "none lies at an edge"
        assert not is_right(reference, x, -1)


def test_where_all_is_float64_a_last_place_is_one_of_its() -> None:
    x = torch.rand(2048, 64, dtype=torch.float64)
    x[:, 0] += 100.0
    x[0, 32:] = x[0, :32].flip(0)
    with session(ABOVE.replace("2048, 64", "2048, 64, dtype=torch.float64")) as judged:
        assert is_right(judged.reference, x, 1) or is_right(judged.reference, x, -1), "it lies on one side or the other"
        x[0, 0] *= 1 + 1e-8
        assert not is_right(judged.reference, x, -1), "float32 would not tell"


@pytest.mark.parametrize(
    ("module", "given", "terms"),
    [
        (torch.nn.Linear(4096, 8), torch.randn(64, 4096), 4096),
        (torch.nn.Conv2d(64, 4, 8), torch.randn(1, 64, 16, 16), 4096),
        (torch.nn.ConvTranspose2d(64, 4, 8), torch.randn(1, 64, 4, 4), 4096),
    ],
)
def test_terms_move_the_more_the_longer_their_sum_is(module: torch.nn.Module, given: torch.Tensor, terms: int) -> None:
    """By a unit in the last place times the root of how many they are, in each of two factors."""
    with torch.no_grad():
        exact = module.double()(given.double())
        off = [torch.empty_like(exact) for _ in range(8)]
        for each in off:
            oracle.outputs(module, [given], [each], MOVED_TWICE, LONG_SUMS)
    size = torch.stack(off).sub(exact).std() / exact.std()
    assert 0.4 < float(size) / (2.0**-24 * terms**0.5) < 2


def test_what_was_rounded_to_whole_numbers_stays_whole() -> None:
    class Whole(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.floor(x).long()

    given = torch.arange(4096.0) + 0.5
    found = torch.empty(4096, dtype=torch.long)
    oracle.outputs(Whole(), [given], [found], MOVED_TWICE, LONG_SUMS)
    assert torch.equal(found, torch.arange(4096))


def test_of_two_that_are_equal_each_is_the_larger_once() -> None:
    class Which(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.max(dim=-1).indices

    def chosen(x: torch.Tensor) -> list[torch.Tensor]:
        found = [torch.zeros(len(x), dtype=torch.long) for _ in range(2)]
        for each, way in zip(found, (MOVED, MOVED_TWICE), strict=True):
            oracle.outputs(Which(), [x], [each], way, TIES_APART)
        return found

    for ties in (torch.zeros(64, 2), torch.ones(64, 2), torch.full((64, 3), -0.3)):
        one, two = chosen(ties)
        assert bool((one != two).all())
    apart = torch.rand(64, 1) + torch.tensor([0.0, 1e-4])
    assert all(bool((each == 1).all()) for each in chosen(apart))
