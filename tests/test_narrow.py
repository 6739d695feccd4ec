"""What 16-bit roundings within a reference leave undecided passes, and no more."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
import specimens
import torch
from linear import task
from torch import nn

from cuda_l1.correctness import digits, narrow, preparation, sets, verify
from cuda_l1.correctness.reference import Reference
from cuda_l1.inputs import patterns
from cuda_l1.inputs.rounding import FACTORS
from cuda_l1.judge import JudgeConfig
from cuda_l1.processes import either
from cuda_l1.types import Task


class Chain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(64, 64).bfloat16()
        self.register_buffer("calls", torch.zeros(1, dtype=torch.bfloat16))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(0.3)  # type: ignore[operator]
        return torch.relu_(self.fc(x.bfloat16())).add_(1.0).float()


@contextlib.contextmanager
def reference(of: Task) -> Iterator[Reference]:
    make = functools.partial(Reference, of, JudgeConfig(effort="glance", baselines=()), seed=1, threads=1)
    with contextlib.ExitStack() as stack:
        yield preparation.opened(stack, of, "cpu", make)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_a_rounding_falls_on_either_side_and_is_right_on_average(kind: torch.dtype) -> None:
    exact = 0.9 * torch.rand(10_000) + 1.0  # of one exponent
    rounded = exact.to(kind)
    place = torch.finfo(kind).eps
    found = torch.stack([either.either_side(rounded, exact).float() for _ in range(64)])
    assert float((found - exact).abs().max()) < place
    assert float((found.mean(0) - exact).abs().mean()) < 0.1 * place
    assert float((found != rounded.float()).float().mean()) == pytest.approx(0.25, abs=0.02)
    assert torch.equal(either.either_side(rounded, rounded.float()), rounded)
    unknown = (either.either_side(rounded, None).float() - rounded.float()) / place
    assert float(unknown.abs().max()) == 1.0
    assert float(unknown.abs().mean()) == pytest.approx(0.5, abs=0.2)  # bf16 has 128 numbers there


def test_what_is_chosen_is_asked_further_away() -> None:
    exact = 0.9 * torch.rand(10_000) + 1.05
    found = (either.either_side(exact.bfloat16(), exact, far=True).float() - exact) / torch.finfo(torch.bfloat16).eps
    assert 2.0 < float(found.abs().max()) < 2.6
    assert abs(float(found.mean())) < 0.1
    whole = exact.bfloat16()
    assert torch.equal(either.either_side(whole, whole.float(), far=True), whole)


@pytest.mark.parametrize("kind", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_of_eight_bits_what_lies_halfway_falls_on_either_side_and_nothing_else_does(kind: torch.dtype) -> None:
    step = torch.finfo(kind).eps
    exact = 1 + step * (torch.arange(4).repeat_interleave(1000) / 2 + 1e-7 * torch.randn(4000).round())
    of = [either.halfway(exact.to(kind), exact).float() for _ in range(64)]
    moved = torch.stack([each != exact.to(kind).float() for each in of]).float().mean(0)
    assert float(moved.view(4, -1)[::2].max()) == 0
    assert float(moved.view(4, -1)[1::2].mean()) == pytest.approx(0.5, abs=0.25)
    odd = torch.tensor([0.0, torch.inf, -torch.inf, torch.nan, 448.0, 1e-9])
    for _ in range(20):
        found = either.halfway(odd.to(kind), odd).float()
        assert torch.equal(found.nan_to_num(-1), odd.to(kind).float().nan_to_num(-1))
    assert torch.equal(either.halfway(exact.to(kind), None).float(), exact.to(kind).float())


def test_what_is_alike_is_rounded_alike_and_no_number_is_lost() -> None:
    exact = torch.rand(1, 512).expand(64, 512).clone()
    found = either.either_side(exact.bfloat16(), exact)
    assert torch.equal(found, found[:1].expand_as(found))
    odd = torch.tensor([0.0, torch.inf, -torch.inf, torch.nan, 65519.0, 1e-7])
    found = either.either_side(odd.half(), odd)
    assert torch.equal(found.isfinite(), odd.half().isfinite())
    assert found[0] == 0


def test_a_copy_is_run_in_its_own_types_and_its_state_stays() -> None:
    module, x, out = Chain().eval(), torch.randn(32, 64), torch.empty(32, 64)
    either.outputs(module, [x], [out])
    assert float(module.calls) == 0  # type: ignore[arg-type]
    with torch.no_grad():
        own = module(x)
    errors = verify.compare(out, own)
    assert 1e-4 < errors.norm < 1e-2
    with pytest.raises(LookupError, match="16 bits"):
        either.outputs(nn.Linear(64, 64), [x], [out])


@pytest.mark.slow
def test_bounds_hold_what_16_bits_leave_undecided_and_less_than_their_contract() -> None:
    with reference(specimens.task("bf16_inside")) as ref:
        [own] = ref.bounds
    floor, coarse = verify.floor("default", torch.float32), verify.floor("bf16", torch.float32)
    assert 10 * floor.norm < own.norm < 0.7 * coarse.norm
    assert 10 * floor.element < own.element


def test_who_has_no_16_bits_is_asked_nothing() -> None:
    with reference(task()) as ref:
        assert not narrow.is_asked(ref)
        assert ref.bounds == [verify.floor("default", torch.float32)]
    with reference(specimens.task("quantiser_that_is_off")) as ref:  # by its words it may
        assert ref.is_wide


@pytest.mark.parametrize(
    ("precision", "share", "bears"), [("tf32", 0.4, True), ("tf32", 0.6, False), ("fp32", 0.6, True)]
)
def test_a_set_stays_where_rounding_that_the_contract_allows_takes_half_of_what_passes_at_most(
    precision: str, share: float, bears: bool
) -> None:
    """Instance norm takes a mean off numbers of one side: TF32 leaves no digits of what is left."""
    exact = torch.randn(4096).double()
    made = sets.InputSet(patterns.ABOVE, 2, 0, torch.zeros(1), [exact], [verify.Bound(1e-3, 1e-1)])
    asked = SimpleNamespace(
        precision=precision,
        has_oracle=True,
        input_leaves=[],
        state=[],
        rounded=lambda made, kind, some="": [exact * (1 + share * 1e-3)] if some == FACTORS else [exact],
    )
    assert digits.are_left(cast("Any", asked), made, [exact]) is bears
