"""What weights and buffers are drawn as otherwise, and in which of their places."""

from __future__ import annotations

import pytest
import torch

from cuda_l1.inputs.distributions import (
    in_half,
    varied,
)
from cuda_l1.inputs.fills import FILLS
from cuda_l1.inputs.operations import reaches
from cuda_l1.inputs.parts import BLENDED, DEAD, FEW, FEWEST, MOVED, OUTLYING, SHUFFLED, THIN, TURNED, in_part, mixed
from cuda_l1.inputs.redrawn import (
    ALONE,
    BOLD,
    BOLDEST,
    CAUTIOUS,
    FAR,
    FREE,
    LARGE,
    LOOSE,
    NUDGED,
    PERMUTED,
    SMALL,
    STEEP,
    TRADED_COLUMNS,
    TRADED_ROWS,
    WITH_ZEROS,
    other_weights,
)
from cuda_l1.inputs.squares import ALIGNED, ORTHOGONAL, STICKY
from cuda_l1.inputs.weights import saved


@pytest.mark.parametrize(("cell", "how", "kind"), [(torch.nn.LSTM, FAR, "own"), (torch.nn.GRU, FAR, "own"),
                                                   (torch.nn.RNN, STEEP, "small")])  # fmt: skip
def test_a_recurrence_remembers_under_such_weights_alone(cell: type[torch.nn.RNNBase], how: str, kind: str) -> None:
    """The first 96 of 192 steps: nothing of them is left under others, 1e-4 of an output passes."""
    torch.manual_seed(0)
    module, inputs = cell(32, 64).double(), varied(torch.randn(192, 8, 32, dtype=torch.float64), kind)
    module.requires_grad_(False)
    forgotten = []
    for each in (BOLD, how):
        for value in module.parameters():
            value.copy_(other_weights(value, each, is_trained=True))
        whole, late = module(inputs)[0][-1], module(inputs[96:])[0][-1]
        forgotten.append(float((whole - late).norm() / whole.norm()))
    assert forgotten[0] < 1e-9
    assert forgotten[1] > 1e-3


def test_weights_are_changed_in_some_rows_and_not_the_first() -> None:
    value, other = torch.zeros(8), torch.ones(8)
    for _ in range(20):
        changed = in_part(value, other)
        assert changed[0] == 0
        assert 0 < changed.sum() < 8
    assert torch.equal(in_part(torch.zeros(1, 3), torch.ones(1, 3)), torch.ones(1, 3))
    edges = torch.arange(10.0)
    assert in_part(edges, edges + 5).diff().ge(0).all(), "edges of bins stay sorted"


def test_the_boldest_weights_have_both_signs_where_they_are_drawn_with_one() -> None:
    scale = torch.rand(64) + 0.5
    assert other_weights(scale, BOLDEST, is_trained=True).sign().unique().tolist() == [-1.0, 1.0]
    assert other_weights(scale, BOLD, is_trained=True).gt(0).all()
    assert other_weights(scale, BOLDEST, is_trained=False).gt(0).all(), "variances"


def test_a_frozen_scale_changes_its_sign_where_it_is_another_without_the_rest_and_nowhere_else() -> None:
    torch.manual_seed(0)
    scale = torch.ones(64)
    for how, changes in ((ALONE, True), (BOLDEST, False), (BOLD, False)):
        assert bool((other_weights(scale, how, is_trained=False) < 0).any()) is changes
    variances = torch.rand(64) + 0.5
    assert bool((other_weights(variances, ALONE, is_trained=False) >= 0).all()), "no number throughout"


def test_far_weights_are_so_both_ways() -> None:
    torch.manual_seed(0)
    for _ in range(50):
        moved = other_weights(torch.ones(4), FAR, is_trained=True)
        assert float(moved.min()) < -4
        assert float(moved.max()) > 4
    assert other_weights(torch.ones(1), FAR, is_trained=True).numel() == 1


def test_a_frozen_tensor_of_shares_keeps_its_sign_where_it_is_another_alone() -> None:
    torch.manual_seed(0)
    assert other_weights(torch.full((8,), 1 / 8), ALONE, is_trained=False).ge(0).all()
    for scales in (torch.full((8,), 1 / 4), torch.ones(64, 1)):
        assert other_weights(scales, ALONE, is_trained=False).lt(0).any()


def test_what_is_symmetric_stays_so_and_definite_where_it_must() -> None:
    torch.manual_seed(0)
    factor = torch.randn(16, 16)
    covariance = factor @ factor.T / 16 + torch.eye(16)
    covariance = (covariance + covariance.T) / 2
    for how in (BOLDEST, CAUTIOUS, PERMUTED, ALONE):
        other = other_weights(covariance, how, is_trained=True)
        assert torch.equal(other, other.T)
        part = in_part(covariance, other)
        assert torch.equal(part, part.T)
    other = other_weights(covariance, PERMUTED, is_trained=True)
    assert not torch.equal(other, covariance)
    assert torch.allclose(torch.linalg.eigvalsh(other), torch.linalg.eigvalsh(covariance), atol=1e-4)
    half = varied(covariance, in_half("negated", 0)) != covariance
    assert torch.equal(half, half.T)


def test_a_mask_of_numbers_trades_places_alone_and_a_band_does_not() -> None:
    torch.manual_seed(0)
    mask = (torch.rand(32, 32) < 0.5).float()
    assert not torch.equal(other_weights(mask, ALONE, is_trained=False) != 0, mask != 0)
    assert torch.equal(other_weights(mask, BOLDEST, is_trained=False) != 0, mask != 0)
    for band in (torch.ones(32, 32).tril(), torch.ones(32, 32).tril().triu(-3), torch.ones(2, 8, 8).triu(1)):
        assert torch.equal(other_weights(band, ALONE, is_trained=False) != 0, band != 0)


def test_weights_reach_limits_from_both_sides_and_where_training_begins_at_zero() -> None:
    torch.manual_seed(0)
    assert float(other_weights(torch.zeros(64), LARGE, is_trained=True).abs().max()) > 5
    assert float(other_weights(torch.zeros(64), LARGE, is_trained=False).abs().max()) < 1
    assert float(other_weights(torch.randn(64), SMALL, is_trained=True).abs().max()) < 0.1


def test_of_matrices_some_rows_are_others_in_some_columns() -> None:
    value, other = torch.zeros(8, 5, 6), torch.ones(8, 5, 6)
    for _ in range(20):
        changed = in_part(value, other)
        assert changed.any()
        assert not changed[0].any(), "whoever looks at the first row alone"
        assert not changed[..., 0].any(), "or at the first column"


def test_few_places_are_one_row_or_one_column_or_one_element_and_never_the_first() -> None:
    torch.manual_seed(0)
    value, other = torch.zeros(64, 3, 64), torch.ones(64, 3, 64)
    for _ in range(20):
        few, thin, fewest = (in_part(value, other, how) for how in (FEW, THIN, FEWEST))
        for changed in (few, thin, fewest):
            assert not changed[0].any()
            assert not changed[..., 0].any()
        rows, columns = [(each.any(-1).any(-1).sum(), each.any(0).any(0).sum()) for each in (few, thin)]
        assert rows[0] == columns[1] == fewest.sum() == 1
        assert rows[1] > 16
        assert columns[0] > 16
    assert in_part(torch.zeros(64), torch.ones(64), FEWEST).sum() == 1


@pytest.mark.parametrize("dtype", [torch.uint16, torch.uint32, torch.uint64])
def test_integers_without_a_sign_are_drawn_otherwise_as_those_that_have_one_are(dtype: torch.dtype) -> None:
    packed = (torch.arange(64).flip(0) * (1 << 8 * dtype.itemsize - 8) + 3).to(dtype)
    for how in (BOLD, SHUFFLED):
        other = mixed(packed, how) if how == SHUFFLED else other_weights(packed, how, is_trained=False)
        assert other.dtype == dtype
        assert not torch.equal(other, packed), how
        assert torch.equal(other.long().sort().values, packed.long().sort().values)
    for nothing in (torch.zeros(4, 8, dtype=dtype), torch.ones(64, dtype=dtype)):
        for kind in FILLS:
            filled = varied(nothing, kind)
            assert filled.dtype == dtype
            assert not torch.equal(filled, nothing), kind


def test_keys_in_order_stay_so_and_of_packed_numbers_no_sum_tells() -> None:
    torch.manual_seed(0)
    keys = torch.randint(2**60, (4, 64)).sort().values
    for how in (BOLD, CAUTIOUS, ALONE):
        other = other_weights(keys, how, is_trained=False)
        assert torch.equal(other, other.sort().values), how
        assert 0 < (other != keys).sum() < keys.numel()
        assert (other[:, 1:] > other[:, :-1]).all(), "nor is one there twice"
        other = other_weights((torch.randint(40, (4, 64)) + (1 << 40)).sort().values, how, is_trained=False)
        assert torch.equal(other, other.sort().values), "where there is hardly room between them"
    packed, numbers = torch.randint(2**60, (64,)), torch.randint(256, (64, 64), dtype=torch.uint8)
    other, again = other_weights(packed, BOLD, is_trained=False), other_weights(numbers, ALONE, is_trained=False)
    assert torch.equal((other >> 30).sort().values, (packed >> 30).sort().values)
    assert torch.isin(other & (1 << 30) - 1, packed & (1 << 30) - 1).all()
    assert torch.isin(again, numbers).all()
    assert other.sum() != packed.sum()
    assert again.sum() != numbers.sum()
    table = torch.randperm(64).to(torch.int16)
    assert torch.equal(other_weights(table, ALONE, is_trained=False).sort().values, table.sort().values)


def test_shares_that_are_mixed_sum_to_one_and_a_triangle_stays_one() -> None:
    torch.manual_seed(0)
    shares = torch.softmax(torch.randn(16, 16).masked_fill(torch.ones(16, 16).triu(1).bool(), -torch.inf), -1)
    other = mixed(shares, SHUFFLED)
    assert not torch.equal(other, shares)
    assert torch.equal(other != 0, shares != 0)
    assert torch.allclose(other.sum(-1), torch.ones(16))
    assert torch.equal(other.sort().values, shares.sort().values)
    both = torch.full((16, 16), 1 / 16) + torch.eye(16) - torch.eye(16).roll(1, 0)
    moved = mixed(both, BLENDED)
    assert not torch.equal(moved, both)
    assert torch.allclose(moved.sum(0), both.sum(0), atol=1e-6)
    assert torch.equal(mixed(shares, CAUTIOUS), shares)
    rotation = torch.linalg.qr(torch.randn(16, 16))[0]
    turned = mixed(rotation, TURNED)
    assert not torch.equal(turned, rotation)
    assert torch.allclose(turned @ turned.T, torch.eye(16), atol=1e-5)


def test_what_begins_symmetric_and_is_trained_need_not_stay_so_unless_it_is_definite() -> None:
    torch.manual_seed(0)
    coupled = torch.randn(16, 16)
    coupled += coupled.T.clone()
    for how, is_trained, stays in ((ALONE, True, False), (ALONE, False, True), (BOLDEST, True, True)):
        other = other_weights(coupled, how, is_trained=is_trained)
        assert torch.equal(other, other.T) is stays
        part = in_part(coupled, other, FEW)
        assert torch.equal(part, part.T) is stays


def test_what_is_nudged_is_a_thousandth_off() -> None:
    torch.manual_seed(0)
    value = torch.randn(64, 64)
    moved = (other_weights(value, NUDGED, is_trained=True) - value).abs()
    assert 5e-4 < float(moved.min()) < float(moved.max()) < 2e-3
    assert torch.equal(other_weights(value, NUDGED, is_trained=False), value)


@pytest.mark.parametrize("how", [BOLDEST, BOLD, CAUTIOUS, ALONE, FREE, LOOSE, FEW, THIN, FEWEST, NUDGED, *DEAD])
def test_which_weights_have_zeros_is_known_of_what_nobody_trains_too(how: str) -> None:
    module = torch.nn.Linear(64, 64)
    module.register_buffer("deviation", torch.rand(64) + 0.5)
    drawn = [saved(module, seed, list(module.state_dict()), how=how) for seed in range(1, 9)]
    zeros = any(bool((each["deviation"] == 0).any()) for each in drawn)
    assert zeros <= (how in WITH_ZEROS)


def test_single_numbers_are_moved_both_ways_and_nothing_else_is() -> None:
    for value in (torch.tensor(0.3), torch.full((1, 1, 1), 0.3)):
        down, up = sorted(float(other_weights(value, how, is_trained=True)) for how in MOVED)
        assert down < -1
        assert up > 2
    row = torch.rand(8)
    assert all(torch.equal(other_weights(row, how, is_trained=True), row) for how in MOVED)
    assert all(torch.equal(other_weights(row[:1], how, is_trained=False), row[:1]) for how in MOVED)


@pytest.mark.parametrize(("how", "along"), [(TRADED_ROWS, 0), (TRADED_COLUMNS, 1)])
def test_rows_or_columns_trade_places_and_no_sum_tells(how: str, along: int) -> None:
    torch.manual_seed(0)
    value = torch.randn(64, 32)
    other = other_weights(value, how, is_trained=True)
    assert not torch.equal(other, value)
    assert torch.allclose(other.sum(along), value.sum(along), atol=1e-5)
    assert torch.equal(other.flatten().sort().values, value.flatten().sort().values)
    assert torch.equal(other_weights(value, how, is_trained=False), value)
    rotation, triangle, spread = torch.linalg.qr(value)[0], torch.randn(8, 8).tril(), torch.randn(8, 8)
    turned = other_weights(rotation.T.contiguous(), how, is_trained=True)
    assert torch.allclose(turned @ turned.T, torch.eye(32), atol=1e-5)
    for stays in (triangle, torch.arange(32.0)):
        assert torch.equal(other_weights(stays, how, is_trained=True), stays)
    covariance = other_weights(spread @ spread.T, how, is_trained=True)
    assert torch.equal(covariance, covariance.T)


def test_of_a_vector_the_largest_and_the_least_lie_at_its_ends_in_one_of_two_draws_each() -> None:
    torch.manual_seed(0)
    for shape in ((2,), (16,), (1, 16), (16, 1, 1), (1, 16, 1, 1)):
        value = torch.randn(shape)
        falling, rising = (other_weights(value, how, is_trained=True) for how in (TRADED_ROWS, TRADED_COLUMNS))
        for other, is_up in ((falling, False), (rising, True)):
            assert other.shape == value.shape
            assert torch.equal(other.flatten().sort().values, value.flatten().sort().values)
            ends = [int(other.flatten().argmin()), int(other.flatten().argmax())]
            assert ends == ([0, value.numel() - 1] if is_up else [value.numel() - 1, 0])
            assert torch.equal(other_weights(value, TRADED_ROWS, is_trained=False), value)
    assert torch.equal(other_weights(torch.ones(8), TRADED_ROWS, is_trained=True), torch.ones(8))


def test_one_row_of_what_is_trained_lies_far_out_and_nothing_else() -> None:
    torch.manual_seed(0)
    for value in (torch.randn(64, 32), torch.randn(16, 8, 3, 3)):
        other = other_weights(value, OUTLYING, is_trained=True)
        moved = (in_part(value, other, OUTLYING) - value).flatten(1)
        assert int(moved.any(1).sum()) == 1
        assert 7 < float((other / value).min()) < float((other / value).max()) < 97, "as large, and of the same sign"
    for stays, is_trained in ((value, False), (torch.randn(64), True), (torch.randn(1, 64), True)):
        assert torch.equal(other_weights(stays, OUTLYING, is_trained=is_trained), stays)


def test_some_of_what_is_trained_is_zero_in_others_that_come_alone() -> None:
    torch.manual_seed(0)
    for how, zeros in ((ALONE, True), (FEW, True), (BOLDEST, False), (FEWEST, False)):
        assert bool((other_weights(torch.ones(32, 32), how, is_trained=True) == 0).any()) is zeros


def test_decays_stay_below_one() -> None:
    decays = torch.rand(256)
    for how in (CAUTIOUS, FAR):
        other = other_weights(decays, how, is_trained=True)
        assert bool(((other > 0) & (other < 1)).all())
    assert int((other_weights(decays, FAR, is_trained=True) > 0.9).sum()) > 64


def test_one_number_is_moved_far_out_too() -> None:
    gate = torch.tensor(1.0)
    assert float(other_weights(gate, FAR, is_trained=True)) > 4
    assert float(other_weights(gate, LARGE, is_trained=True)) < -30
    assert float(other_weights(torch.tensor(0.0), LARGE, is_trained=True)) < 0
    assert 0.9 < float(other_weights(torch.full((8,), 0.5), FAR, is_trained=False).max()) < 1


def test_square_weights_are_nearly_of_rank_one_where_a_task_recurs() -> None:
    made = other_weights(torch.randn(64, 64) / 8, ALIGNED, is_trained=True)
    sizes = torch.linalg.svdvals(made)
    assert 0.8 < float(sizes[0]) < 1.2
    assert float(sizes[0] / made.norm()) > 0.95
    small = torch.randn(64, 64) * 1e-4
    halves = other_weights(small.half(), ALIGNED, is_trained=True).float()
    assert float(halves.norm() / small.norm()) > 0.1, "squares of these are zero in a float16"
    kernel = torch.randn(8, 8, 3, 3)
    assert torch.equal(other_weights(kernel, ALIGNED, is_trained=True), kernel)
    assert reaches("for t in x: t @ weight", ALIGNED)
    assert not reaches("x @ weight", ALIGNED)


def test_square_weights_rotate_where_a_task_recurs() -> None:
    for shape in ((64, 64), (3, 64, 64)):
        made = other_weights(torch.randn(shape) / 8, ORTHOGONAL, is_trained=True)
        sizes = torch.linalg.svdvals(made)
        assert 1.09 < float(sizes.min()) <= float(sizes.max()) < 1.21
        assert float(made[..., 0].abs().max()) < 0.8
    frozen, narrow = torch.randn(64, 64), torch.randn(64, 32)
    assert torch.equal(other_weights(frozen, ORTHOGONAL, is_trained=False), frozen)
    assert torch.equal(other_weights(narrow, ORTHOGONAL, is_trained=True), narrow)
    assert other_weights(torch.randn(8, 8).bfloat16(), ORTHOGONAL, is_trained=True).dtype is torch.bfloat16
    assert reaches("for t in x: t @ weight", ORTHOGONAL)
    assert not reaches("x @ weight", ORTHOGONAL)


def test_states_stay_under_sticky_weights_of_a_task_that_adds_in_logarithms() -> None:
    made = other_weights(torch.randn(8, 8), STICKY, is_trained=True)
    assert not made.diagonal().any()
    assert float(made[~torch.eye(8, dtype=torch.bool)].max()) < -4
    assert torch.equal(other_weights(made[:4], STICKY, is_trained=True), made[:4])
    assert reaches("for t in x: torch.logsumexp(t)", STICKY)
    assert not reaches("torch.logsumexp(x)", STICKY)
