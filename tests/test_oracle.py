"""What the float64 oracle makes of a module that names float32 in its calls, or asks how exact its type is."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from linear import task

from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.processes import oracle
from cuda_l1.types import Candidate, Status
from cuda_l1.wire.values import copied

GATED = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.gate = nn.Linear(n, n)

    def forward(self, x, t):
        steps = torch.arange(8, dtype=torch.float32) * t.float()[:, None]
        scores = torch.softmax(self.gate(x.float()), -1, dtype=torch.float32)
        return (scores * x).to(x.dtype) + steps.sin().sum(-1, keepdim=True)


def get_inputs():
    return [torch.randn(64, 64), torch.randint(0, 100, (64,))]


def get_init_inputs():
    return [64]
"""


class Of(torch.nn.Module):
    """A module that is a function."""

    def __init__(self, forward: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.forward = forward  # type: ignore[method-assign]


def exact(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """What the oracle gives, asked twice: the first time tells how it must be asked."""
    first, second = (torch.empty(module(x).shape, dtype=torch.float64) for _ in range(2))
    oracle.outputs(module, [x], [first])
    oracle.outputs(module, [x], [second])
    assert torch.equal(first, second)
    return first


@pytest.mark.parametrize(
    "forward",
    [
        lambda x: x.float().exp(),
        lambda x: x.to(torch.float32).exp(),
        lambda x: torch.zeros_like(x, dtype=torch.float32) + x.exp(),
        lambda x: torch.empty(x.shape, dtype=torch.float32).copy_(x).exp(),
        lambda x: x.exp(),
    ],
)
def test_a_cast_to_float32_rounds_nothing(forward: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = torch.randn(64)
    assert torch.equal(exact(Of(forward), x), x.double().exp())


def test_who_reads_the_bits_of_float32_gets_them() -> None:
    x = torch.randn(64)
    cut = Of(lambda x: (x.float().view(torch.int32) >> 13 << 13).view(torch.float32))
    assert torch.equal(exact(cut, x), cut(x).double())
    counted = Of(lambda x: (x.float().view(torch.int32) & 1).sum(0, keepdim=True))
    assert torch.equal(exact(counted, x), counted(x).double())


def _seeded() -> torch.Generator:
    return torch.Generator().manual_seed(1)


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: torch.randn(x.shape, dtype=torch.float32, generator=_seeded()),
        lambda x: torch.rand(x.shape, generator=_seeded()),
        lambda x: torch.normal(0.0, 1.0, x.shape, generator=_seeded()),
        lambda x: torch.empty_like(x).uniform_(-1, 1, generator=_seeded()),
        lambda x: x.new_empty(64).bernoulli_(0.5, generator=_seeded()),
    ],
)
def test_what_is_drawn_is_drawn_as_in_float32(draw: Callable[[torch.Tensor], torch.Tensor]) -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return x + draw(x)

    x = torch.zeros(64)
    assert torch.equal(exact(Of(noisy), x), noisy(x).double())


@pytest.mark.parametrize("missing", [1e20, -999.9, -9999.0, math.inf, math.nan])
def test_what_equals_a_number_in_float32_does_so_in_the_oracle(missing: float) -> None:
    def there(x: torch.Tensor) -> torch.Tensor:
        return torch.where((x != missing) & (x * 1 <= 6.3), x, 0.0)

    x = torch.tensor([1.0, missing, 0.0, math.inf, -math.inf])
    assert torch.equal(exact(Of(there), x), there(x).double())
    edge = torch.tensor([6.3])
    assert float(edge) > 6.3
    assert float(exact(Of(there), edge)) == 0.0, "an order is one of doubles"


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_the_oracle_of_what_asks_how_exact_its_type_is_is_told_of_that_type(kind: torch.dtype) -> None:
    x = torch.zeros(4, dtype=kind)
    found = exact(Of(lambda x: torch.log(x + torch.finfo(x.dtype).eps)), x)
    assert found[0].item() == pytest.approx(math.log(torch.finfo(kind).eps))
    assert exact(Of(lambda x: x + torch.finfo(type=x.dtype).eps), x)[0].item() == torch.finfo(kind).eps, "by its name"


def test_what_asks_of_two_types_is_told_of_both() -> None:
    def both(x: torch.Tensor) -> torch.Tensor:
        return torch.tensor([torch.finfo(x.dtype).eps, torch.finfo(x.double().dtype).eps])

    assert exact(Of(both), torch.zeros(2)).tolist() == [2.0**-23, 2.0**-52]


def test_what_is_drawn_in_float64_stays_so() -> None:
    def noisy(x: torch.Tensor) -> torch.Tensor:
        return x + torch.randn(x.shape, dtype=torch.float64, generator=_seeded())

    x = torch.zeros(64)
    assert torch.equal(exact(Of(noisy), x), noisy(x))


def test_a_task_that_casts_has_an_oracle() -> None:
    code = GATED.replace("class Model(", "class ModelNew(").replace("torch.softmax(", "torch.nn.functional.softmax(")
    with Session(task(GATED), JudgeConfig(effort="glance", baselines=(), seed=1)) as session:
        candidate = Candidate(task_id=session.reference.task.id, code=code, origin="human")
        evaluation = session.evaluate(candidate)
    assert evaluation.status is Status.PASSED, evaluation.findings
    assert "no_float64_oracle" not in {note.check for note in evaluation.notes}


def test_tables_that_are_plain_attributes_are_double_too() -> None:
    class Table(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.randn(8, 8)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ self.table

    module, x, found = Table(), torch.randn(4, 8), torch.zeros(4, 8, dtype=torch.float64)
    oracle.outputs(module, [x], [found])
    assert torch.equal(found, x.double() @ module.table.double())
    assert module.table.dtype is torch.float32


def test_a_function_over_parts_of_a_module_is_over_those_of_its_copy() -> None:
    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = body = torch.nn.ModuleDict({"first": torch.nn.Linear(8, 8), "second": torch.nn.Linear(8, 8)})
            self.called = lambda x, p=2.0, *, q=1.0: q * body.second(p * body.first(x))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.called(x)

    module, x = Body(), torch.randn(16, 8)
    with torch.no_grad():
        expected = module.double()(x.double())
        found = exact(module.float(), x)
    assert torch.allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert module.body.first.weight.dtype is torch.float32, "the module itself is as it was"


def test_functions_in_turn_and_with_parts_as_defaults_are_over_the_copy() -> None:
    class Body(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = body = torch.nn.Linear(8, 8)
            count, module = 0, self

            def turn(x: torch.Tensor, left: int = 2) -> torch.Tensor:
                nonlocal count
                count += 1
                return turn(body(x), left - 1) if left else x

            self.turn, self.called = turn, lambda x: turn(x)
            self.steps = [lambda x, body=body: body(x)]
            self.count = lambda: (module.body, count)[1]
            self.register_forward_hook(lambda _, __, out: body(out))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.steps[0](self.called(x)) + self.count()

    module, x = Body(), torch.randn(16, 8)
    made = copied(module).double()
    with torch.no_grad():
        found = made(x.double())
        assert module.count() == 0, "the module itself is as it was"
        expected = module.double()(x.double())
    assert made.count() == 3
    assert torch.allclose(found, expected, rtol=1e-12, atol=1e-12)
