"""Comparison with the oracle: what passes, what shows."""

from __future__ import annotations

import math

import pytest
import torch

from cuda_l1.correctness import verify
from cuda_l1.inputs.rounding import FACTORS, MOVED_TF32, RESULTS_TOO, ROUNDINGS, SECOND_ALONE, rounded
from cuda_l1.processes import oracle


def test_equal_tensors_have_no_error() -> None:
    x = torch.randn(1000)
    assert verify.compare(x, x.double())[:2] == (0.0, 0.0)


def test_zeros_never_pass() -> None:
    tiny = torch.randn(1000, dtype=torch.float64) * 1e-12
    errors = verify.compare(torch.zeros(1000), tiny)
    assert errors.norm == pytest.approx(1.0)
    assert not verify.floor("default", torch.float32).holds(errors)


def test_zero_oracle_accepts_only_zero() -> None:
    zero = torch.zeros(10, dtype=torch.float64)
    assert verify.compare(torch.zeros(10), zero)[:2] == (0.0, 0.0)
    errors = verify.compare(torch.full((10,), 1e-30), zero)
    assert (errors.norm, errors.element) == (math.inf, math.inf)


def test_one_wrong_element_shows_with_its_place() -> None:
    expected = torch.randn(100_000, dtype=torch.float64)
    out = expected.float()
    out[4321] += 0.01
    errors = verify.compare(out, expected)
    assert errors.norm < 1e-4
    assert errors.element > 1e-3
    assert errors.worst.startswith("element 4321:")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_not_finite_values_must_stand_where_expected(value: float) -> None:
    expected = torch.tensor([1.0, value, 3.0], dtype=torch.float64)
    assert verify.compare(torch.tensor([1.0, value, 3.0]), expected).norm == 0
    assert math.isinf(verify.compare(torch.tensor([1.0, 2.0, 3.0]), expected).norm)
    assert not verify.floor("default", torch.float32).holds(verify.compare(torch.tensor([1.0, 2.0, value]), expected))
    finite = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert not verify.floor("default", torch.float32).holds(verify.compare(torch.tensor([1.0, value, 3.0]), finite))


def test_what_is_infinite_next_to_nothing_away_is_right_there() -> None:
    exact, nearby = torch.tensor([1.0, -math.inf, 3.0]), torch.tensor([-math.inf, 2.0, 3.0])
    for out, right in (([-math.inf, 2.0, 3.0], True), ([1.0, -math.inf, -math.inf], False)):
        assert torch.equal(verify.moved_into(torch.tensor(out), exact, [nearby]), exact) == right
    for out in ([-5.0, 2.0, 3.0], [1.0, 7.0, 3.0], [1.0, -7.0, 3.0]):  # no number lies beside an infinite one
        moved = verify.moved_into(torch.tensor(out), exact, [nearby])
        assert not verify.floor("default", torch.float32).holds(verify.compare(moved, exact))
    between = verify.moved_into(torch.tensor([1.0, 2.5, 3.0]), exact, [nearby, torch.tensor([1.0, 2.6, 3.0])])
    assert torch.equal(between, exact)
    assert verify.are_off(torch.tensor([1.0, 2.0, -math.inf]), exact, 0.1).tolist() == [False, True, True]


def test_integers_are_compared_exactly() -> None:
    expected = torch.arange(100)
    out = expected.clone()
    assert verify.compare(out, expected).norm == 0
    out[3] = 0
    errors = verify.compare(out, expected)
    assert errors.norm == pytest.approx(0.01)
    assert math.isinf(errors.element)


@pytest.mark.parametrize(("dtype", "passes"), [(torch.float32, True), (torch.float16, False), (torch.bfloat16, False)])
def test_lower_precision_exceeds_the_fp32_floor(dtype: torch.dtype, passes: bool) -> None:
    a, b = torch.randn(256, 256, dtype=torch.float64), torch.randn(256, 256, dtype=torch.float64)
    a, b = a.float().double(), b.float().double()
    out = (a.to(dtype).double() @ b.to(dtype).double()).float()
    assert verify.floor("default", torch.float32).holds(verify.compare(out, a @ b)) is passes


def test_bound_follows_the_references_own_error() -> None:
    loose = verify.bound("default", torch.float32, verify.Errors(1e-3, 1e-2, ""))
    assert loose.norm == pytest.approx(3e-3)
    assert loose.element == pytest.approx(5e-2)
    assert verify.bound("default", torch.float32, verify.EXACT) == verify.floor("default", torch.float32)


# Errors of one size: a coarser precision or another formula?


def product(x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.hardswish(torch.nn.functional.conv2d(x, w, bias))


def layer(uniform: bool) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(5)
    x = torch.rand(16, 3, 24, 24) if uniform else torch.randn(16, 3, 24, 24)
    return x.double(), torch.randn(16, 3, 3, 3).div(5).float().double(), torch.randn(16).float().double() / 300


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("kind", ROUNDINGS)
def test_a_coarser_product_errs_as_the_oracle_of_coarser_factors_does(kind: str, uniform: bool) -> None:
    x, w, bias = layer(uniform)
    exact, coarse = product(x, w, bias), product(rounded(x, kind), rounded(w, kind), bias)
    for out in (product(rounded(x, kind), w, bias), product(x, rounded(w, kind), bias), coarse + 1e-6):
        assert verify.agrees(out.float(), exact, coarse)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("kind", ROUNDINGS)
def test_another_formula_errs_otherwise(kind: str, uniform: bool) -> None:
    x, w, bias = layer(uniform)
    exact, coarse = product(x, w, bias), product(rounded(x, kind), rounded(w, kind), bias)
    size = float((coarse - exact).norm() / exact.norm())
    for wrong in (
        product(x, w, 0 * bias),
        exact * (1 + size),
        exact / (exact.abs() + 1e-3) * exact.abs(),
        exact + size,
    ):
        error = wrong - exact
        out = exact + error * (size * exact.norm() / error.norm())  # of the very size of rounding
        assert verify.is_rounding(verify.compare(out, exact))
        assert not verify.agrees(out.float(), exact, coarse)


def test_a_bias_rounded_apart_hides_no_rounding_of_factors() -> None:
    """It is the same for the whole batch, and most of the error where results are averaged."""
    torch.manual_seed(7)
    conv, x = torch.nn.Conv2d(32, 64, 3, padding=1), torch.randn(8, 32, 48, 48)
    weight, kind = conv.weight.detach(), "bfloat16"
    bias = conv.bias.detach().view(-1, 1, 1)

    def averaged(products: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.relu(rounded(products + bias, kind)).mean(dim=(2, 3))

    exact = torch.relu(torch.nn.functional.conv2d(x.double(), weight.double(), padding=1) + bias).mean(dim=(2, 3))
    products = torch.nn.functional.conv2d(rounded(x, kind).double(), rounded(weight, kind).double(), padding=1)
    coarse = torch.relu(products + bias).mean(dim=(2, 3))
    out = averaged(rounded(products, kind), rounded(bias, kind))
    assert (out - exact).norm() > 3 * (coarse - exact).norm()
    assert verify.agrees(out, exact, coarse)


def test_few_elements_tell_nothing() -> None:
    exact = torch.randn(8, 4, dtype=torch.float64)
    coarse = rounded(exact, "bfloat16")
    assert not verify.agrees(coarse, exact, coarse)
    assert not verify.agrees(coarse[:0], exact[:0], coarse[:0])
    assert not verify.agrees(coarse[0, 0], exact[0, 0], coarse[0, 0])


def test_rounding_is_to_the_nearest_or_towards_zero() -> None:
    x = torch.tensor([1 + 2**-11 + 2**-20, -1 - 2**-11 - 2**-20, 1 + 2**-12, 0.0, math.inf], dtype=torch.float64)
    step = 2**-10
    assert rounded(x, "float16 or TF32").tolist() == [1 + step, -1 - step, 1, 0, math.inf]
    assert rounded(x, "TF32, cut off").tolist() == [1, -1, 1, 0, math.inf]
    y = torch.randn(1000, dtype=torch.float64)
    assert (rounded(y, "bfloat16") - y.bfloat16()).abs().max() <= 2**-7 * y.abs().max()
    assert verify.held_in(rounded(y, "bfloat16").float(), y, verify.EXACT) is torch.bfloat16


def test_values_that_all_fit_sixteen_bits_were_computed_there() -> None:
    exact = torch.randn(1000, dtype=torch.float64)
    for kind in (torch.bfloat16, torch.float16):
        mostly_zero = torch.relu(exact - 1)
        out = mostly_zero.to(kind).float()
        errors = verify.compare(out, mostly_zero)
        assert verify.held_in(out, mostly_zero, errors) is kind
        assert verify.held_in(out + 1e-4, mostly_zero, errors) is None
        assert verify.held_in(out.to(kind), mostly_zero, errors) is None, "the task's own format"
    assert verify.held_in(torch.ones(1000), 1 + exact / 1000, verify.EXACT) is None, "a constant fits any format"
    counts = torch.arange(1000.0)
    assert verify.held_in(counts, counts.double() + 1e-12, verify.EXACT) is None, "so do the expected values"


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_is_certainly_near_holds_and_what_is_not_is_left_to_the_comparison(dtype: torch.dtype) -> None:
    allowed = verify.Bound(1e-4, 1e-3)
    torch.manual_seed(0)
    expected = torch.randn(64, 33, dtype=dtype)
    for size in (0.0, 1e-6, 1e-5, 9e-5, 9.98e-5, 1.1e-4, 1e-3, 1.0):
        noise = torch.randn_like(expected)
        noise *= size * expected.norm() / noise.norm()
        out = expected + noise
        if verify.is_near(out, expected, allowed):
            assert allowed.holds(verify.compare(out, expected))
        assert verify.is_near(out, expected, allowed) is (size < 9.95e-5)


def test_what_is_not_finite_or_empty_or_of_another_kind_is_compared_in_full() -> None:
    allowed, one = verify.Bound(1.0, 1.0), torch.ones(4)
    for value in (math.nan, math.inf):
        assert not verify.is_near(torch.tensor([1.0, 1.0, 1.0, value]), one, allowed)
        assert not verify.is_near(one, torch.tensor([1.0, 1.0, 1.0, value]), allowed)
    assert not verify.is_near(one, torch.zeros(4), allowed)
    assert not verify.is_near(torch.zeros(0), torch.zeros(0), allowed)
    assert not verify.is_near(one.half(), one.half(), allowed)
    assert not verify.is_near(one.long(), one.long(), allowed)
    faint = torch.full((1000,), 1e-19)
    assert not verify.is_near(faint + 2e-23, faint, verify.Bound(1e-4, 1e-3))  # in float32 its squares are nothing
    large = torch.ones(verify.chunk(one.device) + 1)
    assert verify.is_near(large, large.clone(), allowed)
    for wrong in (3.0, math.nan, math.inf):  # in another part than most of it
        assert not verify.is_near(torch.cat([large[1:], torch.tensor([wrong])]), large, allowed)
        assert not verify.is_near(large, torch.cat([large[1:], torch.tensor([wrong])]), allowed)
    spike = torch.zeros(1000)
    spike[0] = 0.2
    assert not verify.is_near(1 + spike, torch.ones(1000), verify.Bound(0.1, 0.1))  # small in the norm alone


class Behind(torch.nn.Module):
    """A product, and what hides its errors."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(256, 512)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(-1) + torch.logsumexp(self.layer(x), dim=-1)


def told_by(module: torch.nn.Module, x: torch.Tensor, rounding: str | None = None, some: str = "") -> torch.Tensor:
    target = torch.empty(len(x), dtype=torch.float64)
    oracle.outputs(module, [x], [target], rounding, some)
    return target


@pytest.mark.parametrize("kind", ["bfloat16", "float16 or TF32"])
def test_what_a_sum_hides_is_what_its_products_round(kind: str) -> None:
    torch.manual_seed(6)
    module, x = Behind(), torch.randn(256, 256)
    exact = told_by(module, x)
    weight = module.layer.weight
    with torch.no_grad():
        for some, factors in ((FACTORS, (rounded(x, kind), rounded(weight, kind))),
                              (SECOND_ALONE, (x, rounded(weight, kind)))):  # fmt: skip
            scores = torch.nn.functional.linear(*factors, module.layer.bias)
            out = x.mean(-1) + torch.logsumexp(scores, dim=-1)
            assert verify.floor("fp32", torch.float32).holds(verify.compare(out, exact)), "passes"
            assert verify.agreement(out, exact, told_by(module, x, kind, some)) > 0.9
            assert abs(verify.agreement(out, exact, told_by(module, x, MOVED_TF32, some), of_any_size=True)) < 0.3
        scores = torch.nn.functional.linear(rounded(x, kind), rounded(weight, kind), module.layer.bias)
        results = x.mean(-1) + torch.logsumexp(rounded(scores, kind), dim=-1)
    assert verify.agreement(results, exact, told_by(module, x, kind, RESULTS_TOO)) > 0.9
    coarser = told_by(module, x, kind, RESULTS_TOO)
    for honest in (module(x), x.mean(-1) + module.layer(x).exp().sum(-1).log()):
        assert abs(verify.agreement(honest.detach(), exact, coarser, of_any_size=True)) < 0.3, "another order of sums"
    assert torch.equal(told_by(module, x), exact), "the module's own weights are as they were"
