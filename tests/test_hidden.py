"""What there is nothing of: inputs that may hide all of a row or be below a limit, and tables whose ways never meet."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from cuda_l1.correctness import making
from cuda_l1.correctness.sets import kinds
from cuda_l1.inputs import asks, operations
from cuda_l1.inputs.distributions import varied
from cuda_l1.inputs.fills import BLANK_PLANES, PARTED
from cuda_l1.inputs.hidden import below_limits, hiding, shorter
from cuda_l1.inputs.integers import names_nodes, names_rows
from cuda_l1.inputs.looks import look
from cuda_l1.wire.arena import Leaf

GUARDED = "class Model(nn.Module):\n    def forward(self, x, {name}):\n        return {body}\n"
FLOATS = Leaf((16, 24), (24, 1), "float32")


pytestmark = pytest.mark.usefixtures("same_draws")


def _asked(leaf: torch.Tensor, name: str, body: str) -> list[str]:
    """What is drawn of the second of two inputs because it may hide all."""
    source, x = GUARDED.format(name=name, body=body), torch.randn(16, 24)
    looks = look([x, leaf], ["x", name], source, before=[torch.zeros(1), torch.zeros(1) - 7])
    inputs = [FLOATS, Leaf(tuple(leaf.shape), leaf.stride(), str(leaf.dtype).removeprefix("torch."))]
    asked, _ = kinds(2, inputs, [FLOATS], "cpu", source, looks)
    found = (kind.removesuffix(" of input 1") for kind in asked)
    return [kind for kind in found if kind.startswith(("hidden rows", "all hidden", "some with", "shorter"))]


MASK, WORDS = torch.rand(16, 24) < 0.7, torch.randint(0, 40, (16, 24))
LENGTHS, LONGER = torch.tensor([1, *torch.randint(1, 25, (15,))]), torch.tensor([5, 24, *range(6, 20)])
LABELS = torch.where(torch.rand(64) < 0.2, -100, torch.randint(0, 9, (64,)))


@pytest.mark.parametrize(
    ("leaf", "name", "body", "expected"),
    [
        (MASK, "mask", "(x * mask).sum(1) / mask.sum(1).clamp(min=1)",
         ["hidden rows with 0", "hidden rows with 1", "all hidden with 0", "all hidden with 1"]),
        (MASK, "mask", "(x * mask).sum(1) / mask.sum(1)", []),
        (MASK, "mask", "x.masked_fill(~mask, -1e9).softmax(1).clamp(min=0)", []),
        (MASK, "mask", "x.masked_fill(~mask, -math.inf).softmax(1).clamp(min=0)", []),
        (MASK, "mask", "x.masked_fill(~mask, -math.inf).softmax(1).nan_to_num(0.0)",
         ["hidden rows with 0", "hidden rows with 1", "all hidden with 0", "all hidden with 1"]),
        (MASK, "mask", "x.masked_fill(~mask, -math.inf).softmax(1) * mask.any(1, keepdim=True)",
         ["hidden rows with 0", "hidden rows with 1", "all hidden with 0", "all hidden with 1"]),
        (MASK, "mask", "x.masked_fill(~mask, -1e9).softmax(1) * mask.any(1, keepdim=True)",
         ["hidden rows with 0", "hidden rows with 1", "all hidden with 0", "all hidden with 1"]),
        (MASK, "mask", "x.masked_fill(~mask, -1e9).softmax(1) * (x > 3).any(1, keepdim=True)", []),
        (MASK, "mask", "x.masked_fill(~mask, -1e9).softmax(1).nan_to_num(0.0)", []),
        (WORDS, "words", "x / (words != 0).sum(1, keepdim=True).clamp(min=1)",
         ["hidden rows with 0", "all hidden with 0"]),
        (WORDS, "words", "x / (words != 99).sum(1, keepdim=True).clamp(min=1)", ["all hidden with 99"]),
        (LABELS, "labels", "x / (labels != -100).sum().clamp(min=1)", ["all hidden with -100"]),
        (LENGTHS, "lengths", "x / lengths.float().clamp(min=1)[:, None]", ["some with 0"]),
        (LENGTHS, "lengths", "x / torch.clamp(lengths, min=1)[:, None]", ["some with 0"]),
        (LENGTHS, "lengths", "x / (lengths - 1).clamp(min=0)[:, None]", ["some with 0"]),
        (LENGTHS, "classes", "x / (classes - 1).clamp(min=0)[:, None]", []),
        (LENGTHS, "lengths", "x[lengths - 1] / lengths.clamp(min=1)[:, None]", []),
        (LENGTHS, "lengths", "x[(lengths - 1).clamp(min=0)] / lengths.clamp(min=1)[:, None]", ["some with 0"]),
        (LENGTHS, "classes", "x[classes.clamp(min=0)].clamp(max=1)", []),
        (LENGTHS, "lengths", "[x[:n] for n in map(int, lengths)]", []),
        (LONGER, "seq_lens", "[x[:n] for n in map(int, seq_lens)]", ["shorter"]),
        (LONGER, "lengths", "[x[:n] if n else 0 for _, n in enumerate(lengths)]", ["shorter"]),
        (LONGER, "lengths", "[x[:n] if n > 0 else 0 for _, n in enumerate(lengths)]", ["shorter", "shorter with 0"]),
        (LONGER, "lengths", "[x if int(lengths[b]) == 0 else 0 for b in range(16)]", ["shorter", "shorter with 0"]),
        (LONGER, "lengths", "(x * there(lengths)).sum(1) / count.clamp(min=1)", ["shorter", "some with 0"]),
        (LONGER, "lengths", "(x * there(lengths)).softmax(1) / attention.clamp(min=1)", ["shorter"]),
        (LONGER, "lengths", "x[lengths - 1] / count.clamp(min=1)", ["shorter"]),
        (LONGER, "lengths", "[x if int(lengths[b]) == 7 else 0 for b in range(16)]", ["shorter"]),
        (LONGER, "target_lengths", "[x if n > 0 else blank for n in target_lengths]", ["shorter", "shorter with 0"]),
        (LONGER, "classes", "[x[:n] if n > 0 else 0 for n in classes]", []),
        (torch.arange(16), "lengths", "x / lengths.clamp(min=1)[:, None]", []),
        (torch.full((16,), 24), "lengths", "x / lengths.clamp_min(1)[:, None]", ["some with 0"]),
    ],
)  # fmt: skip
def test_what_may_hide_all_does_so_where_the_task_guards_that(
    leaf: torch.Tensor, name: str, body: str, expected: list[str]
) -> None:
    assert _asked(leaf, name, body) == expected


def test_lengths_are_shorter_unless_another_input_says_them_or_is_no_longer() -> None:
    x, kinds_of = torch.randn(16, 24), ["shorter"]
    ends = torch.arange(24) < LONGER[:, None]
    for other, expected in (
        (x, kinds_of), (WORDS, kinds_of), (torch.randint(0, 30, (16,)), kinds_of),
        (LONGER - 2, []), (LONGER.cumsum(0), []), (ends, []), (x * ends, []), (WORDS.masked_fill(~ends, 0), []),
        (torch.randn(int(LONGER.sum()), 3), []), (x[:, 0].to(torch.complex64), kinds_of),
        (LONGER.flip(0).to(torch.uint16), kinds_of), ((LONGER - 2).to(torch.uint8), []),
    ):  # fmt: skip
        assert shorter(1, ["x", "lengths"], [other, LONGER], {}, "lengths - 1") == expected
    for kind, number in (("shorter", 0), ("shorter with 0", 0)):
        made = varied(LONGER, kind)
        less = made < 5
        assert made[1] == 24
        assert bool(less.any())
        assert bool((made == number).any()) is ("0" in kind)
        assert int(made.min()) == (0 if "0" in kind else 1), "a quarter of five, however few they are"
        assert torch.equal(made[~less], LONGER[~less])
        assert torch.equal(varied(LONGER[[0, 0]], kind), LONGER[[0, 0]]), "of one length all are the largest"
    assert torch.equal(varied(LENGTHS, "shorter"), LENGTHS), "of one there is nothing shorter"


PLACES = torch.randint(5, 16, (16,))


@pytest.mark.parametrize(
    ("leaf", "name", "body", "init", "expected"),
    [
        (PLACES, "positions", "x[range(16), positions]", (), ["longer below 24"]),
        (PLACES, "lengths", "[x[:n] for n in map(int, lengths)]", (), ["longer below 25"]),
        (PLACES, "upto", "x * (torch.arange(24) < upto[:, None])", (), ["longer below 25"]),
        (PLACES, "classes", "x[range(16), classes]", (), []),
        (LONGER, "lengths", "[x[:n] for n in map(int, lengths)]", (), []),
        (PLACES * 5, "positions", "torch.sin(positions)", (), ["longer"]),
        (PLACES * 5, "positions", "torch.sin(positions)", (90, 1000), ["longer below 90"]),
        (PLACES * 5, "positions", "torch.sin(positions.clamp(max=self.n))", (90,),
         ["longer below 90", "longer below 180"]),
        (PLACES.cumsum(0) * 5, "positions", "torch.searchsorted(positions, x)", (), []),
    ],
)  # fmt: skip
def test_positions_and_lengths_are_beyond_what_is_drawn_but_within_what_they_say(
    leaf: torch.Tensor, name: str, body: str, init: tuple[int, ...], expected: list[str]
) -> None:
    x = torch.randn(16, 24)
    source, others = GUARDED.format(name=name, body=body), [[x, leaf]] * 2
    looks = look([x, leaf], ["x", name], source, init, [torch.zeros(1), torch.zeros(1) - 7], others)
    found = [kind for n, kind in looks.hidden if n == 1 and kind.startswith("longer")]
    assert found == expected
    for kind in found:
        made = varied(leaf, kind)
        assert int(made.max()) == (int(kind.split()[-1]) - 1 if "below" in kind else 4 * int(leaf.max()))
        assert bool((made >= leaf).all())
        assert bool(((made == leaf) | (made > leaf.max())).all())


@pytest.mark.parametrize(
    ("body", "init", "expected"),
    [
        ("x * torch.where(seen >= self.start, 1, seen)", (), ["as asked with 4999", "as asked with 5000", "longer"]),
        ("x * torch.where(seen >= self.start, 1, seen)", (9000,),
         ["as asked with 4999", "as asked with 5000", "longer below 9000"]),
        ("x * (seen / self.start).clamp(max=1)", (9000,), ["longer below 9000", "longer below 18000"]),
        ("x * (seen == 300) + (seen > 2.5) + (seen == -1)", (), ["longer"]),
        ("x * (seen if seen != 0 else 1)", (), ["as asked with 0", "longer"]),
        ("x[:, : int(seen)] * (seen >= 500)", (), []),
        ("x[:, : int(seen)] * (seen >= 200)", (), ["as asked with 199", "as asked with 200"]),
        ("sum(x * i for i in range(seen))", (), []),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", [(), (1,)])
def test_a_single_number_is_what_it_is_asked_for_and_more_unless_it_says_how_many(
    body: str, init: tuple[int, ...], expected: list[str], shape: tuple[int, ...]
) -> None:
    x, leaves = torch.randn(16, 24), [torch.full(shape, number) for number in (300, 310, 305)]
    source = "START = 5000\n" + GUARDED.format(name="seen", body=body.replace("self.start", "START"))
    drawn = [[x, leaf] for leaf in leaves]
    looks = look(drawn[0], ["x", "seen"], source, init, [torch.zeros(1), torch.zeros(1) - 7], drawn[1:])
    found = [kind for n, kind in looks.hidden if n == 1 and kind.startswith(("as asked", "longer"))]
    assert sorted(found) == sorted(expected)
    for kind in found:
        made = varied(leaves[0], kind)
        assert made.shape == shape
        assert made.dtype == torch.int64
        assert "asked" not in kind or int(made) == int(kind.split()[-1])


def test_a_single_number_is_no_further_than_an_extent_that_it_comes_up_to() -> None:
    source = GUARDED.format(name="seen", body="x * seen")
    for number, expected in ((24, []), (20, ["longer below 24"])):
        drawn = [[torch.randn(16, 24), torch.tensor(number - less)] for less in (0, 1, 2)]
        looks = look(drawn[0], ["x", "seen"], source, (), [torch.zeros(1), torch.zeros(1) - 7], drawn[1:])
        assert [kind for n, kind in looks.hidden if n == 1 and kind.startswith("longer")] == expected


def test_many_numbers_of_one_input_leave_room_for_lengths_of_another() -> None:
    ages, rate = torch.randint(18, 66, (16,)), " + ".join(f"(ages > {age})" for age in range(20, 65, 5))
    body = f"x.sum(1) * ({rate} + (ages > 70) + (ages > 75)) / lengths.clamp(min=1)"
    source, lengths = GUARDED.format(name="ages, lengths", body=body), torch.randint(9, 25, (16,))
    inputs = [FLOATS, *(Leaf((16,), (1,), "int64") for _ in range(2))]
    drawn = [[torch.randn(16, 24), ages, lengths], [torch.randn(16, 24), ages.flip(0), lengths.flip(0)]]
    looks = look(drawn[0], ["x", "ages", "lengths"], source, before=drawn[1])
    asked, _ = kinds(2, inputs, [FLOATS], "cpu", source, looks)
    assert "some with 0 of input 2" in asked
    assert {"padded with 76 of input 1", "padded rows with 76 of input 1"} & set(asked)


def test_of_four_lengths_one_is_zero_in_every_draw() -> None:
    made = [varied(torch.tensor([40, 50, 60, 70]), "some with 0") for _ in range(99)]
    assert all(bool((each == 0).any()) for each in made)
    assert not all(bool((each == 0).all()) for each in made)


def test_of_four_places_one_is_the_last_in_every_draw() -> None:
    made = [varied(torch.tensor([40, 50, 60, 70]), "raised below 128") for _ in range(99)]
    assert all(int(each.max()) == 127 for each in made)
    assert sum(int((each == 127).sum()) == 1 for each in made) > 30


@pytest.mark.parametrize("guard", ["", ".clamp(min=1)"])
def test_where_rows_without_words_are_guarded_padding_comes_without_such_rows_too(guard: str) -> None:
    words = [torch.randint(1, 5000, (16, 24)) for _ in range(2)]
    source = GUARDED.format(name="ids", body=f"x * (ids != 0) / (ids != 0).sum(1, keepdim=True){guard}")
    looks = look([torch.randn(16, 24), words[0]], ["x", "ids"], source, before=[torch.randn(16, 24), words[1]])
    asked, _ = kinds(2, [FLOATS, Leaf((16, 24), (24, 1), "int64")], [FLOATS], "cpu", source, looks)
    assert ("padded rows with 0 of input 1" in asked) is bool(guard)
    assert "padded with 0 of input 1" in asked


@pytest.mark.parametrize(
    ("leaf", "name", "is_drawn"),
    [
        (torch.tensor(300), "step", True), (torch.tensor([300]), "filled", True), (PLACES, "positions", True),
        (PLACES * 5, "time", True),
        (PLACES, "classes", False), (PLACES - PLACES.min(), "positions", False), (PLACES, "lengths", False),
    ],
)  # fmt: skip
def test_positions_are_before_what_is_drawn_down_to_the_first(leaf: torch.Tensor, name: str, is_drawn: bool) -> None:
    x, source = torch.randn(16, 24), GUARDED.format(name=name, body=f"x * {name}")
    looks = look([x, leaf], ["x", name], source, (), [torch.zeros(1), torch.zeros(1) - 7], [[x, leaf + 1]] * 2)
    assert ((1, "earlier") in looks.hidden) is is_drawn
    made = [varied(leaf, "earlier") for _ in range(16 if is_drawn else 0)]
    for each in made:
        before = each < leaf.min()
        assert bool(before.any())
        assert torch.equal(each[~before], leaf[~before])
    assert not is_drawn or min(int(each.min()) for each in made) == 1


def test_rows_of_positions_begin_earlier_and_count_up_all_the_same() -> None:
    rows = 40 + torch.arange(24)[None] + torch.randint(0, 40, (16, 1))
    for these in (rows, rows[0]):
        made = varied(these, "earlier")
        assert bool((made.diff(dim=-1) == 1).all())
        assert int(made.min()) == 1 or (these.dim() == 1 and 1 <= int(made.min()) < 40)


@pytest.mark.parametrize(
    ("body", "numbers"),
    [
        ("n.clamp(max=20)", [21]), ("n.float().clip(0, 20)", [21]), ("n.clamp(min=1, max=20)", [0, 21]),
        ("torch.clamp(n, max=20)", [21]), ("torch.clamp(n, 0, 20)", [21]), ("n[:, None].clamp_max_(20)", [21]),
        ("n.clamp(20)", []), ("n.clamp(min=20)", []), ("n.clamp_min(20)", []), ("n.clamp(max=9)", []),
        ("x.clamp(max=20)", []), ("n.clamp(2, 20)", [1, 21]), ("torch.clamp(x, 0, 20) + n", []),
    ],
)  # fmt: skip
def test_integers_are_beyond_the_limits_that_a_task_takes_them_to(body: str, numbers: list[int]) -> None:
    some = torch.arange(2, 15)
    kinds = below_limits(some, "n", f"class Model(nn.Module):\n    def forward(self, x, n):\n        return {body}\n")
    assert kinds == [f"some with {number}" for number in numbers if number < 2 or number > 14]


@pytest.mark.parametrize(
    ("asked", "numbers"),
    [("n < 4", {3, 4}), ("n > 65", {65, 66}), ("n >= 65", {64, 65}), ("n > 0", {0}), ("n == 7", {7}), ("n >= 0", {-1})],
)
def test_who_compares_asks_for_what_is_next_to_a_number_on_either_side(asked: str, numbers: set[int]) -> None:
    source = f"class Model(nn.Module):\n    def forward(self, n):\n        return {asked}\n"
    assert asks.numbers(source)["n"] == numbers


def test_positions_stay_within_what_holds_them() -> None:
    most = torch.iinfo(torch.int64).max
    assert int(varied(torch.tensor([7, most - 4, 9]), "longer").max()) == most


def test_rows_of_positions_begin_later_and_count_up_all_the_same() -> None:
    rows = torch.arange(24)[None] + torch.randint(0, 40, (16, 1))
    made = varied(rows, "longer below 200")
    assert int(made.max()) == 199
    assert bool((made.diff(dim=1) == 1).all())
    later = (made != rows).any(1)
    assert 0 < int(later.sum()) < 16
    assert bool((made[later, -1] > rows.max()).all())
    assert torch.equal(varied(rows, "longer below 60"), rows) or int(varied(rows, "longer below 60").max()) == 59


@pytest.mark.parametrize(
    ("body", "are"),
    [
        ("x * (torch.arange(24) < n[:, None])", True),
        ("x * (n.unsqueeze(-1) > torch.arange(24, device=x.device)[None])", True),
        ("torch.where(torch.arange(1, 25)[None] <= n.view(-1, 1), x, 0.0)", True),
        ("x * (torch.arange(24) == n[:, None])", False),
        ("x * (x < n[:, None])", False),
        ("x * (torch.arange(24) < n.shape[0])", False),
    ],
)
def test_what_places_are_compared_with_are_lengths_by_any_name(body: str, are: bool) -> None:
    assert _asked(LONGER, "n", body) == (["shorter"] if are else [])
    assert asks.limits_of_places(GUARDED.format(name="n", body=body)) == ({"n"} if are else set())
    named = GUARDED.format(name="n", body=body.replace("torch.arange(24)", "steps"))
    named = named.replace("        return", "        steps = torch.arange(24)\n        return")
    assert asks.limits_of_places(named) == ({"n"} if are else set())


@pytest.mark.parametrize(
    ("made", "are"),
    [
        ("self.steps = torch.arange(24)", True),
        ("self.register_buffer('steps', torch.arange(24)[None].float(), persistent=False)", True),
        ("self.steps = nn.Parameter(torch.rand(24))", False),
        ("self.register_buffer('rates', torch.arange(24))", False),
    ],
)
def test_places_that_the_module_holds_are_places_too(made: str, are: bool) -> None:
    source = GUARDED.format(name="n", body="x * (self.steps[: x.shape[1]] < n[:, None])")
    source += f"    def __init__(self):\n        super().__init__()\n        {made}\n"
    assert asks.limits_of_places(source) == ({"n"} if are else set())


def test_some_rows_hide_all_but_never_the_first_and_the_others_stay() -> None:
    for mask, number in itertools.product((MASK, MASK.float(), MASK.long()), (0, 1)):
        made = varied(mask, f"hidden rows with {number}")
        hidden = (made == number).sum(1)
        assert made.dtype is mask.dtype
        assert 24 in hidden
        assert hidden[0] < 23
        assert torch.equal(made[hidden < 23], mask[hidden < 23])
    assert bool((varied(LABELS, "all hidden with -100") == -100).all())
    some = varied(LENGTHS, "some with 0")
    assert 0 < int((some == 0).sum()) < 16
    assert torch.equal(some[some != 0], LENGTHS[some != 0])


@pytest.mark.parametrize(
    ("body", "goes_on"),
    [
        ("for word in words:\n            state = table[state, word]", True),
        ("for _ in range(64):\n            at = parent[at]", True),
        ("for _ in range(64):\n            at = parent.gather(1, at)", True),
        ("while (at != parent[at]).any():\n            at = parent[at]", False),
        ("for word in words:\n            state = table[word]", False),
        ("for n in range(8):\n            total = total + x[n]", False),
    ],
)
def test_who_goes_on_by_a_table_is_seen_unless_it_may_never_end(body: str, goes_on: bool) -> None:
    assert operations.follows(f"class Model(nn.Module):\n    def forward(self, x):\n        {body}\n") is goes_on


def test_by_a_table_no_two_ways_meet_and_a_forest_is_one_way_to_its_root() -> None:
    table = torch.randint(0, 64, (64, 8))
    assert names_rows(table)
    made = varied(table, PARTED)
    assert torch.equal(made.sort(0).values, torch.arange(64)[:, None].expand(64, 8))
    places = torch.arange(64)
    forest = varied(torch.where(torch.rand(64) < 0.5, places, torch.randint(0, 64, (64,))), PARTED)
    assert int((forest == places).sum()) == 1
    at = places
    for _ in range(63):
        at = forest[at]
    assert bool((at == at[0]).all())
    assert not names_rows(torch.randn(64, 8))
    assert not names_rows(torch.randint(0, 64, (8, 64)))


def test_who_asks_for_many_numbers_is_not_given_more_sets_than_there_may_be() -> None:
    body = " + ".join(f"(words == {number}).sum(1)" for number in range(40)) + " + x.clamp(min=1)"
    assert len(_asked(WORDS, "words", body)) == 16


def test_of_parents_each_stays_before_its_children() -> None:
    """Who takes one after the other counts on that."""
    parents = (torch.rand(64) * torch.arange(64)).long()
    parents[-1] = 62
    assert names_nodes(parents, 64)
    assert not names_rows(parents)


def test_a_number_is_drawn_whole_and_what_is_empty_stays() -> None:
    of = torch.randint(0, 1 << 21, (8, 4))
    (kind,) = hiding([of], [1234567.0], is_mask=False)
    assert bool((varied(of, kind) == 1234567).all())
    cache = torch.zeros(4, 0, 16)
    assert varied(cache, BLANK_PLANES).shape == varied(cache, "hidden rows with 0").shape == cache.shape


def test_on_a_gpu_what_may_be_no_index_is_tried_on_the_cpu_first() -> None:
    reference: Any = SimpleNamespace(
        device="cuda", care=SimpleNamespace(rehearses=False), sets=[SimpleNamespace(inputs=None)],
        leaves_of=lambda _: [WORDS],
    )  # fmt: skip
    assert making._may_end_it(reference, "some with -1")
    assert making._may_end_it(reference, "all hidden with 99")
    assert not making._may_end_it(reference, "ordered 1")
