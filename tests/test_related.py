"""What inputs are drawn as that noise never is: alike beside one another, related, of few rows, what labels name."""

from __future__ import annotations

import pytest
import torch
from looked import correlation, seen

from cuda_l1.correctness.sets import kinds
from cuda_l1.inputs.distributions import drawn_as, varied
from cuda_l1.inputs.fills import UNEVEN
from cuda_l1.inputs.looks import Looks
from cuda_l1.inputs.parts import (
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
from cuda_l1.inputs.redrawn import ALONE, FREE, NUDGED
from cuda_l1.inputs.related import drawn, name_some
from cuda_l1.inputs.weights import saved
from cuda_l1.wire.arena import Leaf

pytestmark = pytest.mark.usefixtures("same_draws")


def test_rows_are_those_of_another_input_some_places_later() -> None:
    x, y = torch.randn(2, 64, 256)
    made = drawn([x, y, torch.randn(64, 256, 2)], 0, DELAYED, 1, torch.nn.Module(), ())
    is_near = [any(correlation(row, its.roll(n)) > 0.9 for n in range(1, 87)) for row, its in zip(made, y, strict=True)]
    assert 20 < sum(is_near) < 44
    assert torch.equal(made[~torch.tensor(is_near)], x[~torch.tensor(is_near)])


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
