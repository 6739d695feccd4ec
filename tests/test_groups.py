"""Integers in order: which of them may be of groups of other sizes, and that these keep what they promise."""

from __future__ import annotations

import pytest
import torch

from cuda_l1.correctness.sets import kinds
from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.distributions import CROWDED, of_input, varied
from cuda_l1.inputs.groups import EMPTIED, ONE_GAP, are_in_groups, crowded, emptied, largest_group, may_be_crowded
from cuda_l1.inputs.looks import look
from cuda_l1.wire.arena import Leaf

pytestmark = pytest.mark.usefixtures("same_draws")


def owners(rows: tuple[int, ...] = ()) -> torch.Tensor:
    return torch.randint(0, 16, (*rows, 512)).sort(-1).values


def offsets() -> torch.Tensor:
    cuts = torch.randperm(510)[:31].sort().values + 1
    return torch.cat([cuts.new_zeros(1), cuts, cuts.new_full((1,), 512)])


def test_what_is_in_groups() -> None:
    for value in (owners(), owners((3,)), offsets(), offsets().int()):
        assert are_in_groups(value)
    for value in (torch.arange(64), torch.zeros(64).long(), torch.arange(0, 129, 16), torch.randint(0, 9, (64,)),
                  torch.rand(64).sort().values, torch.arange(4)):  # fmt: skip
        assert not are_in_groups(value)


def test_edges_from_one_group_to_another_say_nothing_of_groups() -> None:
    edges, given = torch.randint(0, 512, (2, 2048)), owners()
    assert may_be_crowded(given, [edges, given])
    within = torch.stack([edges[0], torch.searchsorted(given, given[edges[0]])])
    assert not may_be_crowded(given, [within, given])


@pytest.mark.parametrize("bound", [0, 100])
def test_one_group_has_most_and_each_stays(bound: int) -> None:
    for given in (owners(), owners((4,)), offsets(), offsets().int()):
        made = crowded(given, bound)
        assert made.dtype == given.dtype
        assert bool((made.diff(dim=-1) >= 0).all())
        assert torch.equal(made[..., -1:], given[..., -1:]) or given.dim() > 1
        assert largest_group(made) > 1.5 * largest_group(given) or bound
        assert not bound or largest_group(made) < bound
        assert not torch.equal(made, given)
        if given.dim() == 1:
            assert len(made.unique()) == len(given.unique())
        if bool((given.diff(dim=-1) > 0).all()):
            assert bool((made.diff(dim=-1) > 0).all()), "none is without places"
    assert torch.equal(varied(owners((2,)), below(CROWDED, 1)).diff(dim=-1).clamp_min(0).sum(), torch.tensor(30))


@pytest.mark.parametrize("bound", [0, 60])
def test_some_groups_have_none_and_the_ends_stay(bound: int) -> None:
    for given in (owners(), owners((4,)), offsets(), offsets().int()):
        made = emptied(given, bound)
        assert made.dtype == given.dtype
        assert bool((made.diff(dim=-1) >= 0).all())
        assert torch.equal(made[..., 0], given[..., 0])
        assert torch.equal(made[..., -1], given[..., -1])
        assert len(made.unique()) < len(given.unique()) or given.dim() > 1
        assert not torch.equal(made, given)
        assert not bound or largest_group(made) < max(bound, largest_group(given) + 1)


def test_only_groups_that_may_have_none_are_emptied_and_only_where_a_text_has_limits() -> None:
    places, words, own = torch.randperm(400)[:64].sort().values, torch.randn(512, 8), owners()
    places[0] = 0
    for given, may in ((own, True), (offsets(), True), (places, False)):
        seen = look([words, given], ["x", "graph"], "", ())
        assert bool(seen.hollow) == may, given
        assert not look([words, given], ["x", "graph"], "y.scatter_(0, graph, x)", ()).hollow
    leaves, seen = [Leaf.of(words), Leaf.of(own)], look([words, own], ["x", "graph"], "", ())
    for text, may in (("x.clamp(min=1)", True), ("x + 1", False)):
        assert any(kind.startswith(EMPTIED) for kind in kinds(0, leaves, [], "cpu", text, seen)[0]) == may


def test_what_others_say_of_groups() -> None:
    own, cuts = owners(), offsets()
    counts = own.bincount()
    places = torch.arange(512) - (counts.cumsum(0) - counts)[own]
    begins = places == 0
    for other in (counts, counts.cumsum(0), places, begins, own.clone(), torch.randint(0, 512, (2, 99))):
        assert not may_be_crowded(own, [own, other])
    for other in (torch.randint(0, 9, (512,)), torch.randint(0, 9, (16,)), torch.randn(512)):
        assert may_be_crowded(own, [own, other])
    words, first = torch.randint(1, 99, (512,)), cuts[:-1]
    assert may_be_crowded(first, [words, first])
    assert not may_be_crowded(first, [words.index_fill(0, first, 0), first]), "a word where each begins"
    assert may_be_crowded(first, [words, first, torch.randint(0, 99, (16,))]), "too few to say anything of them"
    assert not may_be_crowded(first, [words, first, torch.randint(0, 99, first[1:].shape)])


def test_what_is_in_order_beyond_all_extents_may_be_times_with_one_gap() -> None:
    some, others = (torch.randint(0, 10**6, (count,)).sort().values for count in (512, 64))
    assert look([some, others, torch.randn(512)], ["a", "b", "x"], "", ()).times == (0, 1)
    assert look([some, some + 9], ["starts", "ends"], "", ()).times == ()
    assert look([owners(), torch.randn(512)], ["graph", "x"], "", ()).times == ()
    assert look([some, (some + 9).to(torch.uint32)], ["starts", "ends"], "", ()).times == ()
    for times in (some, some.int(), some.view(4, 128)):
        made = varied(times, ONE_GAP)
        assert made.dtype == times.dtype
        assert torch.equal(made[..., 0], times[..., 0])
        assert torch.equal(made[..., -1], times[..., -1])
        assert bool((made.diff() >= 0).all())
        assert bool((2 * made.diff().amax(-1) > times[..., -1] - times[..., 0]).all())


def test_what_is_called_offsets_may_have_groups_without_any() -> None:
    first = offsets()[:-1]
    for name, may in (("offsets", True), ("row_ptr", True), ("places", False), ("strips", False)):
        assert bool(look([torch.randn(512, 8), first], ["x", name], "", ()).hollow) == may, name


def test_groups_stay_below_what_the_module_is_made_with() -> None:
    own = owners()
    for init, bound in (((), 512), ((100,), 100)):
        seen = look([torch.randn(512, 8), own], ["x", "graph"], "", init)
        assert seen.groups == ((1, bound),)
        sets = kinds(0, [Leaf.of(torch.randn(512, 8)), Leaf.of(own)], [], "cpu", "", seen)[0]
        assert of_input(below(CROWDED, bound), 1) in sets
