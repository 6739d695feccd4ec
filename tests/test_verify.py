"""Comparison with the oracle: what passes, what shows."""

from __future__ import annotations

import math

import pytest
import torch

from cuda_l1.judge import verify


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
    assert math.isinf(verify.compare(torch.full((10,), 1e-30), zero).norm)


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
