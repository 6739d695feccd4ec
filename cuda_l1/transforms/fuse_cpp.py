"""Regions as C++ for the CPU: a row at a time, in vector registers, rows spread over torch's threads.

A reduction ends a pass over the row; what later passes need of an earlier one is kept in a row of scratch memory, which
stays in the first cache. Exact functions of ATen's own vectors, no fast-math. Only float32.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from cuda_l1.transforms.match import shape
from cuda_l1.transforms.program import Program
from cuda_l1.transforms.regions import Region, decompose, expression, find, fuse, reduces, require
from cuda_l1.types import digest

OPERATIONS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "{0}.neg()",
    "relu": "at::vec::maximum({0}, Vec(0.0f))",
    "relu6": "at::vec::clamp({0}, Vec(0.0f), Vec(6.0f))",
    "sigmoid": "Vec(1.0f) / (Vec(1.0f) + {0}.neg().exp())",
    "silu": "{0} / (Vec(1.0f) + {0}.neg().exp())",
    "tanh": "{0}.tanh()",
    "exp": "{0}.exp()",
    "log": "{0}.log()",
    "sqrt": "{0}.sqrt()",
    "rsqrt": "Vec(1.0f) / {0}.sqrt()",
    "reciprocal": "Vec(1.0f) / {0}",
    "abs": "{0}.abs()",
    "erf": "{0}.erf()",
    "square": "{0} * {0}",
    "cube": "{0} * {0} * {0}",
    "gelu": "Vec(0.5f) * {0} * (Vec(1.0f) + ({0} * Vec(0.70710678118654752f)).erf())",
    "gelu_tanh": "Vec(0.5f) * {0} * (Vec(1.0f) + (Vec(0.79788456080286536f) * "
    "({0} + Vec(0.044715f) * {0} * {0} * {0})).tanh())",
    "leaky_relu": "Vec::blendv({0} * {1}, {0}, {0} > Vec(0.0f))",
    "hardsigmoid": "at::vec::clamp({0} + Vec(3.0f), Vec(0.0f), Vec(6.0f)) / Vec(6.0f)",
    "hardswish": "{0} * at::vec::clamp({0} + Vec(3.0f), Vec(0.0f), Vec(6.0f)) / Vec(6.0f)",
    "softsign": "{0} / (Vec(1.0f) + {0}.abs())",
}
JOIN = {"sum": "{0} + {1}", "mean": "{0} + {1}", "amax": "at::vec::maximum({0}, {1})"}
START = {"sum": "0.0f", "mean": "0.0f", "amax": "-std::numeric_limits<float>::infinity()"}

SERIAL = 32768
"""Elements below which waking other threads costs more than they save."""

HEADER = """\
#include <torch/csrc/utils/pybind.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/cpu/vec/functional.h>
#include <ATen/cpu/vec/vec.h>
#include <limits>
#include <vector>

using Vec = at::vec::Vectorized<float>;
constexpr int64_t L = Vec::size();

static inline Vec load(const float* p, int64_t n) { return n == L ? Vec::loadu(p) : Vec::loadu(p, n); }
static inline void store(const Vec& v, float* p, int64_t n) { n == L ? v.store(p) : v.store(p, n); }

// A tensor whose rows are contiguous, and the distance between them: slices of columns need no copy.
static at::Tensor rows_of(const at::Tensor& t, int64_t columns, int64_t* stride) {
  const bool sliced = t.dim() == 2 && t.size(1) == columns && t.stride(1) == 1;
  *stride = sliced ? t.stride(0) : columns;
  return sliced ? t : t.contiguous();
}
"""

LOADER = """
import torch.utils.cpp_extension

_CAPABILITY = torch.backends.cpu.get_cpu_capability()
_KERNELS = torch.utils.cpp_extension.load_inline(
    name={name!r},
    cpp_sources=_SOURCE,
    no_implicit_headers=True,
    extra_ldflags=["-fopenmp"],
    extra_cflags=["-O3", "-march=native", "-fopenmp",
                  f"-DCPU_CAPABILITY={{_CAPABILITY}}", f"-DCPU_CAPABILITY_{{_CAPABILITY}}"],
)
"""


def fused_cpp(program: Program) -> str:
    """Write the regions as C++ and call them."""
    decompose(program)
    program.propagate()
    regions = find(program, {torch.float32})
    require(regions)
    texts: dict[str, str] = {}
    names = []
    for region in regions:
        body = _kernel(program, region)
        names.append(texts.setdefault(body, f"fused_{len(texts)}"))
    source = "\n".join([HEADER, *(body.replace("NAME", name) for body, name in texts.items())])
    functions = list(texts.values())
    source += "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
    source += "".join(f'  m.def("{name}", &{name});\n' for name in functions) + "}\n"
    count = sum(len(region.nodes) for region in regions)
    fuse(program, regions, names)
    program.language = "cpp"
    loader = LOADER.format(name=f"fused_{digest(source)}")
    aliases = "\n".join(f"{name} = _KERNELS.{name}" for name in functions)
    program.helpers.append(f"_SOURCE = {source!r}\n{loader}\n{aliases}")
    program.guards += ["torch.is_grad_enabled()", *_not_float(program)]
    return f"{count} operations in {len(regions)} C++ kernels"


def _not_float(program: Program) -> list[str]:
    return [
        f"{name}.dtype != {value.dtype}"
        for name, value in program.inputs.items()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    ]


class _Writer:
    """The passes over a row: statements of each, and those between them."""

    def __init__(self, program: Program, region: Region):
        self.program, self.region = program, region
        self.full = shape(program, region.sink)
        self.index = {node: i for i, node in enumerate(region.nodes)}
        self.pass_of: dict[fx.Node, int] = {}
        self.inputs = {one.node: (i, one) for i, one in enumerate(region.inputs)}
        for node in region.nodes:
            before = [self.pass_of[n] for n in node.all_input_nodes if n in self.pass_of]
            self.pass_of[node] = max(before, default=0) + (1 if reduces(program, node) else 0)
        self.count = self.pass_of[region.sink] + 1

    def is_vector(self, node: fx.Node) -> bool:
        return shape(self.program, node) == self.full and not reduces(self.program, node)

    def kept(self) -> list[fx.Node]:
        """Vectors that a later pass reads."""
        return [
            node
            for node in self.region.nodes
            if self.is_vector(node)
            and any(self._reads_at(user) > self.pass_of[node] for user in node.users if user in self.index)
        ]

    def _reads_at(self, node: fx.Node) -> int:
        return self.pass_of[node] - (1 if reduces(self.program, node) else 0)

    def operand(self, value: Any) -> str:
        if not isinstance(value, fx.Node):
            return f"Vec({float(value)!r}f)"
        return f"v{self.index[value]}" if value in self.index else f"x{self.inputs[value][0]}"

    def assignment(self, node: fx.Node) -> str:
        found = expression(self.program, node)
        assert found is not None
        name, operands = found
        if name == "clamp":
            text = self.operand(operands[0])
            text = text if operands[1] is None else f"at::vec::maximum({text}, {self.operand(operands[1])})"
            text = text if operands[2] is None else f"at::vec::minimum({text}, {self.operand(operands[2])})"
        else:
            text = OPERATIONS[name].format(*map(self.operand, operands))
        return f"const Vec v{self.index[node]} = {text};"

    def step(self, number: int) -> list[str]:
        """What one pass does with `n` columns from column `i`."""
        kept = self.kept()
        here = [n for n in self.region.nodes if self.is_vector(n) and self.pass_of[n] == number]
        reductions = [n for n in self.region.nodes if reduces(self.program, n) and self.pass_of[n] == number + 1]
        read = dict.fromkeys(a for node in [*here, *reductions] for a in node.all_input_nodes)
        lines = []
        for node in read:
            if node in self.inputs and self.inputs[node][1].vector:
                lines.append(f"const Vec x{self.inputs[node][0]} = load(r{self.inputs[node][0]} + i, n);")
            elif node in self.index and self.is_vector(node) and self.pass_of[node] < number:
                lines.append(f"const Vec v{self.index[node]} = load(kept.data() + {kept.index(node)} * C + i, n);")
        for node in here:
            lines.append(self.assignment(node))
            if node in kept:
                lines.append(f"store(v{self.index[node]}, kept.data() + {kept.index(node)} * C + i, n);")
            if node is self.region.sink:
                lines.append(f"store(v{self.index[node]}, out + row * C + i, n);")
        for node in reductions:
            total = f"t{self.index[node]}"
            joined = JOIN[str(reduces(self.program, node))].format(total, self.operand(node.args[0]))
            lines.append(f"{total} = n == L ? {joined} : Vec::set({total}, {joined}, n);")
        return lines

    def between(self, number: int) -> list[str]:
        """After a pass: its reductions, and operations on one number a row."""
        lines = []
        for node in self.region.nodes:
            if self.pass_of[node] != number + 1 or self.is_vector(node):
                continue
            how = reduces(self.program, node)
            if how is None:
                lines.append(self.assignment(node))
                continue
            join = JOIN[how].format("a", "b")
            total = f"at::vec::vec_reduce_all<float>([](Vec a, Vec b) {{ return {join}; }}, t{self.index[node]})"
            lines.append(f"const Vec v{self.index[node]} = Vec({total}{' / C' if how == 'mean' else ''});")
        return lines


def _kernel(program: Program, region: Region) -> str:
    """A C++ function named NAME that computes a region."""
    writer = _Writer(program, region)
    inputs = list(enumerate(region.inputs))
    lines = [f"at::Tensor NAME({', '.join(f'const at::Tensor& a{i}' for i, _ in inputs)}) {{"]
    lines += [f"  constexpr int64_t R = {region.rows}, C = {region.columns};"]
    for i, one in inputs:
        lines.append(f"  int64_t s{i};")
        lines.append(f"  const at::Tensor b{i} = rows_of(a{i}, {'C' if one.vector else 1}, &s{i});")
        lines.append(f"  const float* p{i} = b{i}.const_data_ptr<float>();")
    size = ", ".join(map(str, writer.full or ()))
    some = next(i for i, _ in inputs)
    lines.append(f"  at::Tensor result = at::empty({{{size}}}, a{some}.options());")
    lines.append("  float* out = result.data_ptr<float>();")
    many = region.rows * region.columns >= SERIAL and region.rows > 1
    # torch's own number of threads, named because the compiler's OpenMP may be another library than torch's.
    lines.append("  const int threads = at::get_num_threads();" if many else "  {")
    lines += ["  #pragma omp parallel num_threads(threads)", "  {"] if many else []
    if writer.kept():
        lines.append(f"    std::vector<float> kept({len(writer.kept())} * C);")
    lines += ["    #pragma omp for schedule(static)"] if many else []
    lines.append("    for (int64_t row = 0; row < R; ++row) {")
    for i, one in inputs:
        at = "row" if one.inner == 1 else f"(row / {one.inner})"
        at = "0" if one.count == 1 else at if one.count * one.inner == region.rows else f"({at} % {one.count})"
        lines.append(f"      const float* r{i} = p{i} + {at} * s{i};")
        if not one.vector:
            lines.append(f"      const Vec x{i} = Vec(*r{i});")
    lines += [f"      {line}" for line in writer.between(-1)]
    for number in range(writer.count):
        for node in region.nodes:
            how = reduces(program, node)
            if how and writer.pass_of[node] == number + 1:
                lines.append(f"      Vec t{writer.index[node]} = Vec({START[how]});")
        step = writer.step(number)
        if step:
            lines.append(f"      auto pass{number} = [&](int64_t i, int64_t n) __attribute__((always_inline)) {{")
            lines += [f"        {line}" for line in step]
            lines.append("      };")
            lines.append(f"      for (int64_t i = 0; i + L <= C; i += L) pass{number}(i, L);")
            lines.append(f"      if (C % L) pass{number}(C - C % L, C % L);")
        lines += [f"      {line}" for line in writer.between(number)]
    lines += ["    }", "  }", "  return result;", "}", ""]
    return "\n".join(lines)
