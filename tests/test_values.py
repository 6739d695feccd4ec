"""What of a long error is kept (its beginning, the first error with what follows, its end), which outputs are no memory
of their own, and what recurrences remember under far weights."""

from __future__ import annotations

import re

import pytest
import torch

from cuda_l1.inputs.bounds import below
from cuda_l1.inputs.distributions import (
    HALVES,
    RAISED,
    REPEATED,
    ROLLED,
    in_half,
    varied,
)
from cuda_l1.inputs.fills import BLANK, BLANK_COLUMNS, BLANK_SLICES, ENDS, FILLED, FILLS, STARTS
from cuda_l1.inputs.parts import FEW, FEWEST, OUTLYING, THIN, in_part
from cuda_l1.inputs.redrawn import (
    ALONE,
    BLENDED,
    BOLD,
    BOLDEST,
    CAUTIOUS,
    FAR,
    LARGE,
    NUDGED,
    PERMUTED,
    SHUFFLED,
    SMALL,
    STEEP,
    TRADED_COLUMNS,
    TRADED_ROWS,
    TURNED,
    mixed,
    other_weights,
)
from cuda_l1.inputs.traits import is_trivial
from cuda_l1.processes.outputs import borrowed, borrows
from cuda_l1.wire.values import describe_exception, shortened


def test_a_short_text_is_told_whole() -> None:
    assert describe_exception(ValueError("no\nmore")) == "ValueError: no\nmore"


def test_of_an_error_in_a_library_the_line_of_the_writer_is_said() -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.nn.Linear(3, 4)(torch.zeros(2, 5))
    said = describe_exception(raised.value)
    assert re.search(r"\(line \d+ in test_of_an_error\w+, test_values\.py; raised by line \d+ in forward, linear", said)


def test_a_null_byte_stands_on_no_line() -> None:
    with pytest.raises((SyntaxError, ValueError)) as raised:  # by Python's version
        compile("a = 1\0", "candidate.py", "exec")
    assert "null bytes" in describe_exception(raised.value)
    assert "None" not in describe_exception(raised.value)


@pytest.mark.parametrize("before", [0, 30, 900])
@pytest.mark.parametrize("behind", [0, 30, 900])
def test_the_first_error_is_kept_wherever_it_stands(before: int, behind: int) -> None:
    command = "/usr/local/cuda/bin/nvcc -I/some/where -std=c++17 cuda.cu\n"
    first = 'cuda.cu(7): error: identifier "wrap" is undefined\n    int i = wrap;\n            ^\n'
    later = 'cuda.cu(9): error: expected a ";"\n'
    text = f"Error building extension 'x': [1/2]\n{command * before}{first}{later * behind}ninja: build stopped"
    kept = shortened(text)
    assert first in kept
    assert kept.startswith("Error building extension 'x'")
    assert kept.endswith("ninja: build stopped")
    assert len(kept) <= 4010


def test_a_long_text_without_an_error_keeps_both_ends() -> None:
    kept = shortened("begin " + "x" * 9000 + " end")
    assert (kept[:6], kept[-4:], len(kept) <= 4010) == ("begin ", " end", True)


ROWS = torch.arange(96.0).view(8, 12)


@pytest.mark.parametrize(
    "outputs",
    [
        [ROWS],
        [ROWS.t()],
        [torch.zeros(())],
        [ROWS, torch.zeros(0), torch.zeros(3)],
        list(ROWS.chunk(3, dim=1)),  # gates lie between one another
        [ROWS.view(-1)[::2], ROWS.view(-1)[1::2]],
        [ROWS[:4], ROWS[4:]],
        [ROWS[:, 0], ROWS.view(torch.int32)[:, 1]],  # pairs of a number and its place
        [ROWS.view(torch.int16)[:, 1::2], ROWS.view(torch.uint8)[:, ::4]],
    ],
)
def test_parts_of_one_memory_are_outputs_of_their_own(outputs: list[torch.Tensor]) -> None:
    assert borrows(outputs) == [""] * len(outputs)


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ([ROWS[:1].expand(8, 12)], "elements that share memory"),
        ([torch.zeros(40).unfold(0, 4, 2)], "elements that share memory"),
        ([torch.zeros(10000).as_strided((3, 4, 5), (2000, 1, 0))], "elements that share memory"),
        ([ROWS, ROWS], "another output"),
        ([ROWS[:-1], ROWS[1:]], "another output"),
        ([ROWS[1:], ROWS[:-1]], "another output"),
        ([ROWS, ROWS.view(torch.int32)], "another output"),
        ([ROWS[:, 1], ROWS.view(torch.int32)[:, 1]], "another output"),
        ([ROWS[:, ::2], ROWS.view(torch.uint8)[:, 3::8]], "another output"),
        ([torch.zeros(3, dtype=torch.cfloat).conj()], "negated or conjugated"),
    ],
)
def test_outputs_that_lie_over_one_another_or_are_not_yet_computed(outputs: list[torch.Tensor], said: str) -> None:
    assert all(said in each for each in borrows(outputs))
    assert borrowed(outputs) == [2 if "conjugated" in said else 1] * len(outputs)


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


MASKS = {
    "booleans": torch.ones(6, 40, dtype=torch.bool),
    "padding": torch.zeros(6, 40, dtype=torch.bool),
    "numbers": torch.ones(6, 40),
    "types": torch.zeros(6, 40, dtype=torch.long),
    "by query": torch.ones(2, 1, 6, 40, dtype=torch.bool),
    "a column": torch.ones(2, 40, 1),
}


@pytest.mark.parametrize("kind", [STARTS, ENDS])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_of_a_mask_one_end_of_each_row_is_changed_and_never_all_of_it(mask: torch.Tensor, kind: str) -> None:
    torch.manual_seed(0)
    along = -2 if mask.shape[-1] == 1 else -1
    changed = torch.stack([varied(mask, kind) != mask for _ in range(40)])
    assert not changed.all(along).any()
    assert changed.int().diff(dim=along).ne(0).sum(along).max() == 1, "one end of a row, and nothing within"
    first, last = changed.select(along, 0), changed.select(along, -1)
    assert (first if kind == STARTS else last).any()
    assert not (last if kind == STARTS else first).any()


def test_positions_that_count_up_change_places_in_each_row() -> None:
    positions = torch.arange(16).repeat(3, 1)
    assert is_trivial(positions)
    made = varied(positions, FILLED)
    assert torch.equal(made.sort(-1).values, positions)
    assert not torch.equal(made[0], made[1])
    assert not any(map(is_trivial, (positions * 2, torch.arange(16.0), torch.randint(0, 9, (3, 16)))))


def test_what_is_one_number_is_drawn_otherwise_too() -> None:
    length = torch.tensor([9])
    assert is_trivial(length)
    assert {int(varied(length, FILLED)) for _ in range(200)} == set(range(1, 9))
    for flag, other in ((torch.tensor([True]), False), (torch.tensor(0), 1), (torch.tensor([1]), 0)):
        assert is_trivial(flag)
        assert [bool(varied(flag, kind)) for kind in FILLS] == [bool(other)] * 3
    gate = torch.zeros(1)
    assert is_trivial(gate)
    assert bool(varied(gate, FILLED))
    assert is_trivial(torch.zeros(4, dtype=torch.cfloat))
    assert varied(torch.zeros(4, dtype=torch.cfloat), FILLED).abs().gt(0).all()
    assert not any(map(is_trivial, (torch.tensor(1.0), torch.empty(0).long())))


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


def test_in_half_of_an_input_the_other_half_is_as_it_was() -> None:
    value = torch.rand(6, 8) + 0.1
    changed = [varied(value, in_half("negated", number)) != value for number in range(HALVES)]
    halves = [(slice(None), slice(0, 4)), (slice(None), slice(4, 8)), (slice(0, 3),), (slice(3, 6),)]
    for is_other, half in zip(changed, halves, strict=True):
        wanted = torch.zeros(6, 8, dtype=torch.bool)
        wanted[half] = True
        assert torch.equal(is_other, wanted)
    number = torch.tensor(2.0)
    assert torch.equal(varied(number, in_half("negated", 0)), number)


@pytest.mark.parametrize("one", [torch.ones(90), torch.ones(9, 10, dtype=torch.long), torch.full((90,), 3.0)])
def test_counts_are_doubled_in_places_and_nothing_else_is(one: torch.Tensor) -> None:
    torch.manual_seed(0)
    more = varied(one, RAISED)
    assert more.dtype == one.dtype
    factors = {1.0, 2.0} if one.is_floating_point() else {1.0, 2.0, 4.0, 8.0}
    assert set((more / one).reshape(-1).tolist()) == factors
    for other in (torch.randn(9), torch.ones(9, dtype=torch.bool), torch.ones(1)):
        assert torch.equal(varied(other, RAISED), other)
    assert varied(torch.tensor(100), RAISED) > 1000, "a step"
    less = varied(torch.full((90,), 7), below(RAISED, 12))
    assert (int(less.min()), int(less.max())) == (7, 11)
    assert 7 < int(varied(torch.tensor(7), below(RAISED, 12))) < 12


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


def test_what_is_rolled_has_its_values_in_other_places() -> None:
    mask = torch.rand(8, 16) < 0.5
    rolled = varied(mask, ROLLED)
    assert not torch.equal(rolled, mask)
    assert int(rolled.sum()) == int(mask.sum())


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


def test_positions_that_are_repeated_begin_or_end_as_those_of_padded_rows() -> None:
    torch.manual_seed(0)
    other = varied(torch.arange(3, 19).repeat(64, 1), REPEATED)
    assert int(other.min()) == 3
    assert int(other.max()) <= 18
    assert set(other.diff().unique().tolist()) == {0, 1}
    assert (other[:, 0] == other[:, 1]).any()
    assert (other[:, -1] == other[:, -2]).any()


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_offsets_that_are_rolled_begin_rise_and_end_as_they_did(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    offsets = torch.tensor([0, 5, 12, 20, 21, 40], dtype=dtype)
    others = [varied(offsets, ROLLED) for _ in range(9)]
    assert any(not torch.equal(other, offsets) for other in others)
    for other in others:
        assert (int(other[0]), int(other[-1]), other.dtype) == (0, 40, dtype)
        assert bool((other.diff() > 0).all())


def test_elements_of_a_vector_are_blanked_and_what_is_one_number_has_both_signs() -> None:
    torch.manual_seed(0)
    vector = torch.rand(64) + 0.5
    blank = varied(vector, BLANK) == 0
    assert 0 < int(blank.sum()) < 64
    assert varied(torch.ones(64), "signs").unique().tolist() == [-1.0, 1.0]
    assert varied(torch.ones(64, dtype=torch.float8_e4m3fn), "negated").float().unique().tolist() == [-1.0]


def test_rows_and_columns_of_complex_numbers_are_blanked_as_those_of_others() -> None:
    value = torch.randn(64, 32, dtype=torch.complex64)
    for kind, along in ((BLANK, 1), (BLANK_COLUMNS, 0)):
        made = varied(value, kind)
        blank = (made == 0).all(along)
        assert 0 < int(blank.sum()) < len(blank)
        left = (made == value).sum(along)[~blank]
        assert set(left.tolist()) <= {1, value.shape[along]}, "all of it, or one place"


def test_channels_are_off_in_all_items_and_the_first_never() -> None:
    torch.manual_seed(0)
    value = torch.randn(4, 16, 8, 8)
    off = varied(value, BLANK_SLICES) == 0
    for places in (off.all(0).all(-1).all(-1), off.all(0).all(0).all(0), off.all(0).all(0).all(-1)):
        assert 0 < int(places.sum()) < len(places)
        assert not bool(places[0])
    assert torch.equal(off, off.mT), "of square ones the same rows and columns"
    assert not bool((varied(torch.randn(4, 8), BLANK_SLICES)[:, 0] == 0).any())
