"""What C++ for torch is commonly written with, over the slim headers: signs between tensors and numbers, writes through
an index, guards, ranges, macros; and names that mean something else in torch. Each as in torch's own build."""

from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension

from cuda_l1.extensions import inline, slim

INCLUDE = Path(cpp_extension.include_paths()[0])

SOURCE = r"""
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <c10/macros/Macros.h>
#include <c10/util/irange.h>
#include <torch/extension.h>
using torch::Tensor;
#define ALL(SIGN) a SIGN b, a SIGN 2, 2 SIGN a
std::vector<Tensor> signs(Tensor a, Tensor b) {
  return {ALL(+), ALL(-), ALL(*), ALL(%), ALL(<), ALL(<=), ALL(>), ALL(>=), ALL(==), ALL(!=), a == 1.5, 2.5 < a};
}
std::vector<Tensor> bits(Tensor a, Tensor b) {
  auto c = a.clone(), d = a.clone(), e = a.clone();
  c &= b;
  d |= b;
  e ^= b;
  return {ALL(&), ALL(|), ALL(^), ~a, c, d, e, (a > 0) & ~(a == b)};
}
Tensor written(Tensor x, Tensor y) {
  Tensor z;
  z = y;
  z = z;
  x[0] = z[1];
  x[1] = 2.5;
  x[2][0] = y[0][0] + 1;
  z = torch::zeros({1});
  return x;
}
std::vector<bool> guarded(Tensor x) {
  std::vector<bool> seen{(x * 2).requires_grad()};
  {
    torch::NoGradGuard none;
    seen.push_back((x * 2).requires_grad());
    {
      at::AutoGradMode again(true);
      seen.push_back((x * 2).requires_grad());
    }
    seen.push_back(at::GradMode::is_enabled());
  }
  seen.push_back(at::GradMode::is_enabled());
  return seen;
}
std::vector<int64_t> ranges(int64_t begin, int end) {
  std::vector<int64_t> out;
  for (auto i : c10::irange(begin, end)) out.push_back(i);
  for (const auto i : c10::irange(end)) out.push_back(i);
  return out;
}
C10_HOST_DEVICE C10_ALWAYS_INLINE double clipped(double x) { return C10_UNLIKELY(x > 1) ? 1 : x; }
double clip(double x) { return clipped(x); }
Tensor named(Tensor x, int64_t index) {
  int64_t storage = 0, generator = index, register_hook = storage;
  return x.select(0, generator + register_hook);
}
Tensor typed(Tensor x, Tensor y) {
  TORCH_CHECK(x.dtype() != y.dtype() && x.dtype() != torch::kLong, "not ", x.dtype());
  auto wide = torch::empty({1}, torch::dtype(x.dtype())), other = torch::zeros({1}, y.options().dtype(x.dtype()));
  return wide.dtype() == other.dtype() ? y.to(x.dtype()) : y;
}
Tensor spectrum(Tensor x, std::vector<int64_t> size) { return torch::fft_fft2(x, size).abs(); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("signs", &signs); m.def("bits", &bits); m.def("written", &written); m.def("guarded", &guarded);
  m.def("ranges", &ranges); m.def("clip", &clip); m.def("named", &named); m.def("spectrum", &spectrum);
  m.def("typed", &typed);
}
"""
X, NUMBERS = torch.randn(3, 4), torch.tensor([[1, 2, 3], [2, 1, 2]])
CALLS = {
    "signs of integers": lambda built: built.signs(NUMBERS, NUMBERS.flip(0)),
    "signs of fractions": lambda built: built.signs(X, X.roll(1)),
    "signs that do not fit": lambda built: built.signs(X, X[:, :3]),
    "bits": lambda built: built.bits(NUMBERS, NUMBERS.flip(0)),
    "bits of truths": lambda built: built.bits(NUMBERS > 1, NUMBERS.flip(0) > 1),
    "bits of fractions": lambda built: built.bits(X, X),
    "written": lambda built: built.written(X.clone(), X),
    "written to one row": lambda built: built.written(X[:1].clone(), X),
    "guards": lambda built: built.guarded(torch.ones(2, requires_grad=True)),
    "ranges": lambda built: [built.ranges(2, 5), built.ranges(3, 1), built.ranges(-2, -1)],
    "macros": lambda built: [built.clip(0.5), built.clip(2.5)],
    "types": lambda built: built.typed(X.double(), X),
    "types that are refused": lambda built: built.typed(X, X),
    "names": lambda built: built.named(X, 1),
    "spectrum": lambda built: built.spectrum(X, [4, 4]),
}


@pytest.fixture(scope="module")
def fast(kit, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path_factory.mktemp("extensions")))
        for name in ("load", "load_inline"):
            patch.setattr(cpp_extension, name, getattr(cpp_extension, name))
        inline.install(str(kit))
        return cpp_extension.load_inline("idioms", SOURCE, no_implicit_headers=True)


def given_by(built, call):
    """What a call gives, or how it fails."""
    try:
        return call(built)
    except (RuntimeError, IndexError) as error:
        return type(error), str(error)


def test_signs_are_those_of_python(fast):
    for a, b in ((NUMBERS, NUMBERS.flip(0)), (X, X.roll(1))):
        pairs = ((a, b), (a, 2), (2, a))
        same = [p + q for p, q in pairs] + [p - q for p, q in pairs] + [p * q for p, q in pairs]
        same += [p % q for p, q in pairs] + [p < q for p, q in pairs] + [p <= q for p, q in pairs]
        same += [p > q for p, q in pairs] + [p >= q for p, q in pairs] + [p == q for p, q in pairs]
        same += [p != q for p, q in pairs] + [a == 1.5, a > 2.5]
        assert all(map(torch.equal, fast.signs(a, b), same))


def test_what_is_written_and_guarded_is_as_in_torch(fast):
    x, y = torch.randn(3, 4), torch.randn(2, 4)
    wanted = x.clone()
    wanted[0], wanted[1], wanted[2, 0] = y[1], 2.5, y[0, 0] + 1
    assert fast.written(x, y) is x
    assert torch.equal(x, wanted)
    assert fast.guarded(torch.ones(2, requires_grad=True)) == [True, False, True, False, True]
    assert fast.ranges(2, 5) == [2, 3, 4, 0, 1, 2, 3, 4]
    assert torch.equal(fast.named(x, 1), x[1])
    assert torch.equal(fast.typed(x.double(), x), x.double())
    with pytest.raises(RuntimeError, match=r"^not float$"):
        fast.typed(x, x)
    assert torch.equal(fast.spectrum(x, [4, 4]), torch.fft.fft2(x, (4, 4)).abs())


@pytest.mark.slow
def test_torchs_own_build_gives_the_same(fast, own_builds):
    own = cpp_extension.load_inline("idioms_of_torch", SOURCE, no_implicit_headers=True)
    for name, call in CALLS.items():
        ours, theirs = given_by(fast, call), given_by(own, call)
        if isinstance(theirs, torch.Tensor) or isinstance(theirs[0], torch.Tensor):
            assert all(map(torch.equal, ours, theirs)), name
            assert [each.dtype for each in ours] == [each.dtype for each in theirs], name
        else:
            assert ours == theirs, name


@pytest.mark.slow
def test_no_name_of_an_operator_spoils_a_build(kit, tmp_path):
    names = {path.name.removesuffix("_ops.h") for path in (INCLUDE / "ATen" / "ops").glob("*_ops.h")}
    names |= {match[1] for match in slim._METHOD.finditer((INCLUDE / "ATen" / "core" / "TensorBody.h").read_text())}
    names = {f"{name}{end}" for name in names for end in ("", "_", "_out", "_outf")} - {"and", "or", "xor"}
    variables = "".join(f"struct s{n} {{ int {name}; }};\n" for n, name in enumerate(sorted(names)))
    text = f"#include <torch/extension.h>\nnamespace own {{\n{variables}}}\n"
    inline._write_files(tmp_path, slim.prepare([text], INCLUDE) | {"main.cpp": text})
    given = {"name": "names", "extra_include_paths": None, "extra_cflags": ["-fsyntax-only"]}
    assert not inline._run_all([inline._compile(kit, tmp_path, "main.cpp", text, given, False)])


@pytest.mark.parametrize(
    "source",
    [
        "void f(torch::Tensor x) { TORCH_CHECK_WITH(ValueError, x.dim() == 2, x.dim()); }",
        "void f(torch::Tensor x) { AT_DISPATCH_ALL_TYPES_AND3(at::kHalf, at::kBool, at::kBFloat16, x.scalar_type(), "
        '"f", [&] { x.data_ptr<scalar_t>(); }); }',
    ],
)
def test_an_error_beside_a_macro_of_torchs_may_be_ours(load_inline, slow_way, source):
    load_inline("macro", source, functions=["f"])
    assert slow_way == ["macro"]


def test_files_are_built_torchs_own_way_and_that_is_printed(load_inline, monkeypatch, capsys):
    monkeypatch.setattr(cpp_extension, "load", lambda name, sources: (name, sources))
    inline.install(None)
    assert cpp_extension.load("files", ["a.cpp"]) == ("files", ["a.cpp"])
    assert capsys.readouterr().err.startswith(f"{inline.SLOW_WAY}files given to `load`")
