"""Candidates for `judge_speed.py`: honest inline CUDA, NVRTC and Triton kernels for KernelBench's problems.

A `Formula` is one fused operation of one problem; its candidate is the task's own source with a forward that calls the
kernel. A mark in the kernel's name makes every source new, so that no cache knows it. Sizes of level 1 are reduced, to
64 to 256 MB a tensor, because KernelBench's own would keep the other evaluators busy making inputs for minutes.
NOT covered: PyTorch rewrites, which come from `cuda_l1.transforms`; fast kernels, which nobody needs here.
"""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import Literal, NamedTuple

from cuda_l1 import tasks
from cuda_l1.types import Candidate, Language, Task

Flavour = Literal["cuda", "nvrtc", "triton"]

SIZES: dict[str, dict[str, str]] = {
    **{f"1/{number}": {"batch_size": "4096", "dim": "4096"} for number in (*range(19, 33), 38, 39)},
    "1/36": {"dim1": "64", "dim2": "64"},
    **{f"1/{number}": {"dim1": "512", "dim2": "511"} for number in (47, 48, 49, 53)},
}
"""Module-level constants of a problem that get other values."""


class Formula(NamedTuple):
    """One operation. Expressions speak of `x`, `p`, `q`; in rows of `m` and `s`, the row's maximum and sum."""

    problem: str
    family: Literal["pointwise", "rows", "columns"]
    c: tuple[str, ...]
    """pointwise: value. rows: summand, value. columns: start, step of `a` (double), value."""
    triton: tuple[str, ...] = ()
    x: str = "x"
    """Python: the tensor that the kernel reads."""
    params: str = "0.0, 0.0"
    """Python: p, q. Of columns: the shape of the output."""
    needs_max: bool = False


_GELU_C = "0.5f * {0} * (1.0f + erff({0} * 0.70710678f))"
_MISH_C = "{0} * tanhf({0} > 20.0f ? {0} : log1pf(expf({0})))"
# tanh(log(1 + e)) = (e * e + 2 * e) / (e * e + 2 * e + 2)
_MISH_T = "tl.where({0} > 20.0, {0}, {0} * (1.0 - 2.0 / ((tl.exp({0}) + 2.0) * tl.exp({0}) + 2.0)))"

FORMULAS: dict[str, Formula] = {
    "relu": Formula("1/19", "pointwise", ("fmaxf(x, 0.0f)",), ("tl.maximum(x, 0.0)",)),
    "leaky_relu": Formula("1/20", "pointwise", ("x > 0.0f ? x : x * p",), params="self.negative_slope, 0.0"),
    "sigmoid": Formula("1/21", "pointwise", ("1.0f / (1.0f + expf(-x))",)),
    "tanh": Formula("1/22", "pointwise", ("tanhf(x)",)),
    "swish": Formula("1/25", "pointwise", ("x / (1.0f + expf(-x))",), ("x / (1.0 + tl.exp(-x))",)),
    "gelu": Formula("1/26", "pointwise", (_GELU_C.format("x"),), ("0.5 * x * (1.0 + tl.erf(x * 0.70710678))",)),
    "selu": Formula("1/27", "pointwise", ("1.05070099f * (x > 0.0f ? x : 1.67326324f * expm1f(x))",)),
    "hard_sigmoid": Formula("1/28", "pointwise", ("fminf(fmaxf(x / 6.0f + 0.5f, 0.0f), 1.0f)",)),
    "softplus": Formula("1/29", "pointwise", ("x > 20.0f ? x : log1pf(expf(x))",),
                        ("tl.where(x > 20.0, x, tl.log(1.0 + tl.exp(x)))",)),
    "softsign": Formula("1/30", "pointwise", ("x / (1.0f + fabsf(x))",)),
    "elu": Formula("1/31", "pointwise", ("x > 0.0f ? x : p * expm1f(x)",), params="self.alpha, 0.0"),
    "hard_tanh": Formula("1/32", "pointwise", ("fminf(fmaxf(x, -1.0f), 1.0f)",)),
    "new_gelu": Formula(
        "1/88", "pointwise", ("0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))",),
        ("x * (1.0 - 1.0 / (tl.exp(1.59576912 * (x + 0.044715 * x * x * x)) + 1.0))",)),
    "softmax": Formula("1/23", "rows", ("expf(x - m)", "expf(x - m) / s"), ("tl.exp(x - m)", "tl.exp(x - m) / s"),
                       needs_max=True),
    "log_softmax": Formula("1/24", "rows", ("expf(x - m)", "x - m - logf(s)"), needs_max=True),
    "l1_norm": Formula("1/38", "rows", ("fabsf(x)", "x / (s / cols)")),
    "l2_norm": Formula("1/39", "rows", ("x * x", "x / sqrtf(s)"), ("x * x", "x / tl.sqrt(s)")),
    "sum": Formula("1/47", "columns", ("0.0", "a + x", "a"), params="x.shape[0], 1, x.shape[2]"),
    "mean": Formula("1/48", "columns", ("0.0", "a + x", "a / k"), params="x.shape[0], x.shape[2]"),
    "max": Formula("1/49", "columns", ("at[0]", "x > a ? x : a", "a"), params="x.shape[0], x.shape[2]"),
    "min": Formula("1/53", "columns", ("at[0]", "x < a ? x : a", "a"), params="x.shape[0], x.shape[2]"),
    "subtract_multiply_relu": Formula(
        "2/9", "pointwise", ("fmaxf((x - p) * q, 0.0f)",), ("tl.maximum((x - p) * q, 0.0)",), "self.linear(x)",
        "self.subtract_value, self.multiply_value"),
    "multiply_leaky_relu": Formula("2/12", "pointwise", ("x * p > 0.0f ? x * p : x * p * q",), (), "self.gemm(x)",
                                   "self.multiplier, self.leaky_relu.negative_slope"),
    "mish_mish": Formula("2/29", "pointwise", (), (_MISH_T.format(f"({_MISH_T.format('x')})"),), "self.linear(x)"),
    "relu_divide": Formula("2/63", "pointwise", ("fmaxf(x, 0.0f) / p",), (), "self.linear(x)", "self.divisor, 0.0"),
    "sigmoid_scale_add": Formula("2/70", "pointwise", ("x + p / (1.0f + expf(-x))",), (), "self.gemm(x)",
                                 "self.scaling_factor, 0.0"),
    "bias_relu": Formula("2/76", "pointwise", (), ("tl.maximum(x, 0.0)",),
                         "torch.addmm(self.bias, x, self.gemm.weight.t())"),
    "swish_clamp_tanh": Formula(
        "2/81", "pointwise", ("tanhf(fminf(fmaxf(x / (1.0f + expf(-x)) / 2.0f, -1.0f), 1.0f))",), (), "self.gemm(x)"),
    "divide_gelu": Formula("2/86", "pointwise", (_GELU_C.format("(x / p)"),), (), "self.linear(x)",
                           "self.divisor, 0.0"),
}  # fmt: skip

CHOSEN: dict[Flavour, tuple[str, ...]] = {
    "cuda": ("relu", "softmax", "sum", "divide_gelu", "leaky_relu", "log_softmax", "mean", "subtract_multiply_relu",
             "sigmoid", "l1_norm", "max", "relu_divide", "tanh", "l2_norm", "min", "sigmoid_scale_add", "swish", "gelu",
             "selu", "hard_sigmoid"),
    "nvrtc": ("softplus", "softmax", "multiply_leaky_relu", "sum", "softsign", "elu", "swish_clamp_tanh", "hard_tanh",
              "new_gelu", "mean"),
    "triton": ("relu", "softmax", "subtract_multiply_relu", "gelu", "l2_norm", "mish_mish", "swish", "softplus",
               "bias_relu", "new_gelu"),
}  # fmt: skip
"""Twenty inline CUDA, ten NVRTC, ten Triton; a sample of each takes the first, so families alternate."""

_C = {
    "pointwise": """
extern "C" __global__ void NAME(const float* in, float* out, int n, double p_, double q_) {
  const float p = p_, q = q_;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
    const float x = in[i];
    out[i] = EXPR0;
  }
}
""",
    "rows": """
extern "C" __global__ void NAME(const float* in, float* out, int cols) {
  __shared__ float part[256];
  in += (long long)blockIdx.x * cols;
  out += (long long)blockIdx.x * cols;
  float m = 0.0f;
  if (NEEDS_MAX) {
    float best = -3.402823466e38f;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) best = fmaxf(best, in[i]);
    part[threadIdx.x] = best;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
      __syncthreads();
    }
    m = part[0];
    __syncthreads();
  }
  float mine = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float x = in[i];
    mine += EXPR0;
  }
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  const float s = part[0];
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    const float x = in[i];
    out[i] = EXPR1;
  }
}
""",
    "columns": """
extern "C" __global__ void NAME(const float* in, float* out, int n, int k, int inner) {
  const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* at = in + i / inner * k * inner + i % inner;
  double a = EXPR0;
  for (int j = 0; j < k; ++j) {
    const float x = at[(long long)j * inner];
    a = EXPR1;
  }
  out[i] = EXPR2;
}
""",
}
_C_PARAMS = {"pointwise": "int n, double p, double q", "rows": "int cols", "columns": "int n, int k, int inner"}

_TRITON = {
    "pointwise": """
@triton.jit
def NAME(in_ptr, out_ptr, n, p, q, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(in_ptr + at, mask=at < n)
    tl.store(out_ptr + at, EXPR0, mask=at < n)
""",
    "rows": """
@triton.jit
def NAME(in_ptr, out_ptr, cols: tl.constexpr, BLOCK: tl.constexpr):
    first = tl.program_id(0).to(tl.int64) * cols
    most = tl.full((BLOCK,), -3.4e38, tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        most = tl.maximum(most, tl.load(in_ptr + first + at, mask=at < cols, other=-3.4e38))
    m = tl.max(most, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(in_ptr + first + at, mask=at < cols, other=0.0)
        sums += tl.where(at < cols, EXPR0, 0.0)
    s = tl.sum(sums, axis=0)
    for start in range(0, cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(in_ptr + first + at, mask=at < cols)
        tl.store(out_ptr + first + at, EXPR1, mask=at < cols)
""",
}

_LOADED = {
    "cuda": """
from torch.utils.cpp_extension import load_inline

_SOURCE = r'''#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
KERNEL
void run_NAME(torch::Tensor x, torch::Tensor out, int64_t blocks, PARAMS) {
  NAME<<<blocks, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), NAMES);
}
'''
_DECLARED = "void run_NAME(torch::Tensor x, torch::Tensor out, int64_t blocks, PARAMS);"
_launch = load_inline("NAME", cpp_sources=_DECLARED, cuda_sources=_SOURCE, functions=["run_NAME"]).run_NAME
""",
    "nvrtc": """
_kernel = torch.cuda._compile_kernel(r'''KERNEL''', "NAME")


def _launch(x, out, blocks, *rest):
    _kernel((blocks, 1, 1), (256, 1, 1), [x, out, *rest])
""",
    "triton": """
import triton
import triton.language as tl

KERNEL

def _launch(x, out, blocks, *rest):
    NAME[(blocks,)](x, out, *rest, BLOCK=1024)
""",
}

_FORWARD = {
    "pointwise": """
x = (X).contiguous()
out = torch.empty_like(x)
_launch(x, out, -(-x.numel() // 1024), x.numel(), *map(float, (PYTHON)))
return out
""",
    "rows": """
x = (X).contiguous()
out = torch.empty_like(x)
_launch(x, out, x.shape[0], x.shape[1])
return out
""",
    "columns": """
x = (X).contiguous()
out = torch.empty(PYTHON, device=x.device)
_launch(x, out, -(-out.numel() // 256), out.numel(), x.shape[1], x.shape[2])
return out
""",
}


@functools.cache
def problem(number: str, kernelbench: Path) -> Task:
    """KernelBench's problem of that number (`2/9`), in the sizes of these benchmarks."""
    return tasks.load(f"kernelbench:{number}", kernelbench=str(kernelbench), sizes=SIZES.get(number))


def candidate(name: str, flavour: Flavour, task: Task, mark: str) -> Candidate:
    """The task's source with its forward on a new kernel. KeyError for a flavour that the formula has not."""
    formula = FORMULAS[name]
    kernel = kernel_source(name, flavour, mark)
    params = _C_PARAMS[formula.family]
    named = f"{name}_{mark}"
    head = _filled(
        _LOADED[flavour].strip(),
        KERNEL=kernel.strip(),
        PARAMS=params.replace("int ", "int64_t "),
        NAMES=", ".join(part.split()[1] for part in params.split(",")),
        NAME=named,
    )
    forward = _filled(_FORWARD[formula.family], X=formula.x, PYTHON=formula.params)
    code = f"import torch\n\n{head}\n\n\n{with_forward(task.source, forward)}\n"
    language: Language = "triton" if flavour == "triton" else "cuda"
    return Candidate(task_id=task.id, code=code, language=language, origin="builtin", author=f"{flavour} {name}")


def kernel_source(name: str, flavour: Flavour, mark: str) -> str:
    """The kernel alone, under the name and the mark."""
    formula = FORMULAS[name]
    templates, parts = (_TRITON, formula.triton) if flavour == "triton" else (_C, formula.c)
    if not parts:
        raise KeyError(f"{name} has no {flavour} kernel")
    words = {f"EXPR{index}": part for index, part in enumerate(parts)}
    return _filled(templates[formula.family], **words, NEEDS_MAX=str(int(formula.needs_max)), NAME=f"{name}_{mark}")


def with_forward(source: str, forward: str) -> str:
    """A task's source with its class renamed to ModelNew and another body of `forward`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            node.name = "ModelNew"
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "forward":
                    method.body = ast.parse(forward).body
        elif isinstance(node, ast.Name) and node.id == "Model":
            node.id = "ModelNew"
    return ast.unparse(tree)


def _filled(template: str, **words: str) -> str:
    for word, text in words.items():
        template = template.replace(word, text)
    return template
