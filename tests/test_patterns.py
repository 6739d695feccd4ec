"""What inputs are drawn as along their places: in waves and orders, smooth, quiet for a while, far to one side."""

from __future__ import annotations

import pytest
import torch
from looked import correlation

from cuda_l1.correctness.sets import kinds
from cuda_l1.inputs.distributions import drawn_as, varied
from cuda_l1.inputs.fills import BLANK_SPANS
from cuda_l1.inputs.looks import Looks
from cuda_l1.inputs.operations import links
from cuda_l1.inputs.parts import (
    ALIKE,
    ALIKE_COLUMNS,
    DELAYED,
    RELATED,
    has_placed_zeros,
)
from cuda_l1.inputs.patterns import LULLS, ORDERED, PATHS, QUIET, RANKED, SIDES, SMOOTH, WAVES, WAYS
from cuda_l1.inputs.related import drawn
from cuda_l1.wire.arena import Leaf

pytestmark = pytest.mark.usefixtures("same_draws")


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
