"""What integers are drawn as that chance never is: again, in order, another input's, in long ways."""

from __future__ import annotations

import pytest
import torch
from looked import seen

from cuda_l1.correctness.sets import instead, kinds
from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.distributions import of_input, varied
from cuda_l1.inputs.fills import AGAIN, HIGH, IN_ORDER, LOW, MANY_BITS, SOME_AGAIN
from cuda_l1.inputs.integers import are_merges, comes_again, is_apart, leads_on
from cuda_l1.inputs.looks import look
from cuda_l1.inputs.named import may_be_named_by
from cuda_l1.inputs.operations import shifts_bits
from cuda_l1.inputs.parts import RELATED
from cuda_l1.inputs.related import drawn, keep_spans
from cuda_l1.wire.arena import Leaf

pytestmark = pytest.mark.usefixtures("same_draws")


def places_of_one() -> list[torch.Tensor]:
    """Coordinates, and one place of each column: integers that come again in a row, and never name one place twice."""
    return [torch.randint(0, 16, (3, 600)), torch.randint(0, 32, (16, 2, 200)), torch.rand(64, 96).argsort(0)[:32]]


def test_flags_and_rows_of_integers_lie_in_areas() -> None:
    flags, labels = torch.rand(8, 64, 32) < 0.5, torch.randint(0, 100, (8, 64, 32))
    for value in (flags, flags.float(), labels):
        made = varied(value, AGAIN)
        areas = made.unfold(1, 5, 1).unfold(2, 5, 1).flatten(3).float()
        assert made.dtype == value.dtype
        assert bool((areas.amin(-1) == areas.amax(-1)).any())
    picture = torch.rand(64, 64) < 0.5
    areas = varied(picture, AGAIN).unfold(0, 5, 1).unfold(1, 5, 1).flatten(2).float()
    assert bool((areas.amin(-1) == areas.amax(-1)).any())
    for graph in (torch.rand(64, 64).tril() > 0.5, (torch.rand(8, 64, 64) < 0.5) | torch.eye(64, dtype=torch.bool)):
        assert torch.equal(varied(graph, AGAIN), graph)


def test_integers_add_up_to_their_last_in_some_rows() -> None:
    one, two = torch.randint(0, 10, (256, 64)), torch.randint(0, 10, (256, 64))
    made = drawn([one, two], 1, RELATED, 1, torch.nn.Identity(), [])
    nines = (one + made == 9).float().mean(-1)
    assert 32 < int((nines > 3 / 4).sum()) < 128
    wide = torch.randint(0, 1 << 16, (2, 256, 64)).clamp(max=65530)
    made = drawn([*wide], 1, RELATED, 1, torch.nn.Identity(), [])
    assert 32 < int(((wide[0] + made == 65535).float().mean(-1) > 3 / 4).sum()) < 128, "though that was not drawn"
    assert int(made.max()) <= 65530


def test_pictures_in_bytes_are_like_others_in_whole_areas() -> None:
    one, two = torch.randint(0, 256, (2, 64, 3, 32, 32), dtype=torch.uint8)
    assert RELATED in kinds(0, [Leaf.of(one), Leaf.of(two)], [], "cpu", "", seen(one, two))[0]
    made = drawn([one, two], 1, RELATED, 1, torch.nn.Identity(), [])
    alike = (made == one).float().mean((-2, -1))
    assert 8 < int((alike > 0.98).sum()) < 96
    assert torch.equal(drawn([one, two], 0, RELATED, 1, torch.nn.Identity(), []), one)


@pytest.mark.parametrize("shape", [(), (1, 1), (64, 1), (64, 2), (3, 64), (0, 8), (4, 0, 8)])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int16, torch.int64])
def test_integers_of_any_shape_may_be_another_inputs(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    one, two = torch.randint(0, 100, (2, *shape)).to(dtype)
    made = drawn([one, two], 1, RELATED, 1, torch.nn.Identity(), [])
    assert (made.shape, made.dtype) == (shape, dtype)
    assert torch.equal(made, two) == (two.numel() < 2 or (dtype is torch.int64 and shape[-1] < 4))


def test_integers_in_no_order_come_in_order() -> None:
    prices = torch.randint(0, 1000, (64, 96))
    assert seen(prices).unordered == (0,)
    assert of_input(IN_ORDER, 0) in kinds(0, [Leaf.of(prices)], [], "cpu", "", seen(prices))[0]
    made = varied(prices, IN_ORDER)
    assert torch.equal(made.sort(-1).values, prices.sort(-1).values)
    steps = made.diff(dim=-1)
    assert int((steps >= 0).all(-1).sum()) == int((steps <= 0).all(-1).sum()) == 32
    shuffled = torch.rand(4, 96).argsort(-1)
    assert seen(shuffled).unordered == (0,), "a permutation is one still"
    written = "out.scatter_(1, i, x)"
    assert seen(prices, source=written).unordered == (0,)
    assert seen(prices, prices.flip(0), source=written).unordered == (), "two that may name one place"
    for places in places_of_one():
        assert seen(places, source=written).unordered == ()
    assert seen(torch.randint(0, 96, (96,))).unordered == (), "a table of what follows"
    assert seen(prices.sort(-1).values).unordered == ()


def test_integers_come_again_unless_each_comes_once() -> None:
    owners, order = torch.randint(0, 1 << 40, (512,)), torch.randperm(512)
    assert seen(owners).again == (0,)
    assert AGAIN in kinds(0, [Leaf.of(owners)], [], "cpu", "", seen(owners))[0][0]
    again = varied(owners, AGAIN)
    assert set(again.tolist()) <= set(owners.tolist())
    assert int((again[1:] == again[:-1]).sum()) > 64
    assert int(again.unique(return_counts=True)[1].max()) > 64
    assert seen(order).again == (), "a permutation"
    assert seen(torch.arange(0, 512, 8)).again == (), "offsets"
    for places in ("out.scatter_(1, i, x)", "out[i] = x", "for t in x:\n    out[t] = x"):
        assert seen(owners, source=places).again == (), "places that are written to"
        sizes = torch.randint(1, 100, (64, 96))
        assert seen(sizes, source=places).again == (0,), "no such places, for these come again as they are drawn"
        assert seen(sizes, sizes.flip(0), source=places).again == (), "two may name one place together"
        for its in places_of_one():
            assert seen(its, source=places).again == ()
    for places in ("out[i] = 0", "out[i == 3] = -1e9"):
        assert seen(owners, source=places).again == (0,), "the same whatever comes last"
    assert seen(owners, source="for t in range(8):\n    out[:, t] = x\nout[0] = 1").again == (0,)
    assert seen(torch.tensor([[1, 3, 2, 2], [2, 2, 3, 1]]), torch.randn(8)).again == (), "counts of eight"
    assert seen(torch.randint(0, 16, (512,)).sort().values).again == (), "segments"
    experts = torch.randint(0, 16, (512,))
    assert seen(experts, torch.randn(512)).again == (0,)
    assert seen(experts, experts > 8).again == (), "which may say what they are"
    assert seen(experts, torch.randn(512) < 0).again == (0,), "which says nothing of them"
    assert seen(experts, torch.randn(64) < 0).again == (), "which may say what they are, of another shape"
    assert seen(owners, torch.randn(512) < 0).again == (0,)
    padded = torch.where(torch.arange(64) < torch.randint(32, 60, (16, 1)), torch.randint(1, 9999, (16, 64)), 0)
    assert seen(padded).again == ()
    one, two = torch.randint(0, 512, (2, 64))
    assert seen(torch.stack([torch.cat([one, two]), torch.cat([two, one])])).again == (), "edges both ways"
    assert seen(torch.stack([one, two])).again == (0,)
    assert seen((torch.rand(512) * torch.arange(512)).long()).again == (), "parents"


def test_trees_neighbours_and_pairs_have_long_ways() -> None:
    tree, near = (torch.rand(512) * torch.arange(512)).long(), torch.randint(0, 512, (512, 3))
    pairs, forest = torch.randint(0, 256, (1024, 2)), torch.randint(0, 512, (512,))
    for value in (tree, near, pairs):
        assert leads_on(value)
        assert seen(value).ways == (0,)
        assert f"{AGAIN} of input 0" in kinds(0, [Leaf.of(value)], [], "cpu", "", seen(value))[0]
    assert torch.equal(varied(tree, AGAIN)[256:], torch.arange(255, 511))
    assert torch.equal(varied(tree, AGAIN)[:256], tree[:256])
    assert torch.equal(varied(near, AGAIN)[256:511, 0], torch.arange(257, 512).clamp_max(near.max()))
    assert torch.equal(varied(forest, AGAIN)[256:511], torch.arange(257, 512).clamp_max(forest.max()))
    steps = varied(pairs, AGAIN)
    assert int((steps[:, 1] == steps[:, 0] + 1).sum()) > 100
    both = torch.stack([torch.arange(512).roll(1), torch.arange(512).roll(-1)], 1)
    assert not leads_on(both), "neighbours of their neighbours"
    assert not leads_on(torch.randint(0, 9, (512,)))
    assert seen(tree, tree % 7).ways == (), "which another may say"


def test_what_labels_say_of_a_graph() -> None:
    edges, labels = torch.randint(0, 512, (2, 2048)), torch.randint(0, 40, (512,))
    assert is_apart(edges, labels)
    assert is_apart(edges.mT, labels)
    owners = labels.sort().values
    assert is_apart(edges, owners), "they lead from one graph of a batch to another"
    within = torch.stack([edges[0], torch.searchsorted(owners, owners[edges[0]])])
    assert not is_apart(within, owners), "which graph each node is of"
    assert not is_apart(edges, torch.randint(0, 2048, (513,)).sort().values), "where each node's begin"
    assert not is_apart(edges, edges[0].bincount(minlength=512)), "how many edges each has"
    assert not is_apart(edges // 2 * 2, torch.arange(512) % 2), "the same at both ends"
    assert not is_apart(edges, torch.randint(0, 40, (64,)))
    words, lengths = torch.randint(0, 500, (64, 32)), torch.randint(1, 33, (64,))
    assert is_apart(words, lengths)
    assert is_apart(words, torch.randint(0, 400, (64,))), "classes"
    assert not is_apart(words % lengths[:, None], lengths), "places within rows"
    assert not is_apart(words, words[:, -1]), "the last of them"
    assert not is_apart(torch.rand(64) < 0.5, torch.rand(64) < 0.5), "two masks"
    assert not is_apart(torch.rand(2, 50) < 0.5, torch.tensor([9, 5])), "a mask of two rows beside lengths"
    assert not is_apart(edges.to(torch.uint16), labels.to(torch.uint16)), "integers that have no arithmetic"
    assert not is_apart(torch.randn(64, dtype=torch.complex64), torch.rand(64) < 0.5), "numbers that have no order"
    assert not is_apart(torch.randint(0, 2, (2, 40)), torch.rand(16, 12) < 0.5), "flags name no nodes, be these but two"


def test_what_is_said_of_edges() -> None:
    edges, kinds = torch.randint(0, 512, (2, 2048)), torch.randint(0, 4, (2048,))
    assert is_apart(edges, kinds)
    assert not is_apart(edges, (edges[0] < edges[1]).long()), "which way they lead"
    assert not is_apart(edges, edges[1] // 256 * 2 + kinds // 2), "what they lead to"
    assert not is_apart(edges, kinds.sort().values)
    assert is_apart(edges, torch.randint(0, 512, (32,))), "some nodes"
    assert not is_apart(edges, torch.full((32,), 16)), "of how many graphs of so many nodes"
    assert is_apart(edges, torch.rand(512) < 0.5), "flags of nodes"


def test_rows_of_two_lengths() -> None:
    text, words = torch.randint(0, 50, (64, 256)), torch.randint(0, 50, (64, 24))
    assert is_apart(text, words)
    assert is_apart(words, text)
    assert not is_apart(text, text[:, 100:124]), "a part of it"
    places = torch.randint(0, 256, (64, 24))
    assert is_apart(text, places)
    assert not is_apart(text.scatter(1, places, 0), places), "where something stands"
    counts = torch.nn.functional.one_hot(text, 50).sum(1)
    assert not is_apart(text, counts)
    found = [drawn([text, words], 0, RELATED, seed, torch.nn.Module(), ()) for seed in (0, 2, 4, 6)]
    again = words[:, torch.arange(256) % 24]
    moved = [max(float((each.roll(n, 1) == again).float().mean(1).max()) for n in range(256)) for each in found]
    assert min(moved) > 0.8, "some rows of it are nearly the other's, again and again"


@pytest.mark.parametrize(("shape", "most"), [((4, 1024), 1000), ((128,), 120), ((1000, 5), 900)])
def test_integers_that_come_again_stay_among_those_that_were_drawn(shape: tuple[int, ...], most: int) -> None:
    given = torch.randint(0, most, shape)
    for _ in range(8):
        made = varied(given, AGAIN)
        assert given.min() <= made.min()
        assert made.max() <= given.max()


def test_some_rows_are_in_runs() -> None:
    tokens, bytes_ = torch.randint(0, 50, (32, 256)), torch.randint(0, 250, (32, 256), dtype=torch.uint8)
    for value in (tokens, bytes_):
        same = (varied(value, AGAIN).diff(dim=1) == 0).float().mean(1)
        assert 4 < int((same > 0.8).sum()) < 28
        assert f"{AGAIN} of input 0" in kinds(0, [Leaf.of(value)], [], "cpu", "", seen(value))[0]
    one = varied(tokens[0], AGAIN)
    assert float((one[128:].diff() == 0).float().mean()) > 0.8 > float((one[:128].diff() == 0).float().mean())


def test_words_of_a_text_stay_where_a_table_has_as_many_blocks() -> None:
    words = torch.randint(1, 257, (32,))
    blocks = torch.arange(16)[None] < (words[:, None] + 15) // 16
    table = torch.where(blocks, torch.randint(0, 200, (32, 16)), -1)
    assert seen(words, table).again == ()
    assert seen(words.flip(0), table).again == (0,), "which says nothing of them"


def test_some_rows_have_few_integers_each_many_times() -> None:
    ids = torch.randint(0, 1 << 30, (64, 96))
    made = varied(ids, AGAIN)
    counts = [len(row.unique()) for row in made]
    assert any(8 < count < 32 for count in counts)
    milder = varied(ids, SOME_AGAIN)
    counts = [len(row.unique()) for row in milder]
    assert 16 < sum(count == 96 for count in counts) < 48
    assert min(counts) >= 10
    assert any(count < 24 for count in counts)
    assert bool(torch.isin(milder, ids).all())
    assert instead(f"{AGAIN} of input 1") == [f"{SOME_AGAIN} of input 1"]
    assert torch.equal(varied(ids[0], SOME_AGAIN), ids[0]), "a single row"


def test_in_a_graph_some_are_far_from_one_another() -> None:
    edges = torch.randint(0, 400, (2, 2000))
    again = varied(edges, AGAIN)
    assert int((again[0] == again[1]).sum()) > 64, "edges from a node to itself"
    reached, steps = torch.zeros(400).scatter(0, again[0, :1], 1.0), 0
    while not torch.equal(more := reached.scatter_reduce(0, again[1], reached[again[0]], "amax"), reached):
        reached, steps = more, steps + 1
    assert steps > 100
    assert int(again.min()) >= 0
    assert int(again.max()) < 400


def test_rows_of_integers_are_another_inputs_some_places_later() -> None:
    torch.manual_seed(0)
    one, two = torch.randint(0, 1000, (2, 64, 48))
    made = drawn([one, two], 0, RELATED, 0, torch.nn.Identity(), ())
    ahead = [float((made == two.roll(shift, -1)).float().mean()) for shift in range(17)]
    assert 1 / 5 < ahead[0] < 2 / 5
    assert int(((made == two).float().mean(-1) > 0.8).sum()) > 8, "nearly all in the same places"
    assert 1 / 6 < max(ahead[1:]) < 3 / 4


def test_few_letters_are_neither_padded_nor_in_order_by_chance() -> None:
    for _ in range(20):
        one, two, bits = torch.randint(0, 4, (256,)), torch.randint(0, 4, (256,)), torch.randint(0, 2, (1024,))
        assert seen(one, two).again == (0, 1)
        assert seen(bits).again == (0,)
        assert seen(torch.randint(0, 2, (64, 256), dtype=torch.int32)).again == (0,)
        assert seen(torch.randint(0, 4, (64, 8))).again == (0,)
    some_in_order = torch.cat([torch.randint(0, 9999, (8, 64)).sort(-1).values, torch.randint(0, 9999, (8, 64))])
    letters = torch.randint(1, 5, (64, 128))
    padded = torch.where(torch.arange(128) < torch.randint(10, 129, (64, 1)), letters, 0)
    assert not seen(some_in_order).again
    assert not seen(padded).again


def test_short_rows_come_again_as_they_are() -> None:
    corner, size = torch.randint(0, 200, (512, 2)), torch.randint(8, 32, (512, 2))
    boxes, cells = torch.cat([corner, corner + size], 1), torch.randint(0, 2000, (1024, 3))
    for rows in (boxes, cells):
        looks = seen(rows)
        assert (looks.again, looks.ways) == ((), (0,))
        made = varied(rows, AGAIN)
        assert len(made.unique(dim=0)) < 0.8 * len(rows.unique(dim=0))
        assert bool((made[:, None] == rows).all(-1).any(-1).all())
    named = torch.randperm(2000)[:512, None]
    assert not seen(torch.cat([named, corner], 1)).ways


def test_rows_of_bytes_of_other_lengths_are_related() -> None:
    one, two = (torch.randint(0, 4, (64, n), dtype=torch.uint8) for n in (256, 128))
    made = drawn([one, two], 1, RELATED, 1, torch.nn.Module(), ())
    assert int(((made == one[:, :128]).float().mean(-1) > 0.8).sum()) > 4


def test_what_begins_ends_no_earlier() -> None:
    starts = torch.randint(0, 900, (8, 40))
    ends = starts + torch.randint(1, 124, (8, 40))
    x = torch.randn(8, 1024)
    looks = seen(x, ends, starts)
    assert looks.spans == (2, 1)
    assert seen(starts, starts + 1000).spans == (), "those that are larger throughout"
    assert seen(starts, torch.randint(0, 1000, (8, 40))).spans == (), "others"
    assert seen(starts, ends.int()).spans == (), "of another type"
    assert seen(starts, starts.clone()).spans == (), "the same"
    targets = [x.clone(), torch.randint(0, 900, (8, 40)), torch.randint(0, 900, (8, 40))]
    both = torch.stack(targets[1:]).sort(0).values
    keep_spans(targets, looks.spans)
    assert torch.equal(targets[2], both[0])
    assert torch.equal(targets[1], both[1])
    assert torch.equal(targets[0], x)


def test_a_row_of_another_length_says_nothing() -> None:
    orders, payments = torch.randint(0, 500, (1500,)), torch.randint(0, 500, (900,))
    assert is_apart(orders, payments)
    assert is_apart(payments, orders)
    days = torch.randint(0, 64, (32, 500))
    assert is_apart(days, torch.tensor([9, 61, 3, 40, 22]))
    assert not is_apart(days, torch.tensor([3, 9, 22, 40, 61])), "edges of bins"
    assert not is_apart(days, torch.tensor([250, 13, 100, 37, 100])), "of how many items there are so many"
    assert not is_apart(torch.randint(0, 8, (512,)), torch.randint(0, 8, (128,))), "of four each"
    assert not is_apart(orders, torch.randint(0, 1500, (4001,))), "which order each is of"
    allowed = torch.randint(0, 5000, (40,))
    assert not is_apart(allowed[torch.randint(0, 40, (33, 64))], allowed), "some of these alone"


def test_the_sides_of_a_join_meet_often() -> None:
    sides, often = [torch.randint(0, 50000, (1500,)), torch.randint(0, 50000, (900,))], 0
    for seed in range(12):
        made = [drawn(sides, at, RELATED, seed, torch.nn.Identity(), []) for at in range(2)]
        met = (made[0][:, None] == made[1]).sum(1)
        often += int(met.max()) > 16 and int((met > 0).sum()) > 200
    assert often > 3, "unless the most frequent one is another on its own side"


def merges_of(leaves: int) -> torch.Tensor:
    free, pairs = list(range(leaves)), []
    for number in range(leaves - 1):
        one, two = torch.randperm(len(free))[:2].tolist()
        pairs.append([free[one], free[two]])
        free[one] = leaves + number
        free.pop(two)
    return torch.tensor(pairs)


def test_what_is_made_of_what_was_made_comes_as_one_long_chain() -> None:
    merges = merges_of(64)
    gates = (torch.rand(200, 2) * (32 + torch.arange(200))[:, None]).long()
    assert leads_on(merges)
    assert leads_on(gates)
    assert not are_merges(torch.randint(0, 200, (200, 2))), "edges"
    tree, circuit = varied(merges, AGAIN), varied(gates, AGAIN)
    places = torch.arange(63)
    assert bool((tree < 64 + places[:, None]).all())
    assert torch.equal(tree.flatten().sort().values, torch.arange(126)), "each is put to one place"
    assert bool((tree[1:] == 64 + places[:-1, None]).any(1).all())
    assert bool((circuit < 32 + torch.arange(200)[:, None]).all())
    assert bool((circuit[100:] == 32 + torch.arange(99, 199)[:, None]).any(1).all())
    letters = torch.randint(0, 4, (64, 24))
    assert is_apart(letters, merges)
    assert is_apart(merges, letters)
    assert not is_apart(merges, torch.randint(0, 4, (63, 24))), "which may say how each pair is merged"


def test_edges_that_lead_to_what_comes_later_do_so_in_all_draws() -> None:
    edges = torch.randint(0, 200, (2, 500))
    edges[1] += edges[0] == edges[1]
    edges = edges.sort(0).values
    for kind in (AGAIN, IN_ORDER, HIGH, LOW):
        for pairs in (edges, edges.flip(0), edges.T.contiguous()):
            along = 0 if len(pairs) == 2 else 1
            made = varied(pairs, kind)
            assert bool((made.diff(dim=along).sign() == pairs.diff(dim=along).sign()).all())
            assert kind == IN_ORDER or not torch.equal(made, pairs)
    assert bool((varied(torch.randint(0, 200, (2, 500)), AGAIN).diff(dim=0) < 0).any())


def test_some_words_have_many_bits() -> None:
    places = torch.arange(48)
    words = ((torch.rand(512, 48) < 0.1).long() << places).sum(1)
    made = ((varied(words, MANY_BITS)[:, None] >> places) & 1).sum(1)
    assert int(made.max()) == 48
    assert 128 < int((made > 12).sum()) < 320
    bytes_ = torch.randint(0, 16, (64, 64), dtype=torch.uint8)
    assert int(varied(bytes_, MANY_BITS).max()) == 15
    signed = torch.randint(-128, 128, (512,), dtype=torch.int8)
    assert int((varied(signed, MANY_BITS) == -1).sum()) > 32
    leaf = [Leaf.of(words)]
    assert of_input(MANY_BITS, 0) in kinds(0, leaf, [], "cpu", "bits = (words[:, None] >> places) & 1", seen(words))[0]
    assert of_input(MANY_BITS, 0) not in kinds(0, leaf, [], "cpu", "words.float() + (1 << 40)", seen(words))[0]


def test_bits_of_classes_make_no_other_class_and_what_is_ignored_has_none() -> None:
    classes = torch.randint(0, 10, (2048,))
    assert int(varied(classes, MANY_BITS).max()) == 9
    ignored = torch.where(torch.rand(2048) < 1 / 4, -100, classes)
    made = varied(ignored, MANY_BITS)
    assert torch.equal(made == -100, ignored == -100)
    assert int(made[made != -100].min()) >= 0
    assert not torch.equal(made, ignored)


def test_keys_that_are_named_stay_and_what_names_them_names_others_of_them() -> None:
    keys = torch.randperm(100_000)[:60]
    named = keys[torch.randint(0, 50, (500,))]
    assert seen(named, keys).again == (0,)
    assert seen(keys, named).again == (1,)
    given = [torch.randint(0, 100_000, (300,)), named, keys]
    made = drawn(given, 1, RELATED, 0, None, ())
    assert bool(torch.isin(made, keys).all())
    assert not torch.equal(made, named)
    assert seen(torch.randint(0, 300, (500,)), torch.randint(0, 300, (60,))).again == (0, 1)


def test_where_lists_begin_says_which_they_are_though_some_are_empty() -> None:
    way = torch.arange(64)
    after = torch.where(way % 4 < 3, way + 1, -1)
    heads = torch.where(torch.arange(20) < 16, 4 * torch.arange(20), -1)[torch.randperm(20)]
    assert not is_apart(after, heads)
    assert is_apart(after, torch.randint(0, 64, (20,)))


@pytest.mark.parametrize(
    "text", ["x = words & (words - 1)", "at = w[:, 0] >> 4", "on = (words & (1 << at)) != 0", "b & 128"]
)
def test_bits_mean_something_where_they_are_shifted_or_masked(text: str) -> None:
    assert shifts_bits(text)
    assert not shifts_bits("torch.full((2,), 1 << 40) * ((a == b) & (c > 1) & (d - 1 > e))")


def test_lists_that_end_become_one_list_of_all() -> None:
    order, following = torch.randperm(300), torch.full((300,), -1)
    following[order[:-1]] = torch.where(torch.rand(299) < 0.8, order[1:], -1)
    made = varied(following, AGAIN)
    at, steps = int(torch.nonzero(~torch.isin(torch.arange(300), made))), 0
    while at >= 0:
        at, steps = int(made[at]), steps + 1
    assert steps == 300
    assert is_apart(following, torch.randint(0, 300, (64,)))
    heads = torch.nonzero(~torch.isin(torch.arange(300), following))[:, 0]
    assert not is_apart(following, heads[torch.randperm(len(heads))]), "where they begin"
    assert not comes_again(following), "no two lists meet"


def test_keys_of_chains_stay_though_not_all_that_is_wanted_is_there() -> None:
    keys = torch.randperm(1 << 20)[:512].clone()
    bucket = keys % 32
    order = bucket.sort(stable=True).indices
    same = bucket[order][1:] == bucket[order][:-1]
    following, heads = torch.full((512,), -1), torch.full((32,), -1)
    following[order[:-1]] = torch.where(same, order[1:], -1)
    first = torch.cat([torch.ones(1, dtype=torch.bool), ~same])
    heads[bucket[order][first]] = order[first]
    there = keys[torch.randint(0, 512, (256,))]
    wanted = torch.where(torch.rand(256) < 0.5, there, torch.randint(0, 1 << 20, (256,)))
    source = "def forward(self, heads, following, keys, wanted):\n    found = heads == -1\n    return keys + wanted"
    looks = seen(heads, following, keys, wanted, names="heads following keys wanted", source=source)
    assert not looks.tokens, "a chain that is not there leaves keys that no chain holds"
    assert looks.again == (3,)
    others = torch.randint(0, 1 << 20, (256,))
    assert 2 in seen(heads, following, keys, others, names="heads following keys wanted").again, "nothing names these"


def test_few_labels_of_many_classes_are_no_words_by_all_draws_together() -> None:
    source = "def forward(self, labels):\n    return labels >> 1"
    draws = [[torch.randint(0, 1000, (100,))] for _ in range(8)]
    looks = look(draws[-1], ["labels"], source, others=draws[:-1])
    [(index, end)] = looks.ends
    assert index == 0
    assert 900 < end <= 1000
    asked = kinds(0, [Leaf.of(draws[0][0])], [], "cpu", source, looks)[0]
    assert of_input(below(MANY_BITS, end), 0) in asked
    assert int(varied(torch.arange(100), below(MANY_BITS, end)).max()) < end
    words = [[torch.randint(0, 1024, (100,))] for _ in range(8)]
    assert look(words[-1], ["words"], source, others=words[:-1]).ends == ((0, 0),)


def test_a_single_number_names_no_rows() -> None:
    words = torch.randint(0, 50, (16, 12))
    assert not may_be_named_by(words, [words, torch.tensor(7)], 1)
