"""Physics: what a task does at least, what the machine can do at best, and that the floor is a floor."""

from __future__ import annotations

import collections
from pathlib import Path

import platformdirs
import pytest
import torch
from torch import nn

from cuda_l1.evidence import roofline, work
from cuda_l1.evidence.roofline import Ceilings
from cuda_l1.evidence.work import Work
from cuda_l1.machine.environment import host_free_nbytes

CACHE = 50 << 20
H200 = Ceilings(
    device="H200",
    bytes_per_s=4e12,
    flops_per_s={"fp32": 50e12, "tf32": 400e12, "bf16": 800e12, "fp16": 800e12},
    cache_bytes=CACHE,
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))
    return tmp_path / "cuda-l1" / "ceilings"


class Forward(nn.Module):
    """A module with this forward."""

    def __init__(self, function: object) -> None:
        super().__init__()
        self.function = function

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        return self.function(*values)  # type: ignore[operator,no-any-return]


def dependent(function: object, *values: torch.Tensor) -> int | None:
    return work.dependent(Forward(function), list(values))["bytes"]  # type: ignore[no-any-return]


# What a task does.


def test_operations_and_bytes_of_a_module() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.Flatten(), nn.Linear(8 * 6 * 6, 10))
    measured = Work.model_validate(work.measure(module, [torch.randn(2, 3, 8, 8)]))
    assert measured.flops == {"convolution": 2 * 2 * 8 * 36 * 27, "product": 2 * 2 * 288 * 10}
    assert (measured.input_bytes, measured.output_bytes) == (2 * 3 * 64 * 4, 2 * 10 * 4)
    assert measured.weight_bytes == sum(p.numel() for p in module.parameters()) * 4


def test_a_recurrent_layer_is_what_runs_and_not_what_is_named() -> None:
    class Named(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if isinstance(x, nn.LSTM) else x + 1

    assert not Work.model_validate(work.measure(Named(), [torch.randn(2, 3)])).is_recurrent
    operators = collections.Counter[str]()
    with torch.device("meta"):
        x, state = torch.zeros(3, 2, 4), torch.zeros(1, 2, 2)
        weights = [torch.zeros(8, 4), torch.zeros(8, 2), torch.zeros(8), torch.zeros(8)]
    with work._counting(operators):
        torch.ops.aten._cudnn_rnn(x, weights, 4, None, state, state, 2, 2, 0, 1, False, 0.0, False, False, [], None)
    assert operators["recurrent"] == 1


def test_measuring_leaves_the_inputs_alone() -> None:
    x = torch.ones(4)
    work.measure(Forward(lambda x: x.mul_(2)), [x])
    work.dependent(Forward(lambda x: x.mul_(2)), [x])
    assert torch.equal(x, torch.ones(4))


X = torch.randn(64, 64)


def test_all_of_an_input_matters_to_a_sum() -> None:
    assert dependent(lambda x: x.sum(), X) == X.nbytes


def test_what_the_output_does_not_depend_on_counts_nothing() -> None:
    assert dependent(lambda x: x[:16].sigmoid(), X) == X.nbytes // 4
    assert dependent(lambda x: torch.diagonal(x) * 2, X) == 64 * 4
    assert dependent(lambda x: torch.ones_like(x), X) == 0
    assert dependent(lambda x, y: x + 0 * y, X, X) == X.nbytes


def test_rounding_is_no_dependence() -> None:
    shifted = dependent(lambda x, shift: torch.softmax(x + shift, 1), X, torch.randn(64, 1))
    assert shifted == pytest.approx(X.nbytes, rel=0.05)  # the softmax takes the shift out again
    assert shifted <= X.nbytes


def test_indices_count_nothing_and_no_gradient_is_no_answer() -> None:
    table = torch.randn(100, 8)
    rows = torch.tensor([3, 5])
    assert dependent(lambda i, t: nn.functional.embedding(i, t), rows, table) == 2 * 8 * 4
    assert dependent(lambda x: x.argmax(1), X) == 0
    assert work.dependent(Forward(lambda x: torch.from_numpy(x.numpy())), [X]) == {"bytes": None}


def test_weights_and_mode_are_the_modules_own() -> None:
    module = nn.Sequential(nn.Linear(64, 8), nn.Dropout(1.0)).eval()
    assert work.dependent(module, [X])["bytes"] == pytest.approx(X.nbytes, rel=0.02)
    assert next(module.parameters()).dtype is torch.float32


# What the machine does.


def test_ceilings_are_measured_once_and_remembered(folder: Path) -> None:
    first = roofline.ceilings("cpu")
    assert first.bytes_per_s > 1e8
    assert first.flops_per_s["fp32"] > 1e8
    assert first.cache_bytes > 0
    assert roofline.ceilings("cpu") == first
    assert len(list(folder.iterdir())) == 1


def test_a_corrupt_memory_is_measured_again(folder: Path) -> None:
    first = roofline.ceilings("cpu")
    (path,) = folder.iterdir()
    for text in ("{", '{"device": "x"}'):
        path.write_text(text)
        assert roofline.ceilings("cpu").device == first.device
        assert Ceilings.model_validate_json(path.read_text()).bytes_per_s > 0


def test_measured_again_the_faster_is_kept(folder: Path) -> None:
    measured = roofline.ceilings("cpu")
    (path,) = folder.iterdir()
    path.write_text(measured.model_copy(update={"bytes_per_s": 1e15, "flops_per_s": {"fp32": 1.0}}).model_dump_json())
    again = roofline.ceilings("cpu", again=True)
    assert again.bytes_per_s == 1e15
    assert again.flops_per_s["fp32"] > 1.0


# What follows from both.

WORK = Work(
    flops={"convolution": 0, "product": 50_000_000},
    is_recurrent=False,
    input_bytes=4_000_000,
    weight_bytes=0,
    output_bytes=4_000_000,
    longest_sum=1,
)


def test_a_roofline_by_hand() -> None:
    floor = roofline.floor_us(WORK, H200, "default")
    assert floor == pytest.approx((2.0, 1.0))
    assert roofline.fraction(floor, 4.0) == pytest.approx(0.5)


def test_the_default_mixture_counts_convolutions_at_tf32() -> None:
    flops = WORK.model_copy(update={"flops": {"convolution": 400_000_000, "product": 0}})
    assert roofline.floor_us(flops, H200, "default").operation_us == pytest.approx(1.0)
    assert roofline.floor_us(flops, H200, "fp32").operation_us == pytest.approx(8.0)
    cpu = H200.model_copy(update={"flops_per_s": {"fp32": 50e12}})
    assert roofline.floor_us(flops, cpu, "default").operation_us == pytest.approx(8.0)
    assert roofline.floor_us(flops, cpu, "bf16").operation_us == 0


def test_the_floor_counts_only_what_must_come_from_memory() -> None:
    gigabyte = 1 << 30
    full = gigabyte / (1.1 * 4e12) * 1e6
    assert roofline.byte_floor_us(gigabyte, 0, 1 << 50, H200) == pytest.approx(full, rel=1e-3)
    assert roofline.byte_floor_us(gigabyte, 0, 3 * CACHE, H200) == 0
    assert roofline.byte_floor_us(gigabyte, 0, 4 * CACHE, H200) == pytest.approx(0.75 * full)
    assert roofline.byte_floor_us(None, 0, 1 << 40, H200) == 0
    assert roofline.byte_floor_us(0, CACHE, 1 << 40, H200) == 0
    assert roofline.byte_floor_us(0, CACHE + gigabyte, 0, H200) == pytest.approx(full)


def test_what_files_keep_of_the_hosts_memory_counts_as_free() -> None:
    """With little free and much of it in a cache of files no backward pass was tried, and so no byte floor asked."""
    said = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, free = (int(said[name].split()[0]) << 10 for name in ("MemTotal", "MemFree"))
    assert free // 2 < host_free_nbytes() <= total
