"""What inputs are by the look of two draws and of the text, and that what is drawn of each keeps what it promises."""

from __future__ import annotations

import pytest
import torch
from looked import forward

from cuda_l1.correctness import sets
from cuda_l1.inputs import asks, operations
from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.distributions import (
    A_LITTLE,
    APART,
    CROWDED,
    LEANING,
    PADDED,
    RARE,
    RENAMED,
    SELDOM,
    SHARED,
    WIDE,
    drawn_as,
    of_input,
    padded,
    split_kind,
    varied,
)
from cuda_l1.inputs.draws import heads_of
from cuda_l1.inputs.fills import HIGH, LEAST, LOW, NOTHING, again, least_of, may_lead_on
from cuda_l1.inputs.looks import Looks, look
from cuda_l1.inputs.parts import FEW, SINGULAR, THIN
from cuda_l1.inputs.patterns import ABOVE, BELOW
from cuda_l1.inputs.traits import is_definite
from cuda_l1.wire.arena import Leaf

GRAPH = torch.rand(24, 24, generator=torch.Generator().manual_seed(0)) < 0.3
EDGES = torch.randint(0, 40, (2, 60), generator=torch.Generator().manual_seed(0))


pytestmark = pytest.mark.usefixtures("same_draws")


TYPES = (
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32,
    torch.float16, torch.bfloat16, torch.complex64, torch.float8_e4m3fn,
)  # fmt: skip


def seen(
    *drawn: torch.Tensor, fixed: bool = True, source: str = "", names: str = "", init: tuple[object, ...] = ()
) -> Looks:
    before = heads_of(drawn) if fixed else [torch.zeros(1) - 7 for _ in drawn]
    called = [*names.split(), *[""] * len(drawn)][: len(drawn)]
    return look(drawn, called, source, init, before)


def test_numbers_are_zero_throughout_together_and_each_alone() -> None:
    x = torch.randn(8, 16)
    assert not bool(varied(x, NOTHING).any())
    assert torch.equal(varied(x > 0, NOTHING), x > 0), "a mask stays"
    found = sets.kinds(0, [Leaf.of(x), Leaf.of(x)], [Leaf.of(x)], "cpu", "")[0]
    assert {NOTHING, of_input(NOTHING, 0), of_input(NOTHING, 1)} <= set(found)


def test_what_is_padded_comes_again_beside_its_padding() -> None:
    lengths = torch.randint(8, 33, (16, 1))
    for pad, first in ((0, False), (-1, True)):
        places = torch.arange(32) if first else torch.arange(31, -1, -1)
        hidden = places < 32 - lengths
        ids = torch.randint(1, 5000, (16, 32)).masked_fill(hidden, pad)
        assert may_lead_on(ids)
        assert not may_lead_on(torch.randint(1, 5000, (16, 32)))
        made = again(ids)
        assert torch.equal(made == pad, hidden)
        assert int((made[:, 1:] == made[:, :-1])[~hidden[:, 1:] & ~hidden[:, :-1]].sum()) > 16
    assert not may_lead_on(torch.zeros(16, 32, dtype=torch.long))


def test_some_of_many_come_again_whatever_others_of_many_are() -> None:
    table, one, two = torch.randn(9000), torch.randperm(9000)[:32], torch.randperm(9000)[:32]
    assert seen(table, one, two, fixed=False).again == (1, 2)
    kinds = torch.randint(0, 4, (32,))
    assert seen(table, one, kinds, fixed=False).again == (1, 2)
    assert seen(table, one, one // 3000, fixed=False).again == ()
    assert seen(table, one.clamp(max=8990), one.clamp(max=8990) + 7, fixed=False).again == (), "where each ends"
    assert seen(table, one, 8999 - one, fixed=False).again == ()
    assert seen(table, torch.randperm(32), torch.randperm(32), fixed=False).again == ()


def test_rows_that_are_padded_may_be_shorter() -> None:
    ends = torch.randint(24, 33, (64, 1))
    ids = torch.randint(1, 5000, (64, 32)).masked_fill(torch.arange(32) >= ends, 0)
    source = forward("return x * (ids != 0)")
    x = torch.randn(64, 32)
    assert seen(x, ids, fixed=False, source=source, names="x ids").tokens == ((1, 0),)
    assert seen(x, ids, ids != 0, fixed=False, source=source, names="x ids keep").tokens == (), "what a mask says"
    for some in (ids, ids.flip(1)):
        made = varied(some, padded(0, is_left=False)) != 0
        assert bool((made <= (some != 0)).all())
        assert int(made.sum(1).min()) < 24
        assert bool((made.int().diff(dim=1).abs().sum(1) <= 1).all()), "each is one piece"


def test_a_single_row_and_bytes_are_drawn_with_what_they_are_asked_for() -> None:
    steps, labels = torch.tensor([400, 20, 900, 77]), torch.randint(0, 21, (8, 16, 16), dtype=torch.uint8)
    source = forward("return (t != 0), (ids != 255), (ids == -100)", "t, ids")
    assert seen(steps, labels, fixed=False, source=source, names="t ids").tokens == ((0, 0), (1, 255))
    for _ in range(8):
        assert int((varied(steps, padded(0, is_left=False)) == 0).sum()) in (1, 2, 3)
    made = varied(labels, padded(255, is_left=False))
    assert made.dtype == torch.uint8
    assert 0 < int((made == 255).sum()) < labels.numel()


def test_of_an_order_what_is_just_not_so_is_asked_for() -> None:
    assert asks.numbers(forward("return (ids < 4) & (ids >= 0)"))["ids"] == {3, 4, -1}
    assert asks.numbers(forward("return (3 >= ids) | ids.lt(0)"))["ids"] == {3, 4, -1}
    letters = torch.randint(0, 4, (8, 64))
    source = forward("return (ids < 4).sum()", "ids")
    assert seen(letters, fixed=False, source=source, names="ids").tokens == ((0, 4),)


def test_tokens_are_padded_with_what_they_are_never_drawn_as() -> None:
    ids = torch.randint(1, 50, (6, 16))
    source = forward("return (ids != 0) & (ids != 3) & (x > 9)")
    x = torch.randn(6, 16)
    assert seen(x, ids.masked_fill(ids == 3, 4), source=source, names="x ids").tokens == (
        (0, 9),
        (0, 10),
        (1, 0),
        (1, 3),
    )
    assert seen(x, ids.sort().values, source=source, names="x ids").tokens == ((0, 9), (0, 10))
    missing = forward("return (x != -9999.0) & (x > 0.5) & (x.shape[0] != 40)")
    assert seen(x, ids, source=missing, names="x ids").tokens == ((0, -9999.0),), "beyond all that are drawn"
    there = varied(x, padded(-9999.0, is_left=False))
    assert 0 < int((there == -9999).sum()) < 48
    assert bool((there[there != -9999] == x[there != -9999]).all())
    made = varied(ids, padded(0, is_left=False))
    assert bool((made == 0).any())
    assert bool((made[:, 0] > 0).all())
    assert torch.equal(made[0], ids[0])
    assert bool((varied(ids, padded(0, is_left=True))[:, -1] > 0).all())
    whole = varied(ids, padded(0, is_left=False, rows=True))
    assert bool((whole == 0).all(1).any())
    assert bool((whole[0] > 0).any())
    assert operations.pads_on_the_left("x[:, -1]")
    assert not operations.pads_on_the_left("x[:-1]")


@pytest.mark.parametrize(
    "init", [([64, 24], -100), ([], {"ignored": -100, "sizes": [64, 24]}), ([[64, 24]], {"ignored": -100})]
)
def test_what_a_module_is_made_with_has_the_names_that_its_constructor_gives(init: tuple[object, ...]) -> None:
    made = "    def __init__(self, sizes, ignored=-1):\n        self.ignored = ignored\n"
    source = forward("return ids != self.ignored").replace("Module):\n", f"Module):\n{made}")
    ids = torch.randint(1, 50, (6, 16))
    assert seen(torch.randn(6, 16), ids, source=source, names="x ids", init=init).tokens == ((1, -100),)
    counts = torch.full((8,), 16)
    assert seen(torch.randn(128, 32), counts, init=init).shares == ((1, 24),), "numbers in a list too"


def test_counts_that_sum_to_an_extent_still_do() -> None:
    counts, x = torch.full((8,), 16), torch.randn(128, 32)
    assert seen(x, counts).shares == ((1, 32),)
    assert seen(x, counts).trivial == ()
    assert seen(x, counts, init=(24,)).shares == ((1, 24),), "what the module is made with"
    assert seen(x, counts, init=(16,)).shares == (), "the number is given"
    assert seen(x, counts, torch.arange(0, 129, 16)).shares == (), "offsets say it"
    assert seen(x, counts, torch.arange(8).repeat(16)).shares == (), "whose each is says it"
    assert seen(torch.randn(8, 16, 8), counts).trivial == (1,), "lengths of a batch"
    for kind in (below(SHARED, 24), SHARED, A_LITTLE, CROWDED, below(CROWDED, 40)):
        drawn = torch.stack([varied(counts, kind) for _ in range(50)])
        assert bool((drawn.sum(1) == 128).all())
        assert bool((drawn >= 0).all())
        reach = {A_LITTLE: 17, SHARED: 32, CROWDED: 16 + 64, below(CROWDED, 40): 32}.get(kind, 23)
        assert bool((drawn.amax(1) == reach).all()), "no draw reaches further than another"
        assert not bool((drawn == counts).all(1).any())
    rows = varied(torch.full((4, 4), 8), SHARED)
    assert bool((rows.sum(1) == 32).all())


def test_what_is_the_same_in_every_draw_is_another() -> None:
    assert seen(torch.randn(24, 8), GRAPH).named == (1,)
    assert seen(torch.randn(24, 8), GRAPH).sparse == (1,)
    assert seen(torch.randn(24, 8), GRAPH, fixed=False).named == ()
    assert seen(torch.randn(40, 8), EDGES).named == (1,)
    assert seen(torch.randn(24, 8)).fixed == (0,)
    kinds = sets.kinds(0, list(map(Leaf.of, (GRAPH, EDGES))), [], "cpu", "", Looks(named=(0, 1), sparse=(0,)))[0]
    assert {of_input(RENAMED, 0), of_input(RENAMED, 1), of_input(FEW, 0)} <= set(kinds)
    assert of_input(LEAST, 0) not in kinds
    guarded = "return a / a.sum(1, keepdim=True).clamp(min=1)"
    kinds = sets.kinds(0, list(map(Leaf.of, (GRAPH, EDGES))), [], "cpu", guarded, Looks(named=(0, 1), sparse=(0,)))[0]
    assert of_input(LEAST, 0) in kinds
    alone = varied(GRAPH > 0, LEAST)
    assert bool((~alone).all(1).any())
    assert torch.equal(alone, alone & (GRAPH > 0))


@pytest.mark.parametrize(
    "beside",
    [
        [GRAPH.tril()],
        [torch.arange(9).repeat(3)],
        [torch.stack([EDGES.amin(0), EDGES.amax(0) + 1])],
        [torch.tensor([1, 0, 3, 2, 4])],
        [EDGES, torch.bincount(EDGES[0])],
        [torch.tensor([20, 9, 3]), torch.randn(32, 2)],
    ],
    ids=["a triangle", "places", "pairs in order", "its own inverse", "counted elsewhere", "sums to an extent"],
)
def test_what_integers_promise_leaves_them_as_they_are(beside: list[torch.Tensor]) -> None:
    assert 0 not in seen(*beside).named


def test_names_change_and_structure_stays() -> None:
    made = varied(GRAPH, RENAMED)
    assert not torch.equal(made, GRAPH)
    assert torch.equal(made.sum(1).sort().values, GRAPH.sum(1).sort().values)
    prefix = torch.arange(12) < torch.randint(1, 12, (12, 1))
    assert torch.equal(varied(prefix, RENAMED).sort(0).values, prefix.sort(0).values), "rows change places alone"
    assert torch.equal(varied(torch.eye(8), RENAMED).sum(0), torch.ones(8))
    ids = torch.tensor([[4, 2, -1, 7, 2, 2, 9, -1], [0, 1, 2, 3, 4, 5, 6, 7]])
    named = varied(ids, RENAMED)
    assert torch.equal(named < 0, ids < 0)
    assert torch.equal(named[1], ids[1])
    assert set(named[0].tolist()) <= set(ids.reshape(-1).tolist())
    assert not torch.equal(named[0], ids[0])
    offsets = torch.arange(0, 129, 16)
    moved = varied(offsets, RENAMED)
    assert (int(moved[0]), int(moved[-1])) == (0, 128)
    assert bool((moved.diff() >= 0).all())
    assert not torch.equal(moved, offsets)


@pytest.mark.parametrize("kind", [FEW, THIN])
def test_a_fixed_input_is_another_in_part_and_keeps_its_symmetry(kind: str) -> None:
    table, a = torch.randn(16, 16), torch.randn(16, 16)
    changed = varied(table, kind) != table
    assert 0 < int(changed.sum()) <= 16
    assert not bool(changed[0].any())
    symmetric = varied(a + a.T, kind)
    assert torch.equal(symmetric, symmetric.T)
    assert torch.equal(varied(a - a.T, kind), a - a.T)
    prefix = torch.arange(16) < torch.randint(1, 16, (16, 1))
    assert torch.equal(varied(prefix, kind), prefix)


@pytest.mark.parametrize("shape", [(1, 8, 8), (4, 1, 8), (4, 8, 1)])
def test_what_all_have_a_copy_of_is_told_apart(shape: tuple[int, ...]) -> None:
    copies = (torch.rand(shape) + 0.5).expand(4, 8, 8).contiguous()
    assert seen(copies, fixed=False).equal == (0,)
    assert seen(torch.rand(4, 8, 8), fixed=False).equal == ()
    made = varied(copies, APART)
    assert bool((made > 0).all())
    assert seen(made, fixed=False).equal == ()


def test_a_table_for_rotations_still_says_each_twice() -> None:
    angles = torch.randn(16, 8)
    for table in (torch.cat([angles, angles], -1).cos(), angles.repeat_interleave(2, -1).sin()):
        for kind in ("signs", "blank columns", FEW):
            made = varied(table, kind)
            assert not torch.equal(made, table), kind
            in_halves = torch.equal(table[:, :8], table[:, 8:])
            pairs = (made[:, :8], made[:, 8:]) if in_halves else (made[:, ::2], made[:, 1::2])
            assert torch.equal(*pairs), kind


def test_a_padded_kind_is_told_from_others() -> None:
    assert padded(-100, is_left=False).startswith(PADDED)
    assert of_input(padded(-100, is_left=True), 2) == "padded left with -100 of input 2"
    rows = of_input(padded(-100, is_left=True, rows=True), 2)
    assert rows == "padded rows left with -100 of input 2"
    assert sets.instead(rows) == ["padded left with -100 of input 2"]
    assert sets.instead(sets.instead(rows)[0]) == []


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (8,), (2, 12), (12, 12), (3, 8, 8), (0,), (4, 0), (0, 8)], ids=str)
def test_inputs_of_all_types_and_shapes_are_looked_at(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    for drawn in (torch.ones(shape), (torch.rand(shape) < 0.4).float(), torch.rand(shape) * 9):
        for name in ("x", "mask"):
            looks = seen(drawn.to(dtype), torch.randn(8, 8), source=forward("return x != 3", "x, y"), names=f"{name} y")
            assert looks.fixed[-1:] == (1,)
        for order in (torch.int32, torch.int64) if drawn.numel() else ():
            rises = torch.randint(0, 9, drawn.shape).cumsum(-1).to(order) if shape else torch.ones((), dtype=order)
            assert seen(drawn.to(dtype), rises, fixed=False, names="x times").fixed == ()


def test_what_is_drawn_around_zero_leans_in_other_draws() -> None:
    assert seen(torch.randn(64, 64), torch.rand(64, 64)).signed == (0,)
    x = torch.randn(64, 4096)
    leaf = Leaf.of(x)
    assert LEANING in sets.kinds(0, [leaf], [leaf], "cpu", "", Looks(signed=(0,)))[0]
    assert LEANING not in sets.kinds(0, [leaf], [leaf], "cpu", "")[0], "none of it is negative"
    limited = sets.kinds(0, [leaf], [leaf], "cpu", "x.clamp(min=-2).amax(0)", Looks(signed=(0,)))[0]
    assert {ABOVE, BELOW} <= set(limited)
    assert BELOW not in sets.kinds(0, [leaf], [leaf], "cpu", "x @ x", Looks(signed=(0,)))[0]
    x[0] = 0
    assert float(varied(x, BELOW)[1:].amax()) < -1 < 1 < float(varied(x, ABOVE)[1:].amin())
    assert torch.equal(varied(x, BELOW) == 0, x == 0)
    assert torch.equal(varied(x.abs(), BELOW), x.abs())
    drawn = [varied(x, LEANING) for _ in range(40)]
    assert all(float(each.mean()) > 0.01 for each in drawn)
    assert all(torch.equal(each.abs(), x.abs()) for each in drawn)
    slopes = [float(each[:, 2048:].mean() - each[:, :2048].mean()) for each in drawn]
    assert max(slopes) > 0.02
    assert min(slopes) < -0.02
    symmetric = x[:, :64] + x[:, :64].mT
    assert all(torch.equal(each, each.mT) for each in (varied(symmetric, LEANING) for _ in range(9)))


def test_a_few_numbers_are_many_in_another_draw() -> None:
    ratings = torch.randint(0, 5, (64, 64)).float()
    assert seen(ratings, torch.randn(64, 64)).equal == (0,)
    assert len(varied(ratings, APART).unique()) > 1000
    assert seen(torch.randn(64, 64).bfloat16()).equal == (), "a type that holds few"
    turned = (torch.rand(64, 32) * 6).repeat(1, 2)
    assert seen(turned.sin(), turned.cos()).equal == (), "a rotation's"
    assert seen(turned.sin(), torch.randn(64, 64)).equal == (0,)
    halves = varied(turned.sin(), APART).chunk(2, 1)
    assert not torch.equal(*halves)


def test_what_is_nearly_one_number_spreads_in_another_draw() -> None:
    near = 10 * (1 + 0.1 * torch.rand(64, 64))
    wide = varied(near, WIDE)
    assert bool((wide > 0).all())
    assert float(wide.log2().std()) > 3
    assert WIDE in sets.instead("signs")


def test_what_is_positive_definite_is_nearly_singular_in_another_draw() -> None:
    points = torch.randn(3, 64, 64)
    kernels = points @ points.mT / 64 + torch.eye(64)
    assert seen(torch.randn(64, 64), kernels).definite == (1,)
    assert seen(points + points.mT).definite == ()
    kinds = sets.kinds(0, [Leaf.of(kernels)], [], "cpu", "", Looks(definite=(0,)))[0]
    assert of_input(SINGULAR, 0) in kinds
    near = varied(kernels, SINGULAR)
    least = torch.linalg.eigvalsh(near)[:, 0]
    assert bool((least > 0.001).all())
    assert bool((least < 0.1).all())
    assert torch.equal(near.triu(1), kernels.triu(1))
    assert torch.equal(varied(-kernels, SINGULAR), -kernels), "a draw that is none"


@pytest.mark.parametrize("kind", ["signs", "negated", "outliers", "cubed", WIDE, "small", "sparse"])
def test_what_lies_along_a_diagonal_of_what_is_inverted_stays_positive(kind: str) -> None:
    noise = torch.rand(128) + 0.2
    lays = "torch.linalg.inv(a @ a.T + torch.diag_embed({}))"
    assert seen(noise, source=lays.format("x0"), names="x0").inverted == (0,)
    assert seen(noise, source=lays.format("other"), names="x0").inverted == ()
    assert seen(noise - 0.5, source=lays.format("x0"), names="x0").inverted == (), "of both signs"
    assert seen(noise, source="a @ torch.diag_embed(x0)", names="x0").inverted == (), "nothing is inverted"
    square = torch.rand(8, 8) + 0.2
    assert seen(square, source="torch.linalg.inv(a) @ torch.diag(x0)", names="x0").inverted == (), "one is taken of it"
    assert seen(square, source=lays.format("x0"), names="x0").inverted == (0,), "one of each of its rows"
    for kind_of in (torch.complex64, torch.float8_e4m3fn):
        assert seen(noise.to(kind_of), source=lays.format("x0"), names="x0").inverted == (), "none is above zero"
    assert bool((drawn_as(noise, kind, 1, stays_definite=True) > 0).all())


@pytest.mark.parametrize("kind", ["signs", "negated", "outliers", "cubed", WIDE, "small"])
def test_what_is_factorised_stays_positive_definite(kind: str) -> None:
    points = torch.randn(24, 48)
    covariance = points @ points.T / 24
    assert seen(covariance, source="torch.linalg.solve(a, b)").inverted == (0,)
    assert seen(covariance, source="a @ b").inverted == ()
    drawn = drawn_as(covariance, kind, 1, stays_definite=True)
    assert is_definite(drawn)
    assert not is_definite(varied(covariance, "negated")), "else nothing is shown"
    once = covariance - 2 * torch.eye(24)
    assert torch.equal(drawn_as(once, kind, 1, stays_definite=True), drawn_as(once, kind, 1)), "none that is not so"


def test_rare_flags_are_none_or_all_in_some_rows_and_a_long_way_in_a_graph() -> None:
    rows = torch.rand(256, 32) < 0.3
    made = varied(rows, RARE)
    assert 8 < int((~made).all(-1).sum()) < 64
    assert 8 < int(made.all(-1).sum()) < 64
    assert not (~varied(rows, SELDOM)).all(-1).any()
    assert not varied(rows[0], RARE).any()
    assert varied(rows[0], SELDOM).any()
    seldom = varied(rows, SELDOM)
    alone = seldom[seldom.sum(-1) == 1]
    assert len(alone) > 8
    assert alone[:, 16:].any(), "not always the first"
    assert int((made.sum(-1) == 31).sum()) > 8
    assert sets.instead(of_input(RARE, 1)) == [of_input(SELDOM, 1)]
    way = varied(GRAPH.tril(-1) | GRAPH.triu(1), RARE)
    assert way[12:23].nonzero().tolist() == [[n, n + 13] for n in range(11)]
    both = varied(GRAPH | GRAPH.T, RARE)
    assert torch.equal(both, both.T)
    far = both.clone()
    for _ in range(8):
        far = far | (far.float() @ both.float() > 0)
    assert not bool(far[0].all())


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int64])
def test_integers_lie_at_either_end_of_what_they_are_drawn_from(dtype: torch.dtype) -> None:
    value = torch.randint(0, 100, (8, 64)).to(dtype)
    high, low = varied(value, HIGH), varied(value, LOW)
    assert high.dtype == low.dtype == dtype
    assert (int(high.max()), int(low.min())) == (int(value.max()), int(value.min()))
    assert int(high.min()) > 80
    assert int(low.max()) < 20
    assert torch.equal(varied(value > 50, HIGH), value > 50)
    beside = value.to(torch.uint16)
    assert torch.equal(varied(beside, HIGH), beside), "integers that have no arithmetic stay where all others change"


def test_integers_of_eight_bits_are_digits_unless_they_are_flags_or_fixed() -> None:
    bytes_, flags = torch.randint(0, 9, (8, 8)).byte(), torch.randint(0, 2, (8, 8)).byte()
    assert seen(bytes_, flags, fixed=False).digits == (0,)
    assert seen(bytes_, flags).digits == ()
    assert HIGH in sets.kinds(0, [Leaf.of(bytes_)], [], "cpu", "", Looks(digits=(0,)))[0]


def test_edges_with_numbers_are_drawn_as_a_long_way() -> None:
    links = torch.where(GRAPH, torch.rand(24, 24) + 0.5, 0)
    assert seen(links, fixed=False).flags == (0,)
    assert seen(links.tril(), fixed=False).flags == ()
    made = varied(links.fill_diagonal_(0), RARE)
    assert made[12:23].nonzero().tolist() == [[n, n + 13] for n in range(11)]
    assert torch.equal(made[:12], links[:12])


def test_what_stands_for_ignored_labels_is_no_end_of_a_range() -> None:
    labels = torch.where(torch.rand(512) < 0.1, -100, torch.randint(0, 16, (512,)))
    for kind in (HIGH, LOW):
        narrow = varied(labels, kind)
        assert torch.equal(narrow == -100, labels == -100)
        assert len(narrow.unique()) <= 4


def test_rows_of_the_least_number_unless_it_is_asked_for_or_they_are_of_edges() -> None:
    torch.manual_seed(0)
    counts, pictures = torch.randint(0, 50, (64, 32)), torch.randint(9, 256, (8, 3, 16, 16), dtype=torch.uint8)
    made = varied(counts, LEAST)
    assert bool((made == 0).all(-1).any())
    assert torch.equal(made[0], counts[0])
    grades = varied(torch.randint(0, 5, (512, 256)), LEAST)
    assert len(set(range(1, 9)) & set((grades == 4).sum(-1).tolist())) > 4, "some rows have few of the others"
    assert bool((varied(pictures, LEAST) == pictures.amin()).flatten(1).all(-1).any())
    asks = "class Model(nn.Module):\n    def forward(self, words):\n        return words != 0\n"
    for leaf, source, may in ((counts, "", True), (counts, asks, False), (torch.randint(0, 50, (2, 99)), "", False)):
        assert look([leaf], ["words"], source).least == ((0,) if may else ())


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_the_least_that_is_not_below_zero_if_there_is_one(kind: torch.dtype) -> None:
    for numbers, least in (([[3, 7], [5, 4]], 3), ([[-100, 7], [5, -1]], 5), ([[-3, -7]], -7), ([[-1, 0]], 0)):
        if kind is not torch.uint8 or min(map(min, numbers)) >= 0:
            assert least_of(torch.tensor(numbers, dtype=kind)) == least


@pytest.mark.parametrize(
    ("body", "is_asked"),
    [
        ("y.sum() + torch.nan_to_num(x, nan=0.0)", True), ("x[0].isnan().any() + y", True), ("y * (x != x)", True),
        ("y * torch.isfinite(x).all()", True), ("torch.isnan(y) + x", False), ("torch.isnan(x - y)", False),
    ],
)  # fmt: skip
def test_what_a_task_asks_for_numbers_that_are_none_has_some_alone(body: str, is_asked: bool) -> None:
    source = f"class Model(nn.Module):\n    def forward(self, x, y):\n        return {body}\n"
    drawn = [torch.randn(8, 8), torch.randn(8, 8)]
    looks = look(drawn, ["x", "y"], source, (), [torch.zeros(1)] * 2, [[torch.randn(8, 8) for _ in drawn]] * 2)
    assert (0 in looks.missing) is is_asked
    kinds = sets.kinds(0, list(map(Leaf.of, drawn)), [], "cpu", source, looks)[0]
    assert (of_input("nans", 0) in kinds) is is_asked


def test_some_inputs_alone_are_named() -> None:
    assert of_input("blank rows", 0, 2) == "blank rows of input 0, 2"
    assert split_kind("blank rows of input 0, 2") == ("blank rows", (0, 2))
    assert split_kind("blank rows") == ("blank rows", None)
