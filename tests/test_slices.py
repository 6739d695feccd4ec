"""Parts of an output that are small beside the rest."""

import pytest
import torch

from cuda_l1.correctness import slices, verify
from cuda_l1.inputs.rounding import MOVED, MOVED_TWICE, rounded

BOUND = verify.floor("default", torch.float32)


def watched(exact: torch.Tensor, bound: verify.Bound = BOUND) -> slices.Slices:
    return slices.watched(exact.float(), exact, slices.faint(exact, bound))


def scales() -> torch.Tensor:
    """A column a million times larger than the sixty-three beside it."""
    drawn = torch.Generator().manual_seed(3)
    values = torch.randn(128, 64, dtype=torch.float64, generator=drawn)
    values[:, 0] = 1e6 * (1 + torch.rand(128, generator=drawn))
    return values


def test_what_is_left_out_passes_by_the_whole_and_not_by_its_slices() -> None:
    exact = scales()
    out = exact.float()
    out[:, 5:] = 0
    assert BOUND.holds(verify.compare(out, exact))
    rows, columns = found = watched(exact)
    assert not rows.any()
    assert columns.tolist() == [False] + [True] * 63
    said = slices.lost(out, exact, found)
    assert said.startswith("slice 5 along dimension 1")
    assert "as are 58 more of 63 such slices" in said
    assert slices.lost(exact.float(), exact, found) == ""
    assert slices.lost(torch.full_like(out, torch.nan), exact, found) != ""


@pytest.mark.parametrize("shape", [(64, 512), (2, 3, 8, 8), (1, 1000), (1000,), (), (4, 0)])
@pytest.mark.parametrize("precision", ["default", "tf32", "bf16"])
def test_slices_of_one_scale_are_not_looked_at_by_themselves(shape: tuple[int, ...], precision: str) -> None:
    bound = verify.floor(precision, torch.float32)  # type: ignore[arg-type]
    exact = torch.randn(shape, dtype=torch.float64)
    found = watched(exact, bound)
    assert len(found) == len(shape)
    assert not slices.any_of(found), "one element of many may be small by chance"
    assert slices.lost(torch.zeros(shape), exact, found) == ""


def test_what_the_reference_has_wrong_or_what_rounding_moves_is_left_alone() -> None:
    exact = scales()
    faint = slices.faint(exact, BOUND)
    own = exact.float()
    own[:, 3] *= 1.05
    columns = slices.watched(own, exact, faint)[1]
    assert not columns[3]
    assert columns[4]
    rounded = exact.clone()
    rounded[:, 4] *= 1.05
    assert not slices.stable([faint[0], columns], exact, rounded)[1][4]
    assert slices.stable([faint[0], columns], exact, rounded)[1][5]


def test_zeros_and_what_a_gpu_may_flush_are_not_looked_at() -> None:
    exact = scales()
    exact[:, 3], exact[:, 4] = 0, 1e-33
    columns = watched(exact)[1]
    assert columns.tolist() == [False, True, True, False, False] + [True] * 59


def test_a_slice_of_a_few_values_is_not_looked_at() -> None:
    exact = scales()
    exact[15:, 3] = 0
    exact[16:, 4] = 0
    columns = watched(exact)[1]
    assert columns.tolist() == [False, True, True, False] + [True] * 60


def test_infinities_are_of_no_slice() -> None:
    exact = scales()
    exact[7, 0] = exact[8, 9] = torch.inf
    out = exact.float()
    found = watched(exact)
    assert int(found[1].sum()) == 63
    assert slices.lost(out, exact, found) == ""
    out[:, 9] = torch.where(torch.isfinite(exact[:, 9]), 0.0, exact[:, 9]).float()
    assert "slice 9 along dimension 1" in slices.lost(out, exact, found)


def test_indices_and_complex_numbers() -> None:
    assert not slices.any_of(slices.faint(torch.tensor([[1, 10**9], [2, 10**9]]), BOUND))
    exact = torch.complex(scales(), scales())
    found = slices.watched(exact.to(torch.complex64), exact, slices.faint(exact, BOUND))
    assert found[1].tolist() == [False] + [True] * 63
    out = exact.clone()
    out[:, 1] = 0
    assert slices.lost(out, exact, found)


def test_parts_of_large_outputs_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = scales()
    whole = watched(exact)
    monkeypatch.setattr(slices, "chunk", lambda device: 640)
    assert all(torch.equal(one, two) for one, two in zip(whole, watched(exact), strict=True))


def test_the_difference_of_near_inputs_stays_where_these_move_by_last_places_and_not_by_those_of_tf32() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 64).double()
    moved = x + 6e-5 * torch.randn(64, 64)

    def made(kind: str = "") -> torch.Tensor:
        one, two = (rounded(value, kind) if kind else value for value in (x, moved))
        return torch.stack([one, two - one])

    exact = made()
    found = watched(exact)
    coarse, fine = (slices.stable(found, exact, made(kind)) for kind in ("float16 or TF32", MOVED_TWICE))
    assert not slices.any_of(coarse)
    assert fine[0].tolist() == slices.in_either(coarse, fine)[0].tolist() == [False, True]
    assert slices.lost(exact * torch.tensor([1, 0]).view(2, 1, 1), exact, fine)
    assert not slices.lost(made(MOVED), exact, fine), "what rounding moves is there"
