"""What an inline extension needs of torch's headers, and no more: the slim headers and the operators that it names.

`cuda_l1/headers/` declares an `at::Tensor` of torch's own layout. Here flow: a candidate's sources in, out the three
generated headers beside them, with torch's own declarations (read from its installed headers) of every operator whose
name occurs in the sources. `lacking` names what sources say of torch that is certainly more than this.

NOT covered, and therefore compiled the slow way: operators that take generators, storages, streams or named
dimensions; modules (`torch::nn`), autograd functions, sparse and complex tensors; headers outside COVERED.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

HEADERS = Path(__file__).resolve().parent.parent / "headers"

_TENSOR = '#include "tensor.h"\n'
_BIND = '#ifdef CL1_BIND\n#include "bind.h"\n#endif\n'
_CUDA = '#include "cuda.h"\n'
COVERED = {
    **dict.fromkeys(
        (
            "torch/extension.h", "torch/python.h", "torch/csrc/utils/pybind.h", "pybind11/pybind11.h", "pybind11/stl.h",
        ),
        _TENSOR + _BIND,
    ),
    **dict.fromkeys(
        (
            "torch/types.h", "torch/torch.h", "torch/all.h", "ATen/ATen.h", "ATen/Tensor.h", "ATen/core/Tensor.h",
            "ATen/Functions.h", "ATen/Dispatch.h", "ATen/TensorUtils.h", "ATen/Parallel.h", "c10/util/Exception.h",
            "c10/core/Scalar.h", "c10/core/ScalarType.h", "c10/core/GradMode.h", "c10/util/Optional.h",
            "c10/util/ArrayRef.h", "c10/util/Half.h", "c10/util/BFloat16.h",
        ),
        _TENSOR,
    ),
    **dict.fromkeys(
        (
            "ATen/cuda/CUDAContext.h", "ATen/cuda/CUDAContextLight.h", "ATen/cuda/Exceptions.h",
            "c10/cuda/CUDAGuard.h", "c10/cuda/CUDAStream.h", "c10/cuda/CUDAException.h", "c10/cuda/CUDAFunctions.h",
        ),
        _CUDA,
    ),
}  # fmt: skip
"""Headers of torch that have a slim stand-in, with its text."""

_ALWAYS = {
    "add", "add_", "sub", "sub_", "mul", "mul_", "div", "div_", "remainder", "remainder_", "neg", "bitwise_not",
    "bitwise_and", "bitwise_and_", "bitwise_or", "bitwise_or_", "bitwise_xor", "bitwise_xor_", "lt", "le", "gt", "ge",
    "eq", "ne", "empty_like", "fill_", "copy_", "select", "item", "contiguous", "to",
}  # fmt: skip
"""Operators that tensor.h itself and torch's header of operator signs call."""
_BY_HAND = {"size", "stride", "contiguous", "is_contiguous", "cat", "options", "is_floating_point"}
"""Names that tensor.h defines itself."""
_FOREIGN = re.compile(
    r"Generator|ListRef|c10::List|Dimname|Storage|Stream|std::array|QScheme|SymBool|SymFloat|TensorIndex|hook_return"
)
"""Types that the slim headers do not have."""
_TOO_MUCH = re.compile(r"requires_grad\s*\((?!\s*(?:false\s*)?\))|\b(?:torch|at)::(?:nn|autograd|jit|optim|data)\b")

_FUNCTION = re.compile(r"^inline ([^\n(]+?) (\w+)\(([^\n]*)\) \{\n[^\n]*at::_ops::\w+::call\([^\n]*\n\}", re.MULTILINE)
_OPERATOR = re.compile(r"^struct TORCH_API (\w+) \{\n.*?^(  static [^\n]* call\([^\n]*\);)$", re.MULTILINE | re.DOTALL)
_METHOD = re.compile(r"^  (?!T )[^\n(]+? (\w+)\([^\n]*\) const;$", re.MULTILINE)
_METHOD_BODY = re.compile(
    r"^inline [^\n(]+? Tensor::(\w+)\(([^\n]*)\) const \{\n[^\n]*at::_ops::(\w+)::call\([^\n]*\n\}", re.MULTILINE
)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]((?:torch|ATen|c10|pybind11)/[^>"]+)[>"]', re.MULTILINE)
_OP_INCLUDE = re.compile(r"ATen/ops/\w+\.h")
_AS_IT_IS = {
    "ATen/cpu/vec/vec.h", "ATen/cpu/vec/functional.h", "ATen/TensorOperators.h", "c10/macros/Macros.h",
    "c10/util/irange.h",
}  # fmt: skip
"""torch's own, over the slim ones: they need little else of torch."""
_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)

_PARTS = {
    "BIND": re.compile(r"PYBIND11|pybind|\bpy::"),
    "REDUCED_FLOATS": re.compile(r"\bk?B?Half\b|BFloat16|_HALF|Float16|REDUCED|ATen/cpu/vec/"),
    "MACROS": re.compile(r"\bC10_(?!CUDA_)|\birange\b"),
    "VECTORS": re.compile(r"ATen/cpu/vec/"),
    "PARALLEL": re.compile(r"\bparallel_(?:for|reduce)\b|\b[gs]et_(?:num_threads|thread_num)\b|\bin_parallel_region\b"),
}
"""Parts of the slim headers that only some sources need, by what these say."""
STANDARD = {
    "algorithm": "max min sort fill copy transform clamp swap reverse find",
    "cassert": "assert",
    "cfloat": "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON",
    "climits": "INT_MAX INT_MIN LONG_MAX UINT_MAX LLONG_MAX",
    "cmath": "exp log sqrt tanh pow fabs ceil floor INFINITY NAN M_PI erf expf logf sqrtf tanhf fmaxf fminf isnan abs",
    "cstdio": "printf fprintf stderr stdout snprintf",
    "cstdlib": "exit abort malloc free getenv rand",
    "cstring": "memcpy memset strcmp strlen",
    "iostream": "cout cerr endl",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "unique_ptr shared_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock call_once once_flag",
    "numeric": "accumulate iota",
    "sstream": "stringstream ostringstream",
    "unordered_map": "unordered_map",
}
"""Standard headers that torch's own bring along, by the names for which sources rely on that."""
_DEVICE = {
    "cuda_fp16.h": re.compile(r"\b(?:__)?half2?\b|__half|2half"),
    "cuda_bf16.h": re.compile(r"nv_bfloat16|bfloat162"),
}
"""The same for CUDA's own, which torch's bring along for device code only."""


def lacking(sources: Sequence[str]) -> list[str]:
    """Headers and names of torch in these sources for which the slim headers certainly cannot do."""
    headers = _included(sources) - COVERED.keys() - _AS_IT_IS
    needed = sorted(name for name in headers if not _OP_INCLUDE.fullmatch(name))
    return needed + [match[0] for match in _TOO_MUCH.finditer(_code(sources))]


def prepare(sources: Sequence[str], torch_include: Path) -> dict[str, str]:
    """The generated headers for these sources, by file name."""
    text = _code(sources)
    operators = {name for name in _included(sources) if _OP_INCLUDE.fullmatch(name)}
    words = set(re.findall(r"\w+", text))
    names = {*words, *_ALWAYS, *(Path(name).stem for name in operators)}
    standard = [header for header, uses in STANDARD.items() if words & set(uses.split())]
    files = _declarations(names, torch_include)
    device = [header for header, use in _DEVICE.items() if use.search(text)]
    lines = [*_including(standard), "#ifdef __CUDACC__", *_including(device), "#endif", files["cl1_operators.h"]]
    return files | dict.fromkeys(operators, _TENSOR) | {"cl1_operators.h": "\n".join(lines)}


def _included(sources: Sequence[str]) -> set[str]:
    return set(_INCLUDE.findall("\n".join(sources)))


def _code(sources: Sequence[str]) -> str:
    """Without comments and texts."""
    return _COMMENT.sub(" ", "\n".join(sources))


def _including(headers: Sequence[str]) -> list[str]:
    return [f"#include <{header}>" for header in headers]


def flags(sources: Sequence[str]) -> list[str]:
    """Definitions that switch on the costlier parts of the slim headers."""
    text = "\n".join(sources)
    return [f"-DCL1_{part}" for part, use in _PARTS.items() if use.search(text)]


def _declarations(names: set[str], torch_include: Path) -> dict[str, str]:
    """torch's declarations of the operators named: structs, methods, and functions with the bodies of methods."""
    folder = torch_include / "ATen" / "ops"
    structs: list[str] = []
    functions: list[str] = []
    known: set[str] = set()
    for base in sorted({base for name in names if (base := _base(name, folder))}):
        for struct, call in _OPERATOR.findall((folder / f"{base}_ops.h").read_text()):
            if not _FOREIGN.search(call) and not call.startswith("  static c10::SymInt"):
                known.add(struct)
                structs.append(f'struct __attribute__((visibility("default"))) {struct} {{\n{call}\n}};')
        header = folder / f"{base}.h"
        functions += [
            match[0]
            for match in (_FUNCTION.finditer(header.read_text()) if header.exists() else ())
            if match[2] in names - _BY_HAND and not _foreign(match[3]) and _operator_of(match[0]) in known
        ]
    body = (torch_include / "ATen" / "core" / "TensorBody.h").read_text()
    bodies = [
        match[0]
        for match in _METHOD_BODY.finditer(body)
        if match[1] in names - _BY_HAND and not _foreign(match[2]) and match[3] in known
    ]
    methods = [m[0] for m in _METHOD.finditer(body) if m[1] in names - _BY_HAND and not _foreign(m[0])]
    return {
        "cl1_operators.h": _wrapped("at::_ops", structs),
        "cl1_methods.h": "\n".join(methods) + "\n",
        "cl1_functions.h": _wrapped("at", [*functions, *bodies]),
    }


def _base(name: str, folder: Path) -> str | None:
    """The operator's name without its marks for in-place and out."""
    stem = name.removesuffix("_outf").removesuffix("_out")
    for base in (stem, stem.removesuffix("_")):
        if base and (folder / f"{base}_ops.h").exists():
            return base
    return None


def _foreign(signature: str) -> bool:
    return bool(_FOREIGN.search(signature)) or "SymInt" in signature


def _operator_of(function: str) -> str:
    return function.partition("at::_ops::")[2].partition("::")[0]


def _wrapped(namespace: str, parts: list[str]) -> str:
    return f"namespace {namespace} {{\n" + "\n".join(parts) + f"\n}}  // namespace {namespace}\n"
