"""What of a long error is kept (its beginning, the first error with what follows, its end), which outputs are no memory
of their own, and what inputs are drawn as otherwise."""

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


def test_what_is_rolled_has_its_values_in_other_places() -> None:
    mask = torch.rand(8, 16) < 0.5
    rolled = varied(mask, ROLLED)
    assert not torch.equal(rolled, mask)
    assert int(rolled.sum()) == int(mask.sum())


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
