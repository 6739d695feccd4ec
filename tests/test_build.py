"""Fast builds: extensions over the slim headers behave as torch's own, and what they cannot do goes torch's own way."""

import contextlib
import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension

from cuda_l1.extensions import blame, inline
from cuda_l1.sandbox import layers

INCLUDE = Path(cpp_extension.include_paths()[0])

SOURCE = r"""
#include <torch/extension.h>
using torch::Tensor;
std::vector<int64_t> numbers(const Tensor& x) {
  return {x.dim(), x.numel(), x.size(0), x.size(-1), x.stride(0), x.stride(-1), x.storage_offset(),
          int64_t(x.element_size()), int64_t(x.nbytes()), x.get_device(), x.is_contiguous(), x.is_cuda(), x.is_cpu(),
          x.defined(), x.requires_grad(), x.is_floating_point()};
}
std::vector<int64_t> sizes(Tensor x) { return x.sizes().vec(); }
std::vector<int64_t> strides(Tensor x) { return x.strides().vec(); }
at::ScalarType dtype(Tensor x) { return x.scalar_type(); }
bool is_float(Tensor x) { return x.dtype() == torch::kFloat32; }
int64_t address(Tensor x) { return int64_t(x.data_ptr()); }
double first(Tensor x) { return x.data_ptr<float>()[0]; }
double item(Tensor x) { return x.item<double>(); }
Tensor dispatched(Tensor x) {
  auto out = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "dispatched", ([&] {
    for (int64_t i = 0; i < x.numel(); ++i) out.data_ptr<scalar_t>()[i] = x.data_ptr<scalar_t>()[i] * scalar_t(2);
  }));
  return out;
}
Tensor accessed(Tensor x) {
  auto out = torch::zeros({x.size(1), x.size(0)}, x.options());
  auto from = x.accessor<float, 2>();
  auto to = out.packed_accessor32<float, 2>();
  for (int i = 0; i < x.size(0); ++i)
    for (int j = 0; j < x.size(1); ++j) to[j][i] = from[i][j];
  return out;
}
Tensor factories(int64_t n) {
  auto options = torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCPU).requires_grad(false);
  auto parts = torch::ones({n}, options) + torch::full({n}, 2.5, options) + torch::zeros({n}, torch::kFloat64);
  return torch::cat({parts, torch::arange(n, options)}, 0).to(torch::kFloat);
}
Tensor operators(Tensor a, Tensor b) {
  auto c = torch::relu(torch::matmul(a, b.t()) * 2 - 1).sum(-1, true) / 3 + a.mean(1).unsqueeze(1);
  c += 1;
  c.mul_(a.select(1, 0).view({-1, 1}));
  return torch::softmax(-c, 0).transpose(0, 1).contiguous()[0];
}
std::tuple<Tensor, Tensor> largest(Tensor x) { return torch::max(x, 1); }
std::vector<Tensor> halves(Tensor x, c10::optional<Tensor> bias) {
  if (bias.has_value()) x = x + bias.value();
  return x.chunk(2, 1);
}
int64_t summed(std::vector<int64_t> values, int start, bool twice, const std::string& word) {
  int64_t total = start + int64_t(word.size());
  for (auto v : values) total += v;
  return twice ? 2 * total : total;
}
Tensor scalars(Tensor x) { return (2.5 - x) + (7 / x) * (1 + x); }
void fill(Tensor x, double value) { x.fill_(value); }
Tensor undefined() { return Tensor(); }
Tensor kept(Tensor x) { Tensor y = x; Tensor z = std::move(y); y = z; return y; }
void check(Tensor x) { TORCH_CHECK(x.dim() == 2, "x must be 2D, got ", x.dim(), " with ", x.sizes(), " ", x.dtype()); }
void thrown() { throw std::invalid_argument("no such thing"); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "everything";
  m.def("numbers", &numbers); m.def("sizes", &sizes); m.def("strides", &strides); m.def("dtype", &dtype);
  m.def("is_float", &is_float); m.def("address", &address); m.def("first", &first); m.def("item", &item);
  m.def("dispatched", &dispatched); m.def("accessed", &accessed); m.def("factories", &factories);
  m.def("operators", &operators, "Several operators", py::arg("a"), py::arg("b")); m.def("largest", &largest);
  m.def("halves", &halves, py::arg("x"), py::arg("bias") = py::none());
  m.def("summed", &summed, py::arg("values"), py::arg("start") = 10, py::arg("twice") = false, py::arg("word") = "");
  m.def("fill", &fill); m.def("scalars", &scalars); m.def("undefined", &undefined); m.def("kept", &kept);
  m.def("check", &check); m.def("thrown", &thrown);
  m.def("overloaded", [](const std::string& s) { return s + "!"; });
  m.def("overloaded", [](double x) { return x / 2; });
}
"""


@pytest.fixture(scope="module")
def extension(kit, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path_factory.mktemp("extensions")))
        for name in ("load", "load_inline"):
            patch.setattr(cpp_extension, name, getattr(cpp_extension, name))
        inline.install(str(kit))
        return cpp_extension.load_inline("everything", SOURCE, no_implicit_headers=True, extra_cflags=["-O1"])


TENSORS = {
    "plain": torch.randn(3, 4),
    "transposed": torch.randn(3, 4).t(),
    "slice": torch.randn(5, 6)[1:, 2:5],
    "double": torch.randn(2, 2, dtype=torch.float64),
    "half": torch.randn(2, 3).half(),
    "bfloat16": torch.randn(2, 3).bfloat16(),
    "long": torch.arange(6).view(2, 3),
    "bool": torch.ones(2, 2, dtype=torch.bool),
    "parameter": torch.nn.Parameter(torch.randn(2, 2)),
}


@pytest.mark.parametrize("x", TENSORS.values(), ids=TENSORS.keys())
def test_a_tensor_is_seen_as_torch_sees_it(extension, x):
    assert extension.numbers(x) == [
        x.dim(), x.numel(), x.size(0), x.size(-1), x.stride(0), x.stride(-1), x.storage_offset(), x.element_size(),
        x.nbytes, x.get_device(), x.is_contiguous(), x.is_cuda, x.is_cpu, True, x.requires_grad, x.is_floating_point(),
    ]  # fmt: skip
    assert extension.sizes(x) == list(x.shape)
    assert extension.strides(x) == list(x.stride())
    assert extension.dtype(x) is x.dtype
    assert extension.is_float(x) == (x.dtype is torch.float32)
    assert extension.address(x) == x.data_ptr()
    assert extension.kept(x) is x


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_dispatch_picks_the_type(extension, dtype):
    x = torch.randn(7).to(dtype)
    assert torch.equal(extension.dispatched(x), x * 2)


def test_operators_are_torchs_own(extension):
    a, b = torch.randn(4, 5), torch.randn(3, 5)
    c = torch.relu(a @ b.t() * 2 - 1).sum(-1, True) / 3 + a.mean(1).unsqueeze(1) + 1
    assert torch.equal(extension.operators(a, b=b), torch.softmax(-c * a[:, :1], 0).t()[0])
    assert all(map(torch.equal, extension.largest(a), torch.max(a, 1)))
    assert torch.equal(extension.accessed(a), a.t())
    assert torch.equal(extension.factories(3), torch.tensor([3.5, 3.5, 3.5, 0, 1, 2]))
    for x in (a, torch.arange(1, 5)):
        filled = [torch.empty_like(x).fill_(value) for value in (2.5, 7)]
        if x.is_floating_point():  # torch's C++ divides in place, which integers do not allow
            assert torch.equal(extension.scalars(x), (filled[0] - x) + (filled[1] / x) * (1 + x))
        else:
            with pytest.raises(RuntimeError, match="result type Float can't be cast"):
                extension.scalars(x)
    assert extension.first(a) == a[0, 0]
    assert extension.item(torch.tensor(2.5)) == 2.5


def test_arguments_and_results_of_many_kinds(extension):
    x, bias = torch.randn(2, 4), torch.randn(4)
    for got, expected in (
        (extension.halves(x), x.chunk(2, 1)),
        (extension.halves(x, None), x.chunk(2, 1)),
        (extension.halves(x, bias=bias), (x + bias).chunk(2, 1)),
    ):
        assert all(map(torch.equal, got, expected))
    assert extension.summed([1, 2]) == 13
    assert extension.summed((1, 2), 0, twice=True, word="abc") == 12
    assert extension.summed((1, 2), 0, twice=1) == 6
    assert (extension.overloaded("a"), extension.overloaded(3)) == ("a!", 1.5)
    assert extension.fill(x, 3) is None
    assert x.eq(3).all()
    assert extension.undefined() is None
    assert extension.__doc__ == "everything"
    assert extension.operators.__doc__ == "Several operators"


def test_errors_are_those_of_torch(extension):
    x = torch.randn(2, 3)
    with pytest.raises(RuntimeError, match=r"^x must be 2D, got 1 with \[3\] float"):
        extension.check(x[0])
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Int"):
        extension.first(x.int())
    with pytest.raises(NotImplementedError, match="\"dispatched\" not implemented for 'Int'"):
        extension.dispatched(x.int())
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        extension.operators(x, x[:, :2])
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        extension.numbers(torch.tensor(1.0))
    with pytest.raises(RuntimeError, match="no such thing"):
        extension.thrown()
    for wrong in ((), (x, 1, 2, 3), (3,), ("x",)):
        with pytest.raises(TypeError, match=r"halves\(\): incompatible function arguments"):
            extension.halves(*wrong)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        extension.summed([1.5])


def test_no_tensor_leaks_and_none_dies_early(extension):
    x = torch.randn(2, 4)
    watched = weakref.ref(x.untyped_storage())
    kept = extension.kept(x)
    parts = extension.halves(x, None)
    with pytest.raises(RuntimeError):
        extension.check(x[0])
    copy = x.clone()
    del x
    gc.collect()
    assert torch.equal(kept, copy)
    assert torch.equal(torch.cat(parts, 1), copy)
    assert watched() is not None
    del kept, parts
    gc.collect()
    assert watched() is None


def test_when_one_command_fails_the_others_end_with_all_that_they_started(tmp_path):
    mark = tmp_path / "late"
    slow = ["sh", "-c", f"(sleep 2; touch {mark}) & wait"]
    printed = inline._run_all([slow, ["sh", "-c", "echo broken; sleep 0.3; exit 3"]])
    assert printed.endswith("broken\n")
    subprocess.run(["sleep", "2"], check=True)
    assert not mark.exists()


def test_the_kit_is_made_once(kit):
    before = {path: path.stat().st_mtime_ns for path in (*kit.iterdir(), *kit.parent.iterdir())}
    assert inline.warm(kit.parent) == kit
    assert {path: path.stat().st_mtime_ns for path in (*kit.iterdir(), *kit.parent.iterdir())} == before


def test_without_a_compiler_nothing_is_made_and_nothing_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setattr(cpp_extension, "load", cpp_extension.load)  # what it was comes back afterwards
    before = cpp_extension.load_inline
    assert inline.warm(tmp_path) is None
    monkeypatch.setenv("CXX", "false")
    assert inline.warm(tmp_path) is None
    assert [path.name for path in tmp_path.iterdir()] == ["lock"], "a draft was left behind"
    inline.install(None)
    inline.install(str(tmp_path))
    assert cpp_extension.load_inline is before


def test_wrappers_are_generated_and_flags_honoured(load_inline, slow_way, tmp_path):
    (tmp_path / "own.h").write_text("inline int from_header() { return 5; }\n")
    module = load_inline(
        name="flagged",
        cpp_sources=['#include "own.h"\nint f(int x) { return x + OFFSET + from_header(); }'],
        functions={"f": "adds"},
        extra_cflags=["-DOFFSET=100", "-O2"],
        extra_include_paths=[str(tmp_path)],
    )
    assert (module.f(1), module.f.__doc__, module.__name__, slow_way) == (106, "adds", "flagged", [])


@pytest.mark.slow
def test_a_sandboxed_process_builds_with_the_kit_and_cannot_change_it(kit, tmp_path):
    code = f"""
import os, sys
from cuda_l1.extensions import inline
from cuda_l1.sandbox import layers
layers.enter({str(tmp_path)!r}, [*layers.runtime_folders(), {str(kit)!r}], [], is_cuda=False)
import torch
inline.install({str(kit)!r})
from torch.utils.cpp_extension import load_inline
module = load_inline("boxed", "torch::Tensor f(torch::Tensor x) {{ return x + 1; }}", functions=["f"])
assert module.f(torch.ones(2)).tolist() == [2, 2]
try:
    open({str(kit / "include" / "torch" / "extension.h")!r}, "a")
except PermissionError:
    print("refused")
"""
    env = {"TMPDIR": str(tmp_path), "TORCH_EXTENSIONS_DIR": str(tmp_path), "HOME": str(tmp_path), "USER": "nobody"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **env},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert ("refused" in done.stdout) == bool(layers.landlock_abi()), "what Landlock holds must not be writable"


@pytest.mark.parametrize(
    "source",
    [
        "torch::Tensor f(torch::Tensor x) { return torch::nn::functional::relu(x); }",
        "#include <torch/csrc/autograd/variable.h>\nint f() { return 1; }",
        "#include <ATen/cuda/CUDAGraph.h>\nint f() { return 1; }",
        "torch::Tensor f(torch::Tensor x) { return torch::ones({2}, torch::requires_grad(true)); }",
        "torch::Tensor f(torch::Tensor x) { return torch::from_blob(x.data_ptr(), {1}); }",
        "torch::Tensor f(torch::Tensor x) { c10::InferenceMode mode; return x * 2; }",
        "torch::Tensor f(torch::Tensor x) { return x.index({torch::indexing::Slice(0, 1)}); }",
    ],
)
def test_what_is_not_covered_goes_torchs_own_way(load_inline, slow_way, source):
    assert load_inline("rare", source, functions=["f"]) is None
    assert slow_way == ["rare"]


@pytest.mark.parametrize(
    ("source", "option", "why"),
    [
        ("void f() { c10::InferenceMode mode; }", {}, "main.cpp:2:"),
        ("#include <torch/csrc/autograd/variable.h>\nvoid f() {}", {}, "the slim headers lack torch/csrc/autograd/v"),
        ("void f() { torch::nn::Linear layer(2, 2); }", {}, "the slim headers lack torch::nn"),
        ("void f() {}", {"use_pch": True}, "the fast way knows no use_pch"),
    ],
)
def test_why_torchs_own_way_is_taken_is_printed(load_inline, slow_way, capsys, source, option, why):
    load_inline("rare", source, functions=["f"], **option)
    assert capsys.readouterr().err.startswith(inline.SLOW_WAY + why)


@pytest.mark.parametrize("option", [{"use_pch": True}, {"is_python_module": False}])
def test_rare_parameters_go_torchs_own_way(load_inline, slow_way, option):
    load_inline("rare", "int f() { return 1; }", functions=["f"], **option)
    assert slow_way == ["rare"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("int f() { return 1 }", "expected ‘;’|expected ';'"),
        ("int f() { return nowhere_defined; }", "nowhere_defined"),
        ("int g() { return 1; }", "main.cpp:4:"),
        ("#include <no_such_header.h>\nint f() { return 1; }", "No such file"),
        ("int f() { int* p = 1.5; return 1; }", "cannot convert"),
        ("int f() { return 1; } PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}", "redefinition"),
    ],
)
def test_the_sources_own_errors_are_said_at_once(load_inline, slow_way, source, text):
    with pytest.raises(RuntimeError, match=f"(?s)^Error building extension 'broken'.*({text})"):
        load_inline("broken", source, functions=["f"])
    assert slow_way == []


@pytest.mark.slow
@pytest.mark.parametrize("source", ["int f() { return 1 }", "int f();", "int f() { return 1; }"])
def test_what_was_built_or_failed_once_is_not_built_again(load_inline, slow_way, tmp_path, source):
    given = {"functions": ["f"], "build_directory": str(tmp_path)}
    ends = []
    for _ in range(3):
        try:
            ends.append(load_inline("repeated", source, **given).f())
        except (ImportError, RuntimeError) as error:
            ends.append((type(error), str(error)))
    assert ends == ends[:1] * 3
    assert len(list(tmp_path.glob("fast-*"))) == 1, "a folder for each build"
    assert load_inline("repeated", "int f() { return 2; }", **given).f() == 2, "other sources are another build"
    assert slow_way == []


def test_a_failure_that_is_remembered_keeps_no_inputs_alive(load_inline):
    def forward(x):
        with contextlib.suppress(RuntimeError):
            load_inline("broken", "int f() { return 1 }", functions=["f"])

    x = torch.ones(2)
    watched = weakref.ref(x.untyped_storage())
    forward(x)
    del x
    gc.collect()
    assert watched() is None


def test_a_function_that_is_nowhere_defined_is_an_import_error(load_inline, slow_way):
    with pytest.raises(ImportError, match="undefined symbol"):
        load_inline("missing", "int f();", functions=["f"])
    assert slow_way == []


@pytest.mark.parametrize(
    ("printed", "certain"),
    [
        ('/b/cuda.cu(9): error: identifier "tid" is undefined', True),
        ('/b/cuda.cu(9): error: identifier "THPVariable_Wrap" is undefined', False),
        ('/b/cuda.cu(9): error: namespace "torch" has no member "from_blob"', False),
        ('/b/cuda.cu(9): error: no suitable user-defined conversion from "at::Tensor" to "float *" exists', False),
        ('/b/cuda.cu(9): error: argument of type "int" is incompatible with parameter of type "float *"', True),
        ('/usr/include/other.h(9): error: identifier "tid" is undefined', False),
        ("ptxas error   : Entry function 'k' uses too much shared data (0x20000 bytes, 0xc000 max)", True),
        ("nvcc fatal   : Unknown option '--no-such-option'", True),
        ("Killed", False),
    ],
)
def test_blame_decides_by_the_first_error(kit, printed, certain):
    assert blame.is_certain(printed, {"cuda.cu": "__global__ void k() {}"}, kit) is certain
