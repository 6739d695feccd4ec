"""What inputs are drawn as that noise never is: alike beside one another, related, in waves, far to one side."""

from __future__ import annotations

import pytest
import torch
from looked import seen

from cuda_l1.correctness.sets import kinds
from cuda_l1.inputs.distributions import drawn_as, varied
from cuda_l1.inputs.fills import BLANK_SPANS, UNEVEN
from cuda_l1.inputs.looks import Looks
from cuda_l1.inputs.operations import links
from cuda_l1.inputs.parts import (
    ALIKE,
    ALIKE_COLUMNS,
    CERTAIN,
    DEAD,
    DELAYED,
    FEW,
    FEWEST,
    RELATED,
    THIN,
    has_placed_zeros,
)
from cuda_l1.inputs.patterns import LULLS, ORDERED, PATHS, QUIET, RANKED, SIDES, SMOOTH, WAVES, WAYS
from cuda_l1.inputs.redrawn import ALONE, FREE, NUDGED
from cuda_l1.inputs.related import drawn, name_some
from cuda_l1.inputs.weights import saved
from cuda_l1.wire.arena import Leaf


@pytest.fixture(autouse=True)
def _same_draws() -> None:
    torch.manual_seed(0)


def correlation(one: torch.Tensor, two: torch.Tensor) -> float:
    return float(torch.corrcoef(torch.stack([one.flatten(), two.flatten()]))[0, 1])


def test_neighbours_are_alike_in_waves() -> None:
    x, y = torch.randn(2, 64, 512)
    waves = [drawn_as(x, WAVES, seed) for seed in range(20)]
    beside = [correlation(each[:, 1:], each[:, :-1]) for each in waves]
    assert max(beside) > 0.3
    assert sum(alike > 0.1 for alike in beside) > 10
    assert correlation(waves[0], drawn_as(y, WAVES, 0)) > 0.2, "the same for all inputs of a draw"
    assert all(bool((each.abs() <= x.abs()).all()) for each in waves)
    shares = torch.rand(64, 64)
    assert bool((drawn_as(shares, WAVES, 1) > 0).all())
    symmetric = x[:, :64] + x[:, :64].mT
    waved = drawn_as(symmetric, WAVES, 1)
    assert torch.equal(waved, waved.mT)


def test_zeros_that_a_relu_leaves_say_nothing_by_where_they_are() -> None:
    x = torch.randn(64, 96)
    assert not has_placed_zeros(x)
    assert not has_placed_zeros(x.relu())
    assert not has_placed_zeros(torch.randn(2, 3, 32, 32).relu())
    picture = torch.randint(0, 256, (3, 32, 32)).float()
    assert not has_placed_zeros(picture)
    assert not has_placed_zeros(picture / 255)
    assert not has_placed_zeros(torch.randint(0, 256, (5, 1 << 20), dtype=torch.uint8).half()), "of any size"
    assert has_placed_zeros(torch.randint(1, 50, (64, 96)) * (x > 0).float()), "counts of what is there"
    assert has_placed_zeros(torch.randint(0, 10, (64, 64)).float()), "classes"
    assert has_placed_zeros(torch.randint(0, 256, (64, 64)).float().triu())
    padded = x.masked_fill(torch.arange(96) >= torch.randint(30, 90, (64, 1)), 0)
    off = x.masked_fill(torch.rand(96) < 1 / 2, 0)
    for placed in (x[:, :64].tril(), padded, off, x.relu()[:4, :8], (x > 0).float(), x * (torch.rand(64, 96) < 0.02)):
        assert has_placed_zeros(placed)
    for kind in (SMOOTH, ALIKE, PATHS[8]):
        assert not torch.equal(drawn_as(x.relu(), kind, 1), x.relu()), kind
        assert torch.equal(drawn_as(padded, kind, 1), padded), kind


def test_the_same_numbers_come_in_order() -> None:
    x = torch.randn(4, 384, 32)
    for number, (kind, along) in enumerate(zip(ORDERED, (2, 1, 0), strict=True)):
        made = drawn_as(x, kind, number)
        assert torch.equal(made.flatten().sort().values, x.flatten().sort().values), "who looks at sizes sees nothing"
        steps = made.diff(n=1, dim=along) if along != 1 else made[:, ::12].diff(dim=1)
        assert bool(((steps >= 0).all(along) | (steps <= 0).all(along)).all()), "in 32 levels of a longer row"
        least = drawn_as(x - torch.rand_like(x), kind, number)
        assert bool((least <= made).all()), "what is less than another input everywhere is so still"
    one_way, other_way = drawn_as(x, ORDERED[1], 0)[:, ::12].diff(dim=1)[:2]
    assert bool((one_way <= 0).all() and (other_way >= 0).all()) or bool(
        (one_way >= 0).all() and (other_way <= 0).all()
    )
    boxes = torch.rand(64, 4)
    assert torch.equal(drawn_as(boxes, ORDERED[0], 0).sort(0).values, boxes.sort(0).values), "a short row stays one"
    some = x[:, :, 0].relu()
    assert not torch.equal(drawn_as(some, ORDERED[0], 0) == 0, some == 0), "those that a relu leaves are no padding"
    assert torch.equal(drawn_as(x + 10, ORDERED[0], 0), x + 10), "of what is far from zero rows keep their spread"
    leaves = [Leaf.of(torch.zeros(shape)) for shape in ((64,), (64, 64), (4, 64, 64))]
    for count, leaf in enumerate(leaves, 1):
        assert [kind for kind in ORDERED if kind in kinds(0, [leaf], [leaf], "cpu", "")[0]] == list(ORDERED[:count])


@pytest.mark.parametrize("falls", [0, 1])
def test_what_stands_beside_padding_comes_in_order(falls: int) -> None:
    ends, x = (96, 60, 90, 45), torch.randn(4, 96, 32)
    x.masked_fill_(torch.arange(96)[:, None] >= torch.tensor(ends)[:, None, None], 0)
    for kind, along in ((ORDERED[0], 2), (ORDERED[1], 1)):
        made = drawn_as(x, kind, falls)
        assert torch.equal(made == 0, x == 0)
        assert torch.equal(made.sort(along).values, x.sort(along).values)
        for number, end in enumerate(ends):  # in 32 levels of 96
            steps = made[number, : end : 3 if along == 1 else 1].diff(dim=along - 1)
            assert bool((steps >= 0).all() if number % 2 != falls else (steps <= 0).all()), (kind, number)


def test_what_lies_side_by_side_is_nearly_the_same_or_comes_again() -> None:
    x, series, pictures = torch.randn(12, 2048), torch.randn(2048, 3), torch.rand(6, 3, 32, 32)
    made = drawn_as(x, SMOOTH, 1)
    assert 5 <= sum(correlation(row[1:], row[:-1]) > 0.4 for row in made) <= 7, "half of the items"
    assert all(any(correlation(row[:-p], row[p:]) > 0.9 for p in range(1, 1025)) for row in made[1::2])
    assert bool((drawn_as(series, SMOOTH, 1) != series).any()), "one item where no row is long"
    smooth = drawn_as(pictures, SMOOTH, 1)
    assert bool((smooth >= 0).all() and (smooth <= 1).all())
    triangle = torch.randn(32, 32).tril()
    assert torch.equal(drawn_as(triangle, SMOOTH, 1), triangle)
    assert torch.equal(drawn_as(x[:, :8], SMOOTH, 1).isfinite(), x[:, :8].isfinite())


def test_rows_are_those_of_another_input_some_places_later() -> None:
    x, y = torch.randn(2, 64, 256)
    made = drawn([x, y, torch.randn(64, 256, 2)], 0, DELAYED, 1, torch.nn.Module(), ())
    is_near = [any(correlation(row, its.roll(n)) > 0.9 for n in range(1, 87)) for row, its in zip(made, y, strict=True)]
    assert 20 < sum(is_near) < 44
    assert torch.equal(made[~torch.tensor(is_near)], x[~torch.tensor(is_near)])


def test_pictures_and_sound_in_few_bits_are_smooth_and_quiet_too() -> None:
    sound = torch.randint(-20000, 20000, (12, 2048), dtype=torch.int16)
    made = drawn_as(sound, SMOOTH, 1)
    assert made.dtype == sound.dtype
    assert 5 <= sum(correlation(row[1:].float(), row[:-1].float()) > 0.4 for row in made) <= 7
    assert bool((drawn_as(sound, LULLS, 1).int().abs() < 32).any(1).all())
    assert torch.equal(drawn_as(sound.int(), SMOOTH, 1), sound.int()), "which may be indices"


@pytest.mark.parametrize("kind", [LULLS, BLANK_SPANS])
def test_each_item_is_quiet_for_a_while(kind: str) -> None:
    x = torch.randn(64, 256)
    is_quiet = drawn_as(x, kind, 1).abs() < x.abs() / 2
    begins = is_quiet[:, 1:] & ~is_quiet[:, :-1]
    assert bool((begins.sum(1) + is_quiet[:, 0] == 1).all()), "one span in each"
    assert bool((is_quiet.sum(1) >= 31).all() and (is_quiet.sum(1) <= 129).all())
    assert len({*is_quiet.float().argmax(1).tolist()}) > 32, "others in each"
    pictures = torch.randn(64, 3, 32, 32)
    off = drawn_as(pictures, kind, 1).abs() < pictures.abs() / 2
    assert torch.equal(off[:, 0], off[:, 2]), "in all channels"
    assert 0.05 < float(off.float().mean()) < 0.6
    made = drawn_as(x[:64, :64] + x[:64, :64].mT, kind, 1)
    assert torch.equal(made, made.mT)


def test_what_is_near_lies_one_after_the_other_on_paths() -> None:
    boxes, x = torch.rand(128, 4), torch.randn(2, 128, 8)
    for number, kind in enumerate(PATHS):
        made = drawn_as(x, kind, 3)
        grown = torch.exp2(torch.arange(128) * (3 / 128))[:, None]  # in every other draw, from row to row
        steps = (made if number % 2 else made / grown).diff(dim=-2)
        lines = (torch.cosine_similarity(steps[:, 1:], steps[:, :-1], dim=-1) < 0.999).sum(-1)
        least, most = (2 * 16 ** (end / len(PATHS)) for end in (number, number + 1))
        assert 127 / most - 2 < int(lines[0]) < 2 * 127 / least + 2
        ordered = torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], -1)
        moved = drawn_as(ordered, kind, 3)
        assert bool((moved[:, 2:] > moved[:, :2]).all()), "a mean of boxes is one"
        assert bool((moved.amax(0) <= ordered.amax(0)).all())
        far = torch.cdist(made.double(), made.double()).add_(torch.eye(128) * 1e9)
        nearest = far.topk(2, dim=-1, largest=False).values
        assert float((nearest[..., 1] / nearest[..., 0]).min()) > 1 + 1e-6, "no two are as near"
    assert torch.equal(drawn_as(x.tril(), PATHS[0], 1), x.tril())
    assert torch.equal(drawn_as(x[:, :12], PATHS[0], 1), x[:, :12]), "no path is so short"
    assert float(drawn_as(x, PATHS[-1], 3).diff(dim=-2).norm()) < float(x.diff(dim=-2).norm())


def test_paths_come_where_a_task_has_a_loop_and_compares() -> None:
    loop = "def forward(self, x) -> Any:\n    for n in range(len(x)):\n        y = x"
    assert links(loop + " > n\n")
    assert links(loop + ".lt(n)\n")
    assert not links(loop + " << n\n")
    assert not links("def forward(self, x):\n    return x > 1\n")


def test_one_way_leads_through_all_of_a_square_matrix() -> None:
    x, y = torch.rand(3, 64, 64), torch.randn(64, 64)
    for kind, is_on in zip(WAYS, (x == drawn_as(x, WAYS[0], 5), x != drawn_as(x, WAYS[1], 5)), strict=True):
        made, at, met = drawn_as(x, kind, 5), 0, set()
        assert torch.equal(is_on, is_on[:1].expand_as(is_on)), "one for all"
        assert torch.equal(made, torch.where(is_on == (kind == WAYS[0]), x, x * 2.0**-20))
        for _ in range(64):
            met.add(at)
            at = int(is_on[0, at].nonzero())
        assert (at, len(met)) == (0, 64)
        both = y + y.T
        made = drawn_as(both, kind, 5)
        assert torch.equal(made, made.T)
        assert bool(((made == both).sum(1) == (2 if kind == WAYS[0] else 62)).all()), "both ways"
        assert torch.equal(drawn_as(y.tril(), kind, 5), y.tril())
        assert torch.equal(drawn_as(y[:32], kind, 5), y[:32])


@pytest.mark.parametrize("shape", [(2, 48, 112), (2, 112, 48), (2, 16, 17)])
def test_one_way_leads_from_rows_to_columns_and_back(shape: tuple[int, ...]) -> None:
    x = torch.rand(shape)
    is_on = x == drawn_as(x, WAYS[0], 5)
    assert torch.equal(drawn_as(x, WAYS[1], 5), torch.where(is_on, x * 2.0**-20, x))
    assert torch.equal(is_on, is_on[:1].expand_as(is_on)), "one for all"
    assert int(is_on[0].sum()) in (2 * max(shape), 2 * max(shape) - 1)
    met, rounds = torch.zeros(shape[1]), 0
    met[0] = 1
    while not met.all():
        met, rounds = is_on[0].float() @ (is_on[0].float().T @ met), rounds + 1
    assert rounds >= min(shape[1:]) // 3


def test_one_way_comes_where_a_task_has_a_loop() -> None:
    square, long = (Leaf.of(torch.empty(64, columns)) for columns in (64, 32))
    for text, is_there in (("for _ in range(9):\n            x = x @ x", True), ("x = x @ x", False)):
        source = f"class Model(nn.Module):\n    def forward(self, x):\n        {text}\n        return x\n"
        found, _ = kinds(3, [square], [square], "cpu", source)
        assert (WAYS[0] in found, WAYS[1] in found) == (is_there, is_there)
        found, _ = kinds(3, [long], [long], "cpu", source)
        assert (WAYS[0] in found, WAYS[1] in found) == (is_there, is_there)
        assert WAYS[0] not in kinds(3, [long], [long], "cpu", source, Looks(signed=(0,)))[0]


def test_given_square_matrices_keep_of_a_state_what_it_began_as() -> None:
    turns = drawn_as(torch.randn(4, 96, 8, 8), "orthogonal", 1)
    begun = state = torch.randn(4, 8, 1)
    for step in turns.unbind(1):
        state = step @ state
    assert torch.allclose(state.norm(dim=1), begun.norm(dim=1), rtol=1e-3)
    assert not torch.allclose(state, begun, rtol=0.1), "and turn it"
    stuck = drawn_as(torch.randn(4, 96, 8, 8), "sticky", 1).softmax(-1)
    assert float(stuck.diagonal(dim1=-2, dim2=-1).min()) > 0.9
    both = torch.randn(8, 8)
    for other in (torch.rand(4, 8, 8), torch.randn(4, 8, 6), both + both.mT, torch.randn(2, 128, 128)):
        assert drawn_as(other, "orthogonal", 1) is other, "of one sign, not square, symmetric, or a picture"


def test_given_square_matrices_are_such_where_a_task_has_a_recurrence() -> None:
    square, wide = (Leaf.of(torch.empty(4, 96, 8, columns)) for columns in (8, 6))
    text = "class Model(nn.Module):\n    def forward(self, a, x):\n        {}\n        return x\n"
    once, adds = "x = a @ x", "for step in a.unbind(1):\n            x = (x + step).logsumexp(1)"
    again = "for step in a.unbind(1):\n            x = step @ x"
    for leaf, loop, there in ((square, again, {"orthogonal"}), (square, adds, {"sticky", "orthogonal"}),
                              (square, once, set()), (wide, again, set())):  # fmt: skip
        found, _ = kinds(3, [leaf], [leaf], "cpu", text.format(loop), Looks(signed=(0,)))
        assert {"sticky", "orthogonal"} & set(found) == there
        assert not {"sticky", "orthogonal"} & set(kinds(3, [leaf], [leaf], "cpu", text.format(loop))[0])


def test_what_comes_last_or_first_is_quiet_along_long_dimensions() -> None:
    x = torch.randn(4, 256, 64)
    for number, kind in enumerate(QUIET):
        made = drawn_as(x, kind, 3)
        is_loud = made == x
        along = is_loud[:, :, 0] if number < 3 else is_loud.flip(1, 2)[:, :, 0]
        loud = int(along[0].sum())
        assert 1 - 16 ** ((number % 3 + 1) / 3) / 32 - 0.01 < loud / 256 < 1 - 16 ** (number % 3 / 3) / 32 + 0.01
        assert bool(along[:, :loud].all())
        assert torch.equal(made[~is_loud], x[~is_loud] / 1024)
    assert torch.equal(drawn_as(x[:, :8, :8], QUIET[0], 1), x[:, :8, :8]), "nothing is long"


def test_what_has_both_signs_is_far_to_each_side_and_what_has_one_is_near_one() -> None:
    far = varied(torch.randn(4, 256, 32), SIDES)
    items = far.flatten(1)
    assert all(bool((item >= 0).all() or (item <= 0).all()) for item in items)
    assert bool((items > 0).any() and (items < 0).any())
    assert float(torch.sigmoid(items).prod(-1).max()) == 0 or float(items.abs().mean()) > 4
    near = varied(torch.rand(4, 256, 32), SIDES)
    assert float(near.mean()) > 0.9
    assert bool((near <= 1).all())
    turned = varied(torch.randn(256, dtype=torch.complex64), SIDES)
    assert float((turned.abs() - 1).abs().max()) < 0.5


def test_columns_and_items_are_alike() -> None:
    like = varied(torch.randn(256, 2, 8, 8), ALIKE_COLUMNS).flatten(1)
    other = like - like[:1]
    assert float(torch.corrcoef(like).fill_diagonal_(0).max()) > 0.8
    assert bool((other[1:].abs().sum(-1) > 0).all()), "none are equal"
    sizes = torch.linalg.svdvals(varied(torch.randn(512, 64), ALIKE_COLUMNS))
    assert 16 < float(sizes[0] / sizes[-1]) < 1000, "near others, and not spanned by them"


def test_rows_are_near_those_of_another_tensor_and_as_long() -> None:
    x, y, centers = torch.randn(64, 32), torch.randn(64, 32), torch.nn.Linear(32, 16)
    one = drawn([x, y], 0, RELATED, 1, torch.nn.Identity(), [])
    cosines = torch.nn.functional.normalize(one, dim=-1) @ torch.nn.functional.normalize(y, dim=-1).mT
    assert int((cosines.amax(-1) > 0.95).sum()) > 16
    assert int((one == x).all(-1).sum()) > 16, "half of them stay"
    near = drawn([x], 0, RELATED, 1, centers, [])
    assert not torch.equal(near, x)
    assert torch.equal(drawn([x], 0, RELATED, 1, torch.nn.Identity(), []), x)
    assert bool((drawn([x.abs(), y], 0, RELATED, 1, torch.nn.Identity(), []) >= 0).all()), "signs that it has"


def test_in_every_draw_some_rows_are_near_what_their_label_names_and_some_near_others() -> None:
    x, labels, centers = torch.randn(512, 32), torch.randint(0, 16, (512,)), torch.nn.Linear(32, 16)
    theirs = torch.nn.functional.normalize(centers.weight.detach(), dim=-1)
    for _ in range(20):
        made = torch.nn.functional.normalize(drawn([x, labels], 0, RELATED, 1, centers, []), dim=-1) @ theirs.mT
        is_near, named = made.abs().amax(-1) > 0.95, made.abs().argmax(-1) == labels
        assert int((is_near & named & (made.amin(-1) < -0.95)).sum()) > 4, "some are opposite"
        assert int((is_near & named).sum()) > 30
    assert int((is_near & ~named).sum()) > 0


def test_in_every_draw_some_rows_are_near_what_stands_beside_them() -> None:
    x, y = torch.randn(512, 32), torch.randn(512, 32)
    for _ in range(20):
        made = torch.nn.functional.cosine_similarity(drawn([x, y], 0, RELATED, 1, torch.nn.Identity(), []), y).abs()
        assert 30 < int((made > 0.95).sum()) < 400


@pytest.mark.parametrize("seed", [0, 1])
def test_in_every_draw_some_rows_of_three_inputs_are_those_of_any_two(seed: int) -> None:
    for _ in range(10):
        some = torch.randint(0, 64, (3, 64, 128)).unbind()
        made = [drawn(some, n, RELATED, seed, torch.nn.Identity(), []) for n in range(3)]
        for one, two in ((0, 1), (0, 2), (1, 2)):
            both = torch.stack([made[one] == some[two], some[one] == made[two]]).float().mean(-1)
            assert int((both > 0.85).any(0).sum()) > 2


def test_what_a_label_names_is_the_largest_of_some_rows() -> None:
    scores, labels = torch.randn(64, 4096), torch.randint(-1, 4096, (64,))
    made = drawn([scores, labels], 0, RELATED, 1, torch.nn.Identity(), [])
    assert 8 < int((made.argmax(-1) == labels).sum()) < 60
    assert torch.equal(made.sort(-1).values, scores.sort(-1).values)
    users = torch.randint(0, 1 << 40, (2, 64))
    assert int((drawn([*users], 1, RELATED, 1, torch.nn.Identity(), []) == users[0]).sum()) > 4
    assert int((drawn([*users], 0, RELATED, 0, torch.nn.Identity(), []) == users[1]).sum()) > 4
    assert torch.equal(drawn([*users], 0, RELATED, 1, torch.nn.Identity(), []), users[0]), "of which the other is made"
    blocked = torch.randint(0, 1 << 40, (512,))
    made = drawn([users, blocked], 0, RELATED, 0, torch.nn.Identity(), [])
    assert int(torch.isin(made, blocked).sum()) > 8


def test_what_a_label_names_is_surely_guessed() -> None:
    scores, labels = torch.randn(2, 19, 64, 64), torch.randint(0, 19, (2, 64, 64))
    labels[torch.rand(2, 64, 64) < 0.1] = 255
    assert name_some([Leaf.of(scores), Leaf.of(labels)])
    made = drawn([scores, labels], 0, CERTAIN, 1, torch.nn.Identity(), [])
    losses = torch.nn.functional.cross_entropy(made, labels, ignore_index=255, reduction="none")[labels != 255]
    assert 0.7 < float((losses < 0.1).float().mean()) < 1
    shares = scores.softmax(1)
    assert float(drawn([shares, labels], 0, CERTAIN, 1, torch.nn.Identity(), []).max()) <= 1
    assert torch.equal(drawn([scores, labels[:, :7]], 0, CERTAIN, 1, torch.nn.Identity(), []), scores)
    assert not name_some([Leaf.of(scores), Leaf.of(labels[:, :7])])
    assert not name_some([Leaf.of(scores), Leaf.of(labels.float())])


@pytest.mark.parametrize("words", [24, 23, 25])
def test_what_words_name_is_the_largest_many_times_in_a_row(words: int) -> None:
    scores, said = torch.randn(512, 24, 512), torch.randint(0, 512, (512, words))
    for kind in (RELATED, CERTAIN):
        best = drawn([scores, said], 0, kind, 0, torch.nn.Identity(), []).argmax(-1)
        for first in (0, 1):
            its = said[:, first : first + 24]
            right = (best[:, : its.shape[1]] == its).long().cumprod(1).sum(1)
            assert 64 < int((right > 12).sum()) < 448, "of the same place in some texts, of the next in others"
            assert int((right < 4).sum()) > 64


def test_masks_hide_nearly_all_or_nothing() -> None:
    mask = torch.rand(64, 256) < 0.5
    assert seen(mask, names="mask").uneven == (0,)
    assert seen(mask).uneven == ()
    lengths = torch.randint(1, 256, (64,))
    assert seen(mask & (torch.arange(256) < lengths[:, None]), lengths, names="mask lengths").uneven == ()
    assert seen(torch.arange(256) < lengths[:, None], lengths // 8, names="mask eighths").uneven == ()
    assert seen(torch.arange(256) < lengths[:, None], torch.randint(0, 9, (64,)), names="mask class").uneven == (0,)
    assert seen(torch.rand(64, 256).argsort(-1) < 64, names="mask").uneven == (), "as many in each row"
    shares = varied(mask, UNEVEN).float().mean(-1)
    assert bool(((shares < 0.15) | (shares > 0.85)).all())
    assert bool(((shares > 0) & (shares < 1)).all())
    lengths = torch.randint(64, 192, (64, 1))
    for prefix in (torch.arange(256) < lengths, torch.arange(256) >= lengths):
        steps = varied(prefix, UNEVEN).int().diff()
        assert bool((steps * prefix.int().diff().sum() >= 0).all()), "one piece stays one"


def test_of_a_stack_of_masks_some_have_but_the_first_of_each_row() -> None:
    masks = torch.rand(16, 32, 32) < 0.5
    assert seen(masks, names="mask").uneven == (0,)
    for pairs in (masks[0], masks | masks.mT, masks.tril(), masks | torch.eye(32, dtype=torch.bool)):
        assert seen(pairs, names="mask").uneven == (), "what belongs together"
    made = varied(masks, UNEVEN)
    few = made.sum(-1).amax(-1) == 1
    many = (~made).sum(-1).amax(-1) == 1
    assert 0 < int((few | many).sum()) < 16
    assert bool(few.any() and many.any())
    assert torch.equal(made[few].int().argmax(-1), masks[few].int().argmax(-1))


def test_a_weight_is_near_another_one_of_its_shape() -> None:
    layers = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Linear(64, 64), torch.nn.Linear(64, 8))
    names = ["0.weight", "1.weight"]
    made, own = saved(layers, 1, names, how=RELATED), layers.state_dict()
    assert torch.equal(made["0.weight"], own["0.weight"])
    assert correlation(made["1.weight"], own["0.weight"]) > 0.6


@pytest.mark.parametrize("shape", [(16, 300), (6, 300), (6, 300, 3), (1, 64), (5,), (4, 1)])
def test_the_largest_lie_together_or_as_many_places_apart(shape: tuple[int, ...]) -> None:
    x = torch.randn(shape)
    along = max(range(len(shape)), key=lambda n: shape[n])
    steps = set()
    for seed in range(20):
        moved = drawn_as(x, RANKED, seed).movedim(along, -1).reshape(-1, shape[along])
        lines = x.movedim(along, -1).reshape(-1, shape[along])
        assert torch.equal(moved.sort(dim=-1).values, lines.sort(dim=-1).values), "no number is another"
        for line in moved if len(moved) > 7 else [half for each in moved for half in each.split(len(each) // 2 or 1)]:
            best = line.argsort(descending=True)
            steps.add(int(best[1] - best[0]) if len(best) > 1 else 1)
    extent = shape[along] if len(moved) > 7 else shape[along] // 2
    assert all(step > 0 and (step & (step - 1) == 0 or extent % step == 0) for step in steps)
    assert 1 in steps
    assert len(steps) > 2 or shape[along] <= 64


@pytest.mark.parametrize(("shape", "buckets"), [((1 << 16,), 256), ((1 << 16,), 1024), ((3, 1 << 14), 64)])
def test_in_every_draw_many_of_the_largest_of_few_rows_are_beside_one_another_and_as_far_apart(
    shape: tuple[int, ...], buckets: int
) -> None:
    for seed in range(20):
        best = drawn_as(torch.randn(shape), RANKED, seed).view(-1, shape[-1]).topk(64).indices
        for places in (best % buckets, best // (shape[-1] // buckets)):
            assert max(int(row.bincount().max()) for row in places) >= 8


def test_of_rows_of_any_length_the_largest_are_what_divides_it_apart() -> None:
    seen = 0
    for seed in range(20):
        best = drawn_as(torch.randn(8, 10000), RANKED, seed).topk(64).indices % 40
        seen += max(int(row.bincount().max()) for row in best) > 16
    assert seen > 10


def test_padding_and_triangles_stay_where_they_are_though_values_are_ranked() -> None:
    x = torch.randn(8, 64)
    assert torch.equal(drawn_as(x.tril(), RANKED, 1), x.tril())
    x[:, 40:] = 0
    assert torch.equal(drawn_as(x, RANKED, 1), x)


@pytest.mark.parametrize("kind", [RANKED, ORDERED[0], PATHS[4], SMOOTH, ALIKE, ALIKE_COLUMNS])
def test_a_number_that_is_zero_by_chance_hides_no_pattern(kind: str) -> None:
    """One in 2^24 of those that torch.randn draws is, so of large inputs mostly some are; of 16 bits one in 256."""
    x, y = torch.randn(256, 512), torch.rand(64, 256, dtype=torch.bfloat16)
    x[3, 5] = 0
    assert bool((y == 0).any())
    assert not torch.equal(drawn_as(x, kind, 1), x)
    assert not torch.equal(drawn_as(y, kind, 1), y)
    x[:, 300:] = 0
    assert torch.equal(drawn_as(x, kind, 1) == 0, x == 0), "that is padding"


def test_complex_numbers_come_in_patterns_and_related_too() -> None:
    x, y = torch.randn(2, 16, 64, 32, dtype=torch.complex64)
    for kind in (WAVES, SMOOTH, LULLS, RANKED, *ORDERED[:2], *PATHS[:2], *QUIET[:2], *QUIET[-2:]):
        made = drawn_as(x, kind, 3)
        assert made.dtype == x.dtype
        assert not torch.equal(made, x), kind
    quiet = drawn_as(x, QUIET[2], 3)
    assert bool((quiet.abs() <= x.abs()).all())
    for kind in (RELATED, DELAYED):
        made = drawn([x, y], 1, kind, 0, torch.nn.Module(), ())
        assert not torch.equal(made, y), kind


def test_numbers_with_a_few_zeros_by_chance_are_like_others() -> None:
    x = torch.randn(128, 64)
    picture = torch.randint(0, 256, (8, 3, 32, 32)).float() / 255
    for free in (x * (torch.rand(128, 64) > 0.1), x * (torch.rand(128, 64) > 0.01), x[:16, :32].relu(), picture):
        assert not has_placed_zeros(free)
    off = x * (torch.rand(128, 1) > 0.1)
    hidden = x * (1 - torch.eye(128)[:, :64])
    for placed in (off, hidden, off.mT, x[:64].triu(-1), torch.cat([torch.zeros(1, 64), x]), x * (x > 1)):
        assert has_placed_zeros(placed)


def test_rows_hold_nothing_but_what_another_input_names_or_nothing_of_it():
    words, stops = torch.randint(0, 1000, (256, 32)), torch.randperm(1000)[:300]
    source = "mean = total / count.clamp(min=1)"
    assert seen(words, stops, source=source).named_by == ((0, 1),)
    assert not seen(words, stops).named_by, "what is left of nothing has no meaning"
    made = drawn([words, stops], 0, "named alone with 1", 0, torch.nn.Module(), ())
    counts = torch.isin(made, stops).sum(1)
    assert int((counts == 32).sum()) > 8
    assert int((counts == 31).sum()) > 8
    assert int((counts == 0).sum()) > 4
    assert torch.isin(made, torch.cat([words.reshape(-1), stops])).all()
    assert not seen(words, torch.randint(0, 9, (256,)), source=source).named_by, "a label of each row"
    each = torch.randint(0, 1000, (256, 12))
    made = drawn([words, each], 0, "named alone with 1", 0, torch.nn.Module(), ())
    counts = (made[..., None] == each[:, None]).any(-1).sum(1)
    assert int((counts == 32).sum()) > 8


@pytest.mark.parametrize("how", ["", FREE, ALONE, FEW, THIN, FEWEST, NUDGED, *DEAD])
def test_rows_in_order_that_nobody_trains_stay_in_order(how: str) -> None:
    module = torch.nn.Linear(8, 8)
    module.register_buffer("knots", torch.linspace(-2.2, 2.2, 12).expand(8, -1).contiguous())
    for seed in range(16):
        knots = saved(module, seed, ["knots"], how=how)["knots"]
        assert bool((knots.diff(dim=1) >= 0).all()), (seed, knots)
