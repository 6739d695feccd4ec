"""Baselines are the task's own module in other clothes: same outputs, same weights under the same names."""

import copy
import sysconfig

import pytest

from cuda_l1 import baselines
from cuda_l1.errors import ConfigError
from cuda_l1.types import Task

CONV = '''
"""A task."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, channels):
        super(Model, self).__init__()
        self.conv = nn.Conv2d(channels, 4, 3)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x, shift: float):
        y = self.norm(self.conv(x))
        return torch.relu(y) + shift, {"mean": y.mean((2, 3))}


def get_inputs():
    return [torch.randn(2, 3, 8, 8), 0.5]


def get_init_inputs():
    return [3]
'''
PLAIN = CONV.replace("nn.Conv2d(channels, 4, 3)", "nn.Sequential()").replace("self.conv", "self.body")


def task_of(source):
    return Task(id="local/x", name="x", source=source)


def build(source, *names, device="cpu"):
    return baselines.build(task_of(source), names or baselines.NAMES, device)


def module_of(candidate, tmp_path):
    """The candidate's module as the judge makes it: from a file of its own, weights by seed."""
    import importlib.util

    import torch

    path = tmp_path / f"{candidate.author}.py"
    path.write_text(candidate.code)
    spec = importlib.util.spec_from_file_location(candidate.author, path)
    space = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(space)
    torch.manual_seed(0)
    return space.ModelNew(*space.get_init_inputs()).eval()


def test_names_read():
    assert baselines.parse_names("all") == baselines.NAMES
    assert baselines.parse_names("none") == ()
    assert baselines.parse_names("graph, eager,graph") == ("graph", "eager")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("compile,max-autotune", "did you mean compile_max_autotune"),
        ("fast", r"unknown baseline 'fast'\. Known: eager, compile,"),
        ("", "''"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_near_one(text, says):
    with pytest.raises(ConfigError, match=says):
        baselines.parse_names(text)
    with pytest.raises(ConfigError, match=says):
        build(CONV, *text.split(","))


def test_candidates_name_their_baseline_and_hold_the_source():
    candidates, missing = build(CONV, "eager", "channels_last")
    assert [c.author for c in candidates] == ["eager", "channels_last"]
    assert not missing
    for candidate in candidates:
        assert candidate.origin == "baseline"
        assert candidate.task_id == "local/x"
        assert candidate.code.startswith(CONV.rstrip())
    assert len({candidate.id for candidate in candidates}) == 2


def test_what_a_cpu_cannot_do_is_left_out_with_its_reason():
    candidates, missing = build(CONV)
    assert {c.author for c in candidates} | set(missing) == set(baselines.NAMES)
    assert "CUDA" in missing["graph"]
    assert "CUDA" in missing["cudnn_benchmark"]
    assert "same as compile" in missing["compile_reduce_overhead"]


def test_without_a_convolution_its_settings_are_left_out():
    _, missing = build(PLAIN, "channels_last", "cudnn_benchmark", device="cuda")
    assert all("no convolution" in missing[name] for name in ("channels_last", "cudnn_benchmark"))


def test_a_convolution_may_hide_in_an_import():
    candidates, _ = build(
        PLAIN.replace("from torch import nn", "from torch import nn\nfrom net import Block"), "channels_last"
    )
    assert candidates


def test_without_a_compiler_the_compiled_ones_are_left_out(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    candidates, missing = build(CONV, "eager", "compile", "compile_max_autotune")
    assert [c.author for c in candidates] == ["eager"]
    assert "C++ compiler" in missing["compile"]
    assert "C++ compiler" in missing["compile_max_autotune"]


def test_without_triton_the_compiled_ones_are_left_out_on_cuda():
    import importlib.util

    if importlib.util.find_spec("triton") is not None:
        pytest.skip("Triton is installed here")
    _, missing = build(CONV, "compile", device="cuda")
    assert "cuda-l1[gpu]" in missing["compile"]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_every_text_compiles_and_defines_model_new(device):
    for name in baselines.NAMES:
        space = {"__name__": "candidate"}
        code = f"{CONV}\n{baselines._addition(name, device == 'cuda')}"
        exec(compile(code, name, "exec"), space)
        assert issubclass(space["ModelNew"], space["Model"])
        assert set(space["ModelNew"](3).state_dict()) == set(space["Model"](3).state_dict())


@pytest.mark.slow
@pytest.mark.usefixtures("compiles")
@pytest.mark.parametrize("name", ["eager", "compile", "compile_max_autotune", "channels_last"])
def test_outputs_follow_the_weights(name, tmp_path):
    """Equal to eager at first, after weights changed in place, after others were loaded, and in a deep copy."""
    import torch

    candidates, missing = build(CONV, name)
    if not candidates:
        pytest.skip(missing[name])
    eager = module_of(build(CONV, "eager")[0][0], tmp_path)
    mine = module_of(candidates[0], tmp_path)
    assert list(mine.state_dict()) == list(eager.state_dict())
    torch.manual_seed(1)
    with torch.no_grad():
        for step in range(4):
            if step == 1:
                for weight in [*eager.parameters(), *mine.parameters()]:
                    weight.mul_(1.5)
            if step == 2:
                state = {key: value + 1 for key, value in eager.state_dict().items()}
                eager.load_state_dict(state)
                mine.load_state_dict(state)
            if step == 3:
                eager, mine = copy.deepcopy(eager), copy.deepcopy(mine)
                eager.conv.bias.add_(3.0)
                mine.conv.bias.add_(3.0)
            x = torch.randn(2, 3, 8, 8)
            expected, got = eager(x, 0.5), mine(x, 0.5)
            torch.testing.assert_close(got[0], expected[0])
            torch.testing.assert_close(got[1]["mean"], expected[1]["mean"])
            assert float(expected[0].std()) > 0.1


def test_channels_last_holds_its_weights_that_way(tmp_path):
    import torch

    module = module_of(build(CONV, "channels_last")[0][0], tmp_path)
    assert module.conv.weight.is_contiguous(memory_format=torch.channels_last)


def test_python_headers_are_asked_for(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert "Python.h" in (baselines._no_headers() or "")


# Warnings here are torch's own: an empty graph that it captures itself, advice on TF32.
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.gpu
@pytest.mark.parametrize("name", ["compile_reduce_overhead", "compile_max_autotune", "graph", "cudnn_benchmark"])
def test_on_cuda_outputs_follow_the_weights_and_outlive_the_next_call(name, tmp_path):
    import torch

    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    candidates, missing = build(CONV, name, device="cuda")
    if not candidates:
        pytest.skip(missing[name])
    eager = module_of(build(CONV, "eager")[0][0], tmp_path).cuda()
    mine = module_of(candidates[0], tmp_path).cuda()
    expected, got = [], []
    with torch.no_grad():
        for _ in range(4):
            x = torch.randn(2, 3, 8, 8, device="cuda")
            expected.append(eager(x, 0.5)[0])
            got.append(mine(x, 0.5)[0])
            for weight in [*eager.parameters(), *mine.parameters()]:
                weight.mul_(1.1)
    for one, other in zip(got, expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-2)
