"""What kind of win it is, from what ran in the candidate beside what ran in the reference. Pure.

`labels` turns two profiles into labels, each with its evidence: `ran` when it was seen running, `source` when there is
no profile and only the text says so. A kernel that is built and never launched earns no label; `unlaunched` names it.
Labels change no verdict: the profile comes from the candidate's own process.

A kernel is the candidate's own when its code declares it; what neither it nor a known library declares is nobody's, and
earns no label by its name alone.

NOT covered: who wrote a kernel whose name belongs to a library (an extension that instantiates CUTLASS is `library`),
and names that a program makes up (macros that paste them, CuTe's and TileLang's generated ones).
"""

from __future__ import annotations

import collections
import re
from typing import Literal, NamedTuple

from cuda_l1.evidence.profile import Profile
from cuda_l1.evidence.signals import CUDA_KERNEL
from cuda_l1.types import Label, Language

Grade = Literal["ran", "source"]
Origin = Literal["copy", "torch", "library", "compile", "own", "unknown"]


class Labelled(NamedTuple):
    """A label, how good its evidence is, and the evidence."""

    label: Label
    grade: Grade
    detail: str


# Kernels by name. Names in a namespace of torch or a library cannot be a candidate's by accident; others are the
# candidate's when its code declares them. No list of library names is complete, so what is left over is `unknown`.
_COPY = re.compile(r"^(Memcpy|Memset)\b")
_TORCH_SPACE = re.compile(r"\b(at|at_cuda_detail|c10|thrust|cub|THCUNN)::")
_LIBRARY_SPACE = re.compile(
    r"\b(cublas\w*|cutlass\w*|cudnn\w*|cusparse\w*|cusolver\w*|cufft\w*|pytorch_flash|flash|internal::gemv\w*)::"
)
_INDUCTOR = re.compile(r"^triton_(poi|red|per|tem|for|mix|spl|unk)_")
_INDUCTOR_HOST = re.compile(r"^c[a-z0-9]{50,52}\.")
_LIBRARY_NAME = re.compile(
    r"^(void )?((volta|turing|ampere|hopper|blackwell|maxwell|sm\d+)_|cutlass_?\d*|cudnn|nvjet_|fmha_|gemmSN|gemmk1|"
    r"gemv\w*_kernel|gemvNSP|[sdch]gemm_|dot_kernel|reduce_1Block|splitKreduce|scal_kernel|implicit_convolve|"
    r"convolve_common|conv\dd_(grouped|c1_k1)|conv_depthwise|winograd|(folded)?[nN](hwc|chw)(AddPadding|To)|tensorTransform|"
    r"RNN_block|elemWiseRNN|LSTM_elementWise|GRU_elementWise|persistRNN|"
    r"(regular|vector|multi_bluestein|bluestein)_fft|nccl|magma_)"
)
_TORCH_NAME = re.compile(
    r"(vectorized_elementwise_kernel|unrolled_elementwise_kernel|elementwise_kernel_with_index|softmax_warp_forward|"
    r"CatArrayBatchedCopy|multi_tensor_apply_kernel|distribution_elementwise_grid_stride|cunn_\w*SoftMax|RowwiseMoments|"
    r"^reduction_\w+_kernel$|_vectorized\d+_kernel$)"  # the last two: torch's own through its jiterator
)

# What a library does for the caller, by operator and by kernel.
_OPERATORS = {
    "product": re.compile(r"^(mm|bmm|addmm|addbmm|baddbmm|addmv_?|dot|_addmm_activation|_int_mm|_scaled_mm|"
                          r"_grouped_mm|mkldnn_linear|_mkl_linear|_linear_pointwise)$"),
    "convolution": re.compile(r"^(mkldnn_convolution|cudnn_convolution\w*|_slow_conv2d_forward|thnn_conv2d|"
                              r"slow_conv3d_forward|slow_conv_\w+|_conv_depthwise2d|conv_depthwise3d|"
                              r"_convolution_pointwise|_nnpack_spatial_convolution)$"),
    "attention": re.compile(r"^(_flash_attention_forward|_efficient_attention_forward|_cudnn_attention_forward|"
                            r"_scaled_dot_product_\w*attention\w*)$"),
    "recurrence": re.compile(r"^(_cudnn_rnn|mkldnn_rnn_layer|_thnn_fused_(lstm|gru)_cell|miopen_rnn)$"),
    "normalisation": re.compile(r"^(native_(layer|group|batch)_norm|_native_batch_norm_legit\w*|cudnn_batch_norm|"
                                r"_fused_rms_norm|_batch_norm_impl_index)$"),
    "softmax": re.compile(r"^(_softmax|_log_softmax|_safe_softmax)$"),
    "pooling": re.compile(r"^(avg_pool[23]d|max_pool[23]d_with_indices|mkldnn_max_pool[23]d|_adaptive_avg_pool[23]d|"
                          r"adaptive_max_pool[23]d)$"),
    "scan": re.compile(r"^(_?cumsum|_?cumprod|_logcumsumexp|_cummax_helper|_cummin_helper)$"),
    "sort": re.compile(r"^(sort|topk|kthvalue|median|unique\w*)$"),
    "fft": re.compile(r"^_fft_(c2c|r2c|c2r)$"),
    "embedding": re.compile(r"^(_embedding_bag\w*|embedding|index_select)$"),
}  # fmt: skip
_KERNELS = {
    "attention": re.compile(r"flash|fmha|sdpa"),
    "recurrence": re.compile(r"RNN|LSTM_element|GRU_element"),
    "convolution": re.compile(r"fprop|conv|winograd|cudnn"),
    "fft": re.compile(r"fft"),
}
_TIDY = re.compile(
    r"^((new_)?(empty|zeros|ones|full)\w*|as_strided_?|view\w*|_?unsafe_view|_?reshape\w*|expand\w*|t|transpose|permute|select|slice|narrow|"
    r"squeeze\w*|unsqueeze\w*|flatten|detach_?|alias|resolve_\w+|resize_\w*|to|_to_copy|contiguous|clone|copy_|fill_|"
    r"zero_|unbind|split\w*|chunk|result_type|item|_local_scalar_dense|lift_fresh|is_nonzero|set_|masked_fill|"
    r"matmul|linear|conv\dd|_?convolution|broadcast_tensors|mv|einsum|layer_norm|batch_norm|group_norm)$"
)

# Number formats, by kernel name and by the dispatcher's name of a type.
_FORMATS = {
    "bf16": re.compile(r"bf16|bfloat16|nvjet_(sm\d+_)?t", re.IGNORECASE),
    "fp16": re.compile(r"(?<!b)f16(?!\d)|fp16|c10::Half|\b__half|_half|hgemm|h884|h1688|h16816|nvjet_(sm\d+_)?h"),
    "tf32": re.compile(r"tf32|s1688(?!\w*(bf16|f16))"),
    "fp8": re.compile(r"e4m3|e5m2|float8|fp8", re.IGNORECASE),
    "int8": re.compile(r"_imma_|i8i8|int8|s8s8|_int_mm"),
}

# What code declares: kernels of CUDA (NVRTC's are in its text too), Triton and Numba, and functions for the jiterator.
_LONGEST_NAME = 4096
_PYTHON = re.compile(r"@(?:triton\.|(?:numba\.)?cuda\.)?jit\b[^\n]*\n(?:\s*@[^\n]*\n)*\s*def\s+(\w+)\s*\(")
_JITERATOR = re.compile(r"\btemplate\s*<[^<>]*>\s*\w+\s+(\w+)\s*\(")
_GENERATED = re.compile(r"(_vectorized\d+)?_kernel$|_\d+$")
"""What the jiterator, and Inductor of a Triton kernel of the user's, append to a name."""
_SOURCE: tuple[tuple[Label, re.Pattern[str]], ...] = (
    ("kernel", re.compile(r"__global__|\bload_inline\s*\(|@(triton\.)?jit\b|_compile_kernel\s*\(")),
    ("graph", re.compile(r"\bCUDAGraph\s*\(|cuda\.graph\s*\(|make_graphed_callables")),
    ("compile", re.compile(r"torch\.compile\b")),
    ("flags", re.compile(r"allow_tf32|cudnn\.benchmark|set_float32_matmul_precision|set_num_threads")),
    ("precision", re.compile(r"\.half\(\)|\.bfloat16\(\)|float16|autocast|__half\b|__nv_bfloat16")),
)


def labels(
    candidate: Profile | None, reference: Profile | None, code: str, language: Language = "torch"
) -> list[Labelled]:
    """The labels of a candidate with `code`, in the order of `types.Label`.

    Without both profiles only the source speaks.
    """
    if candidate is None or reference is None:
        return _from_source(code, language)
    found = [
        _kernel(candidate, reference, code), _library(candidate, reference, code), _graph(candidate, reference),
        _compile(candidate, reference, code), _flags(candidate, reference), _precision(candidate, reference),
    ]  # fmt: skip
    seen = [label for label in found if label is not None]
    algebra = _algebra(candidate, reference, {one.label for one in seen})
    order = ("kernel", "library", "graph", "compile", "algebra", "flags", "precision")
    return sorted([*seen, *([algebra] if algebra else [])], key=lambda one: order.index(one.label))


def unlaunched(candidate: Profile, code: str) -> list[str]:
    """Device kernels that the code defines, when not one of them ran; empty when one did."""
    ran = any(origin(kernel.name, code) == "own" for kernel in candidate.kernels)
    return [] if ran else sorted(_defined(code))


def origin(name: str, code: str) -> Origin:
    """Whose a device kernel is, by its demangled name and the candidate's code."""
    if _COPY.search(name):
        return "copy"
    path = _path(name)
    if _LIBRARY_SPACE.search(path):
        return "library"
    if _TORCH_SPACE.search(path):
        return "torch"
    if _is_declared(_base(name), code):
        return "own"
    if _INDUCTOR.search(name):
        return "compile"
    if _LIBRARY_NAME.search(name):
        return "library"
    return "torch" if _TORCH_NAME.search(name) or _TORCH_SPACE.search(name) else "unknown"


def _is_declared(base: str, code: str) -> bool:
    """Whether the code defines the kernel, or asks for it by its name in quotes (CuPy, a module's `get_function`)."""
    if {base, _GENERATED.sub("", base)} & _defined(code):
        return True
    functions = _JITERATOR.findall(code) if "jiterator" in code else []
    return _GENERATED.sub("", base) in functions or bool(re.search(rf"""["']{re.escape(base)}["']""", code))


def _path(name: str) -> str:
    """The function with its namespaces, without template arguments and parameters."""
    path = name[:_LONGEST_NAME].replace("(anonymous namespace)::", "")
    while (shorter := re.sub(r"<[^<>]*>", "", path)) != path:
        path = shorter
    return path.partition("(")[0]


def _base(name: str) -> str:
    """The function's own name, without return type, namespaces, template arguments and parameters."""
    return _path(name).split("::")[-1].split(" ")[-1].strip()


def _defined(code: str) -> set[str]:
    return set(CUDA_KERNEL.findall(code)) | set(_PYTHON.findall(code))


def _from_source(code: str, language: Language) -> list[Labelled]:
    found = [
        Labelled(label, "source", f"the code says `{match.group(0).strip()}`")
        for label, pattern in _SOURCE
        if (match := pattern.search(code))
    ]
    if language != "torch" and not any(one.label == "kernel" for one in found):
        found.insert(0, Labelled("kernel", "source", f"submitted as {language}"))
    return found


def _kernel(candidate: Profile, reference: Profile, code: str) -> Labelled | None:
    own = [kernel for kernel in candidate.kernels if origin(kernel.name, code) == "own"]
    if own:
        total = sum(kernel.us for kernel in candidate.kernels) or 1.0
        share = sum(kernel.us for kernel in own) / total
        return Labelled("kernel", "ran", f"{_some(_base(k.name) for k in own)}: {share:.0%} of the device's time")
    its = {kernel.name for kernel in reference.kernels}
    new = [k.name for k in candidate.kernels if k.name not in its and origin(k.name, code) == "unknown"]
    if candidate.kernels and not new:
        return None
    # On a CPU, and where a kernel was loaded from elsewhere, an extension that was called is the evidence.
    called = [name for name in candidate.functions if not _INDUCTOR_HOST.search(name)]
    called += [name for name in candidate.operators if name.partition("::")[0] not in _TORCH_NAMESPACES]
    beside = f", beside kernels of unknown origin: {_some(map(_base, new))}" if new else ""
    return Labelled("kernel", "ran", f"extension functions called: {_some(called)}{beside}") if called else None


_TORCH_NAMESPACES = frozenset({"aten", "prims", "prim", "quantized", "mkldnn", "mkl", "onednn", "inductor", "profiler",
                               "c10d", "torch", "triton", "higher_order", "_quantized", "rngprims"})  # fmt: skip


def _uses(profile: Profile, code: str) -> set[str]:
    """What libraries did in the call."""
    found = set(_heavy(profile))
    for kernel in profile.kernels:
        if origin(kernel.name, code) == "library":
            found.add(next((what for what, pattern in _KERNELS.items() if pattern.search(kernel.name)), "product"))
    return found


def _heavy(profile: Profile) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for name, count in profile.operators.items():
        short = name.partition("::")[2]
        counts.update({what: count for what, pattern in _OPERATORS.items() if pattern.search(short)})
    return counts


def _library(candidate: Profile, reference: Profile, code: str) -> Labelled | None:
    new = sorted(_uses(candidate, code) - _uses(reference, ""))
    if not new:
        return None
    return Labelled("library", "ran", f"a library's {_some(new)}, which the reference does not use")


def _graph(candidate: Profile, reference: Profile) -> Labelled | None:
    if not candidate.graph or reference.graph:
        return None
    return Labelled("graph", "ran", "a CUDA graph was launched")


def _compile(candidate: Profile, reference: Profile, code: str) -> Labelled | None:
    if reference.compiled:
        return None
    kernels = [kernel.name for kernel in candidate.kernels if origin(kernel.name, code) == "compile"]
    kernels += [name.rpartition(".")[2] for name in candidate.functions if _INDUCTOR_HOST.search(name)]
    if not kernels and not candidate.compiled:
        return None
    return Labelled("compile", "ran", f"compiled by torch.compile: {_some(kernels) or 'a region without kernels'}")


def _flags(candidate: Profile, reference: Profile) -> Labelled | None:
    changed = [
        f"{name} is {value}, the reference's is {reference.flags[name]}"
        for name, value in candidate.flags.items()
        if name in reference.flags and reference.flags[name] != value
    ]
    return Labelled("flags", "ran", "; ".join(changed)) if changed else None


def _formats(profile: Profile) -> dict[str, str]:
    """Number formats below float32 that show, each with the name that shows it."""
    names = [*(kernel.name for kernel in profile.kernels), *profile.dtypes, *profile.operators]
    return {what: name for what, pattern in _FORMATS.items() for name in names if pattern.search(name)}


def _precision(candidate: Profile, reference: Profile) -> Labelled | None:
    known = _formats(reference)
    new = {what: name for what, name in _formats(candidate).items() if what not in known}
    if not new:
        return None
    return Labelled("precision", "ran", "; ".join(f"{what} in {name[:80]}" for what, name in new.items()))


def _algebra(candidate: Profile, reference: Profile, others: set[Label]) -> Labelled | None:
    if others & {"kernel", "library", "graph", "compile"}:
        return None  # the operators are hidden in those, or differ because of them
    if (heavy := _counts("", _heavy(candidate), _heavy(reference))) is not None:
        return heavy
    if candidate.flops < 0.7 * reference.flops:
        return Labelled(
            "algebra",
            "ran",
            f"{candidate.flops:.3g} operations in products and convolutions, not {reference.flops:.3g}",
        )
    if others:
        return None
    return _counts("other operators: ", _work(candidate), _work(reference))


def _counts(what: str, own: collections.Counter[str], its: collections.Counter[str]) -> Labelled | None:
    differing = [
        f"{name} {own[name]} times instead of {its[name]}" for name in sorted(own | its) if own[name] != its[name]
    ]
    return Labelled("algebra", "ran", what + _some(differing)) if differing else None


def _work(profile: Profile) -> collections.Counter[str]:
    """Operators that compute, by name; in place or not is the same."""
    counts: collections.Counter[str] = collections.Counter()
    for name, count in profile.operators.items():
        short = name.partition("::")[2]
        counts.update({} if _TIDY.search(short) else {short.rstrip("_"): count})
    return counts


def _some(names: collections.abc.Iterable[str]) -> str:
    every = list(dict.fromkeys(names))
    return ", ".join(every[:4]) + (f" and {len(every) - 4} more" if len(every) > 4 else "")
