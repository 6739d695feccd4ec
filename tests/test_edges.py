"""What lies at an edge of the reference, is counted, or is left where terms cancel, may be off by what rounding does
there, and by no more."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from linear import HEAD

from cuda_l1.correctness import edges, verify
from cuda_l1.correctness.contender import close, started
from cuda_l1.correctness.reference import Reference
from cuda_l1.correctness.refusals import CandidateError
from cuda_l1.inputs import rounding
from cuda_l1.inputs.rounding import BY_CHANCE, LONG_SUMS, MOVED, MOVED_TWICE, TIES_APART
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.processes import oracle
from cuda_l1.types import Candidate, Task

BOUND = verify.Bound(1e-4, 1e-3)
ABOVE = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return (x[:, :32].sum(1) > x[:, 32:].sum(1)).sum()\n\n"
    "def get_inputs():\n    return [torch.randn(2048, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)

CODES = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x, codes):\n"
    "        which = torch.cdist(x, codes).argmin(1)\n"
    "        return codes[which], which\n\n"
    "def get_inputs():\n    return [torch.randn(64, 16), torch.randn(32, 16)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def session(source: str) -> Session:
    return Session(Task(id="local/counted", name="counted", source=source), JudgeConfig(effort="glance", baselines=()))


def answered(reference: Reference, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`x` as the bytes of a slot, and what float64 says of it."""
    row = reference.sets[0].inputs.clone()
    reference.leaves_of(row)[0].copy_(x)
    [exact] = reference.exact_of(row, 0) or []
    return row.view(torch.uint8), exact


def is_excused(
    reference: Reference, row: torch.Tensor, out: list[torch.Tensor], eager: list[torch.Tensor], weights: int, kind: str
) -> bool:
    """Whether nothing is held against such outputs."""
    return edges.held_against(reference, row, out, eager, weights, kind, edges.Held(0, "")) is None


def is_right(reference: Reference, x: torch.Tensor, off: int) -> bool:
    """Whether such a count of that input is undecided."""
    bytes_of_it, exact = answered(reference, x)
    return edges.undecided(reference, edges.Answer(bytes_of_it, 0, 0, exact + off, exact, BOUND))


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


def test_one_row_of_few_may_be_the_other_of_two_codes_as_near() -> None:
    """It is 18% of the output in the norm."""
    x, codes = torch.randn(64, 16), 8 * torch.cat([torch.eye(16), -torch.eye(16)])
    x[:, 1:] /= 8
    x[:, 0] = 8
    x[0, 1] = 8 * (1 + 1e-7)
    with session(CODES) as judged:
        reference = judged.reference
        row = reference.sets[0].inputs.clone()
        for leaf, value in zip(reference.leaves_of(row), (x, codes), strict=True):
            leaf.copy_(value)
        exact = reference.exact_of(row, 0) or []
        for where, is_right in ((0, True), (1, False)):
            other = [each.clone() for each in exact]
            other[1][where] = 1 - exact[1][where]
            other[0][where] = codes[other[1][where]]
            for index in range(2):
                answer = edges.Answer(row.view(torch.uint8), 0, index, other[index], exact[index], BOUND)
                assert edges.undecided(reference, answer) is is_right
            watched = [torch.ones(64, dtype=torch.bool), torch.zeros(16, dtype=torch.bool)]
            answer = edges.Answer(row.view(torch.uint8), 0, 0, other[0], exact[0], BOUND)
            missing = edges.lost(reference, answer, watched)
            assert missing == "" if is_right else missing.startswith(f"slice {where} along dimension 0")


def test_a_tail_that_is_left_out_is_wrong_where_no_set_has_room() -> None:
    exact = torch.zeros(2048)
    exact[:4] = 1
    reference: Any = SimpleNamespace(room=SimpleNamespace(keeps=False), precision="default")
    row, near = torch.zeros(8, dtype=torch.uint8), exact * 1.01
    for out, is_right in ((near, True), (torch.zeros_like(exact), False)):
        assert edges.undecided(reference, edges.Answer(row, 0, 0, out, exact, BOUND)) is is_right


def test_a_tail_of_which_one_number_is_chosen_may_not_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = torch.zeros(2048)
    exact[:4] = 1
    other = exact.roll(1)
    monkeypatch.setattr(edges, "_spread", lambda *_, **__: [other])
    reference: Any = SimpleNamespace(
        room=SimpleNamespace(keeps=True), precision="default", task=SimpleNamespace(precision="default")
    )
    row = torch.zeros(8, dtype=torch.uint8)
    assert not edges.undecided(reference, edges.Answer(row, 0, 0, torch.zeros_like(exact), exact, BOUND))


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


def test_of_shares_that_are_zero_in_float32_each_is_the_largest_now_and_then() -> None:
    class Second(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.softmax(-1)[:, 1:].argmax(-1)

    x, found, met = torch.randn(64, 5), torch.zeros(64, dtype=torch.long), set()
    x[:, 0] += 200
    for _ in range(64):
        oracle.outputs(Second(), [x], [found], BY_CHANCE, TIES_APART)
        assert len({*found.tolist()}) == 1, "who takes the third of equal ones does so in all rows"
        met |= {*found.tolist()}
    assert len(met) == 4
    x[:, 0] -= 150
    oracle.outputs(Second(), [x], [found], BY_CHANCE, TIES_APART)
    assert torch.equal(found, x[:, 1:].argmax(-1)), "float32 holds shares of e^-50"


def test_of_flags_the_first_is_no_free_choice_and_counts_stay() -> None:
    class First(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            high, low = x > 0.2, (x < 0.8).float()
            enough = torch.ones_like(x).cumsum(-1) - 1 >= 3
            return high.float().argmax(-1), (high.long() * low.long()).argmax(-1), low.min(-1).indices, enough

    x = torch.rand(64, 8)
    x[::2] = 0
    expected = First()(x)
    for way in (MOVED, MOVED_TWICE, BY_CHANCE):
        found = [torch.zeros_like(each) for each in expected]
        oracle.outputs(First(), [x], found, way, TIES_APART)
        assert all(map(torch.equal, found, expected))


def test_what_is_zero_is_left_out_where_nothing_else_is_beside_it() -> None:
    class There(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return x.argmax(-1), x.abs().sum(-1) > 0

    x, found = torch.rand(64, 8), [torch.zeros(64, dtype=torch.long), torch.ones(64, dtype=torch.bool)]
    x[::2] = 0
    oracle.outputs(There(), [x], found, MOVED, TIES_APART)
    assert bool((found[0][::2] != 0).any()), "any of them is the largest"
    assert torch.equal(found[1], x.sum(-1) > 0)


EDGED = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        y = torch.exp(x * torch.sigmoid(x))\n"
    "        return torch.where(y > 1.25, y, 0.5 * y)\n\n"
    "def get_inputs():\n    return [torch.randn(64, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def where_it_compares() -> float:
    """The `x` whose exp(silu(x)) is 1.25, by halving."""
    low, high = 0.1, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        above = math.exp(middle / (1 + math.exp(-middle))) > 1.25
        low, high = (low, middle) if above else (middle, high)
    return high


def test_at_an_edge_of_the_reference_either_side_is_right() -> None:
    """An honest formula of another order is on the other side of a comparison once in some 100,000 elements."""
    with session(EDGED) as judged:
        reference = judged.reference
        x = torch.randn(64, 64)
        x[3, 5] = where_it_compares()
        bytes_of_it, exact = answered(reference, x)
        flipped, wrong = exact.float(), exact.float()
        flipped[3, 5] = 1.25 * (0.5 if exact[3, 5] > 1 else 1.0)
        wrong[7, 7] *= 0.5
        assert not verify.compare(flipped, exact).element < 0.1
        assert is_excused(reference, bytes_of_it, [flipped], [exact.float()], 0, "own")
        assert not is_excused(reference, bytes_of_it, [wrong], [exact.float()], 0, "own")


BESIDE = EDGED.replace("return torch.where(y > 1.25, y, 0.5 * y)", "return torch.where(y > 1.25, y, 0.5 * y), 2 * x")


def test_the_output_that_is_wrong_is_named_and_not_another_that_lies_at_an_edge() -> None:
    with session(BESIDE) as judged:
        reference = judged.reference
        row = reference.sets[0].inputs.clone()
        [x] = reference.leaves_of(row)
        x[3, 5] = where_it_compares()
        eager = [each.float() for each in reference.exact_of(row, 0) or []]
        flipped, wrong = (each.clone() for each in eager)
        flipped[3, 5] = 1.25 * (0.5 if eager[0][3, 5] > 1 else 1.0)
        wrong[7, 7] += 1.0
        row = row.view(torch.uint8)
        code = BESIDE.replace("class Model(", "class ModelNew(")
        candidate = Candidate(task_id=reference.task.id, code=code, origin="human")
        made = started(candidate, reference, judged._layout, 1, trusted=False, full=True)
        how: Any = {"given": row, "was": row, "found": row, "kind": "own"}
        try:
            made[0].finish()
            made[0].check_timed([flipped, eager[1]], eager, **how)
            with pytest.raises(CandidateError, match=r"output 1, own values.*element 455:"):
                made[0].check_timed([flipped, wrong], eager, **how)
        finally:
            close(made)


CHOSEN = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return torch.where((x[:, :32].sum(1) > x[:, 32:].sum(1))[:, None], x, 0.9 * x)\n\n"
    "def get_inputs():\n    return [torch.randn(256, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def test_of_two_that_are_best_by_a_last_place_either_may_be_chosen() -> None:
    """In some rows at once: each must come the other way in one of the draws that are asked about."""
    with session(CHOSEN) as judged:
        reference = judged.reference
        x = torch.randn(256, 64)
        x[:12, 32:] = x[:12, :32].flip(1)
        bytes_of_it, exact = answered(reference, x)
        chosen, wrong = exact.float(), exact.float()
        chosen[:12] = torch.where((exact[:12, :1] == x[:12, :1].double()), 0.9, 1.0) * x[:12]
        wrong[20] *= 0.9
        assert verify.compare(chosen, exact).norm > 0.01
        for _ in range(4):
            assert is_excused(reference, bytes_of_it, [chosen], [exact.float()], 0, "own")
            assert not is_excused(reference, bytes_of_it, [wrong], [exact.float()], 0, "own")


TAIL = HEAD + (
    "class Model(nn.Module):\n"
    "    def forward(self, x):\n"
    "        return torch.relu(x[:, ::2].sum(1) - x[:, 1::2].sum(1) - 2.0)\n\n"
    "def get_inputs():\n    return [torch.rand(2048, 64)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


def test_what_a_relu_leaves_of_a_tail_is_bound_by_no_multiple_of_an_error_by_chance() -> None:
    """One element of 2,048 is 0.003, and rounding before the relu is a millionth: the reference's own was less."""
    with session(TAIL) as judged:
        reference = judged.reference
        x = torch.full((2048, 64), 0.5)
        x[7, 0], x[7, 1], x[7, 2] = 1.5, -0.25, 0.753
        bytes_of_it, exact = answered(reference, x)
        assert exact.nonzero().tolist() == [[7]]
        near, wrong = exact.float(), exact.float()
        near[7] += 1e-6
        wrong[7] *= 1.1
        assert verify.compare(near, exact).norm > 1e-4
        assert is_excused(reference, bytes_of_it, [near], [exact.float()], 0, "own")
        assert not is_excused(reference, bytes_of_it, [wrong], [exact.float()], 0, "own")
        few = exact > 0
        assert not edges.undecided(reference, edges.Answer(bytes_of_it, 0, 0, torch.zeros_like(few), few, BOUND)), (
            "a mask is no tail"
        )


DIFFERENCE = TAIL.replace("torch.relu(x[:, ::2].sum(1) - x[:, 1::2].sum(1) - 2.0)", "x[:, 0] - x[:, 1]")


def test_where_tf32_may_be_used_terms_that_cancel_err_by_what_it_leaves_of_them() -> None:
    with session(DIFFERENCE) as judged:
        reference = judged.reference
        x = torch.linspace(1.0, 3.0, 2048)[:, None].repeat(1, 64)
        x[:, 1] *= -1
        x[7, :2] = torch.tensor([64.03, 64.01])
        bytes_of_it, exact = answered(reference, x)
        near, often, elsewhere = exact.float(), exact.float(), exact.float()
        near[7] += 0.06
        often[::16] += 0.06
        elsewhere[8] += 0.06
        bound = verify.Bound(1e-3, 1e-2)
        assert verify.compare(near, exact).norm < bound.norm

        def is_right(out: torch.Tensor) -> bool:
            return any(edges.undecided(reference, edges.Answer(bytes_of_it, 0, 0, out, exact, bound)) for _ in range(8))

        assert not is_right(near)
        reference.precision = "tf32"
        assert is_right(near), "one draw of five moves neither term far enough"
        assert not is_right(often)
        assert not is_right(elsewhere), "nothing cancels there"


LAYERS = HEAD + (
    "class Model(nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.first, self.second = nn.Linear(27, 6), nn.Linear(6, 64)\n"
    "        drawn = torch.Generator().manual_seed(1)\n"
    "        for each in self.parameters():\n"
    "            nn.init.uniform_(each, -0.3, 0.3, generator=drawn)\n\n"
    "    def forward(self, x):\n"
    "        return torch.relu(self.second(torch.relu(self.first(x))))\n\n"
    "def get_inputs():\n    return [torch.randn(8192, 27)]\n\n"
    "def get_init_inputs():\n    return []\n"
)


@pytest.mark.slow
def test_where_tf32_may_be_used_it_rounds_weights_and_what_lies_between_layers_too() -> None:
    made: dict[str, Any] = {}
    exec(LAYERS, made)
    first, second = (made["Model"]().get_submodule(name) for name in ("first", "second"))

    def rounded(value: torch.Tensor) -> torch.Tensor:
        return rounding.rounded(value.detach(), "float16 or TF32")

    with Session(
        Task(id="local/layers", name="layers", source=LAYERS), JudgeConfig(effort="glance", baselines=(), seed=5)
    ) as s:
        torch.manual_seed(5)
        x = torch.where(torch.rand(8192, 27) < 0.02, 64.0, 1.0) * torch.randn(8192, 27)
        bytes_of_it, exact = answered(s.reference, x)
        between = torch.relu(rounded(x) @ rounded(first.weight).T + first.bias.detach())
        near = torch.relu(rounded(between) @ rounded(second.weight).T + second.bias.detach())
        errors = verify.compare(near, exact)
        bound, wrong = verify.Bound(1e-3, errors.element / 2), near.clone()
        wrong[::64] *= 1.02
        assert errors.norm < bound.norm, "the whole is right, and some sums whose terms cancel are not"
        assert not edges.undecided(s.reference, edges.Answer(bytes_of_it, 0, 0, near, exact, bound))
        s.reference.precision = "tf32"
        assert edges.undecided(s.reference, edges.Answer(bytes_of_it, 0, 0, near, exact, bound))
        assert not edges.undecided(s.reference, edges.Answer(bytes_of_it, 0, 0, wrong, exact, bound))


SUM = TAIL.replace("torch.relu(x[:, ::2].sum(1) - x[:, 1::2].sum(1) - 2.0)", "torch.tanh(x).sum()")


def test_a_sum_whose_terms_cancel_is_bound_by_what_they_round_to() -> None:
    """Of 131,072 terms some 0.2 is left: rounding of 5e-5 is more of it than passes anywhere else."""
    with session(SUM.replace("torch.rand(", "torch.randn(")) as judged:
        reference = judged.reference
        x = torch.rand(2048, 64) + 0.5
        x[:, 1::2] = -x[:, ::2]
        x[0, 0], x[0, 1] = 1.3, -0.8
        bytes_of_it, exact = answered(reference, x)
        near, wrong = (exact + 5e-5).float(), (exact * 1.04).float()
        assert verify.compare(near, exact).norm > 2e-4
        assert is_excused(reference, bytes_of_it, [near], [exact.float()], 0, "own")
        assert not is_excused(reference, bytes_of_it, [wrong], [exact.float()], 0, "own")


def test_what_a_nearly_singular_system_makes_of_last_places_is_right_and_no_more() -> None:
    source = HEAD + (
        "class Model(nn.Module):\n"
        "    def forward(self, a, b):\n"
        "        return torch.linalg.inv(a @ a.mT + 0.01 * torch.eye(8, device=a.device)) @ b\n\n"
        "def get_inputs():\n    return [torch.randn(8, 8), torch.randn(8, 64)]\n\n"
        "def get_init_inputs():\n    return []\n"
    )
    torch.manual_seed(0)
    spread = torch.linalg.qr(torch.randn(8, 8)).Q * torch.tensor([60.0] * 7 + [0.02])
    with session(source) as opened:
        reference = opened.reference
        row = reference.sets[0].inputs.clone()
        reference.leaves_of(row)[0].copy_(spread)
        [exact] = reference.exact_of(row, 0) or []
        b = reference.leaves_of(row)[1].double()
        system = spread.double() @ spread.double().mT + 0.01 * torch.eye(8, dtype=torch.float64)

        def off_by(last_places: float) -> torch.Tensor:
            torch.manual_seed(1)
            noise = torch.randn(8, 8, dtype=torch.float64) * 2.0**-24 * last_places
            return (torch.linalg.inv(system * (1 + (noise + noise.mT) / 2)) @ b).float()

        few, many = off_by(1), off_by(100)
        assert not BOUND.holds(verify.compare(few, exact)), "a system that shows last places"
        assert is_excused(reference, row.view(torch.uint8), [few], [exact.float()], 0, "own")
        assert not is_excused(reference, row.view(torch.uint8), [many], [exact.float()], 0, "own")
