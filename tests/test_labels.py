"""Labels from what ran: real calls on a CPU, and the names that kernels have on a GPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from pydantic import ValidationError
from torch import nn

from cuda_l1.evidence import labels, profile
from cuda_l1.evidence.profile import Profile
from cuda_l1.judge import explain
from cuda_l1.types import MOST_COUNT, MOST_QUANTITY, Kernel

IDLE = Profile(
    kernels=(), operators={}, dtypes=("float",), functions={}, graph=False, compiled=False, flags={}, flops=0
)
OWN = 'source = "__global__ void __launch_bounds__(256) scale(float* x) {}"\n'


def ran(*names: str, **fields: Any) -> Profile:
    """A profile in which these device kernels ran."""
    kernels = tuple(Kernel(name=name, count=1, us=1.0) for name in names)
    return IDLE.model_copy(update={"kernels": kernels, **fields})


def found(candidate: Profile | None, reference: Profile | None = IDLE, code: str = "") -> dict[str, str]:
    return {one.label: one.grade for one in labels.labels(candidate, reference, code)}


def recorded(module: nn.Module, *values: torch.Tensor) -> Profile:
    return Profile.model_validate(profile.record(module.eval(), list(values)))


class Of(nn.Module):
    """A module with this forward."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, *values: torch.Tensor) -> torch.Tensor:
        out = self.function(*values)
        assert isinstance(out, torch.Tensor)
        return out


X = torch.randn(16, 16)

# What real profiles on NVIDIA GPUs call them.
ORIGINS = {
    "Memcpy DtoD (Device -> Device)": "copy",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >"
    "(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)": "torch",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float)": "torch",
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, int)": "torch",
    "void at_cuda_detail::cub::DeviceScanKernel<float>(float*)": "torch",
    "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_kernel_cublas": "library",
    "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(cutlass_80_simt_sgemm::Params)": "library",
    "nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NNT": "library",
    "void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasLt::cublasSplitKParams<float>)": "library",
    "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, float>(float)": "library",
    "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64> >(pytorch_flash::Flash_fwd_params)": "library",
    "fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float>::Params)": "library",
    "triton_poi_fused_add_relu_0": "compile",
    "triton_red_fused_native_layer_norm_1": "compile",
    "scale": "own",
    "scale(float*)": "own",
    "void mine::scale<float, 4>(float*)": "own",
    "(anonymous namespace)::scale(float*)": "own",
    "void scale<c10::Half>(c10::Half const*, c10::Half*)": "own",
    "std::enable_if<true, void>::type mine::scale<float>(float*)": "own",
    "row_softmax_kernel": "unknown",
    "init_device_workspace_kernel": "unknown",
    "memcpy32_post": "unknown",
    # The following have no namespace, and were once taken for the candidate's.
    "reduction_prod_kernel": "torch",
    "void sgemm_largek_lds64<true, false, 5, 5, 4, 4, 4, 34>(float*, float const*, float const*, int)": "library",
    "void tensorTransformGeneric<float, float, float, true, false, false, (cudnnKernelDataType_t)2>"
    "(cudnnTensorTransformStruct, tensorTransformParams, int)": "library",
    "void nhwcAddPaddingKernel<__half, __half, float, true, (cudnnKernelDataType_t)0>(int, int)": "library",
    "void foldedNhwcToNchwKernel<float, float, float, true, (cudnnKernelDataType_t)0>(int, int)": "library",
    "conv2d_c1_k1_nhwc": "library",
}

# What code declares, and the name of the kernel that comes of it.
DECLARED = {
    "load_inline": ('cuda_sources="""extern "C" __global__ void mine(float* x) {}"""', "mine"),
    "a template with bounds": (
        "template <typename T, int N>\n__global__ __launch_bounds__(256, 2) void mine(T* x) {}",
        "void mine<float, 4>(float*)",
    ),
    "a cluster": ("__global__ void __cluster_dims__(2, 1, 1) mine(float* x) {}", "mine(float*)"),
    "NVRTC": ("torch.cuda._compile_kernel('__global__ void mine(float* x) {}', 'mine')", "mine"),
    "Triton": ("@triton.autotune(configs)\n@triton.jit\ndef mine(x):\n    pass", "mine"),
    "Triton's, compiled by Inductor": ("@triton.jit\ndef mine(x):\n    pass", "mine_0"),
    "Numba": ("@cuda.jit\ndef mine(x):\n    pass", "cudapy::__main__::mine(Array<float, 1, C, mutable, aligned>)"),
    "CuPy": ("cupy.ElementwiseKernel('T x', 'T y', 'y = x', 'mine')", "mine"),
    "the jiterator": (
        "torch.cuda.jiterator._create_jit_fn('template <typename T> T mine(T x) { return x; }')",
        "mine_vectorized4_kernel",
    ),
}


@pytest.mark.parametrize("case", DECLARED)
def test_what_the_code_declares_is_its_own(case: str) -> None:
    code, name = DECLARED[case]
    assert labels.origin(name, code) == "own"
    assert labels.origin(name, "x = mine(y)  # a function of that name declares no kernel") != "own"


def test_a_librarys_kernel_is_not_the_candidates_though_both_end_in_one_word() -> None:
    code = "__global__ void kernel(float* x) {}"
    assert labels.origin("kernel(float*)", code) == "own"
    gemv = "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float, float>(float)"
    assert labels.origin(gemv, code) == "library"
    assert labels.unlaunched(ran(gemv), code) == ["kernel"]


def test_a_kernel_of_unknown_origin_is_a_kernel_only_beside_an_extension_that_was_called() -> None:
    assert found(ran("init_device_workspace_kernel")) == {}
    called = ran("row_softmax_kernel", functions={"elsewhere.softmax": 1})
    assert found(called) == {"kernel": "ran"}
    assert found(called, ran("row_softmax_kernel")) == {}
    assert found(ran("ampere_sgemm_128x64_tn", functions={"elsewhere.gemm": 1})) == {"library": "ran"}


@pytest.mark.parametrize("name", ORIGINS)
def test_a_kernel_is_known_by_its_name(name: str) -> None:
    assert labels.origin(name, OWN) == ORIGINS[name]


def test_a_kernel_is_its_authors_even_under_inductors_name() -> None:
    code = "@triton.jit\ndef triton_poi_fused_add_0(x):\n    pass\n"
    assert labels.origin("triton_poi_fused_add_0", code) == "own"
    assert labels.origin("triton_poi_fused_mul_0", code) == "compile"


def test_a_launched_kernel_is_a_kernel() -> None:
    assert found(ran("scale(float*)"), code=OWN) == {"kernel": "ran"}
    assert labels.unlaunched(ran("scale(float*)"), OWN) == []


def test_a_kernel_that_is_built_and_not_launched_is_none() -> None:
    decoy = ran("void at::native::vectorized_elementwise_kernel<4, float>(int)")
    assert found(decoy, code=OWN) == {}
    assert labels.unlaunched(decoy, OWN) == ["scale"]


def test_a_library_counts_only_where_the_reference_uses_none() -> None:
    gemm, other = "ampere_sgemm_128x64_tn", "void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64>(int)"
    assert found(ran(gemm)) == {"library": "ran"}
    assert found(ran(gemm), ran(other)) == {}
    assert found(ran(gemm, "pytorch_flash::flash_fwd_kernel<float>(int)"), ran(gemm)) == {"library": "ran"}


def test_graph_and_compile() -> None:
    assert found(ran("Memcpy DtoD (Device -> Device)", graph=True)) == {"graph": "ran"}
    assert found(ran("triton_per_fused_sum_0", compiled=True)) == {"compile": "ran"}
    assert found(ran("triton_per_fused_sum_0", compiled=True), ran(compiled=True)) == {}


def test_a_lower_precision_counts_only_where_the_reference_has_none() -> None:
    tf32 = "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32"
    fp32 = "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8"
    assert found(ran(tf32), ran(fp32)) == {"precision": "ran"}
    assert found(ran(tf32), ran(tf32)) == {}
    assert found(ran(fp32), ran(fp32)) == {}
    bf16 = ran("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_NNT")
    assert "bf16" in next(o.detail for o in labels.labels(bf16, ran(fp32), "") if o.label == "precision")


def test_without_a_profile_the_source_speaks() -> None:
    code = OWN + "g = torch.cuda.CUDAGraph()\n"
    assert found(None, IDLE, code) == {"kernel": "source", "graph": "source"}
    assert labels.labels(None, None, "code", "triton")[0].label == "kernel"


def test_a_module_compared_with_itself_has_no_label() -> None:
    module = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.LayerNorm(16))
    own = recorded(module, X)
    assert own.operators["aten::addmm"] == 1
    assert own.flops == 2 * 16**3
    assert own.kernels == ()
    assert found(own, own) == {}


def test_a_product_that_became_a_scaling_is_algebra() -> None:
    d = torch.randn(16)
    reference = recorded(Of(lambda d, x: torch.diag(d) @ x), d, X)
    assert found(recorded(Of(lambda d, x: d[:, None] * x), d, X), reference) == {"algebra": "ran"}


def test_a_smaller_product_is_algebra() -> None:
    weights = torch.randn(16, 16)
    reference = recorded(Of(lambda x: (x @ weights).sum(1)), X)
    assert found(recorded(Of(lambda x: x @ weights.sum(1, keepdim=True)), X), reference) == {"algebra": "ran"}


def test_attention_by_the_library() -> None:
    q = torch.randn(1, 2, 8, 16)
    by_hand = recorded(Of(lambda q: torch.softmax(q @ q.transpose(-1, -2) / 4, -1) @ q), q)
    fused = recorded(Of(lambda q: nn.functional.scaled_dot_product_attention(q, q, q)), q)
    assert "library" in found(fused, by_hand)


def test_a_cast_is_precision() -> None:
    reference = recorded(Of(lambda x: x @ x), X)
    assert "precision" in found(recorded(Of(lambda x: (x.bfloat16() @ x.bfloat16()).float()), X), reference)


def test_a_flag_that_stays_changed_is_flags() -> None:
    torch.backends.cudnn.benchmark = False  # whatever ran in this process before
    reference = recorded(Of(torch.relu), X)

    def fast(x: torch.Tensor) -> torch.Tensor:
        torch.backends.cudnn.benchmark = True
        return torch.relu(x)

    try:
        assert found(recorded(Of(fast), X), reference) == {"flags": "ran"}
    finally:
        torch.backends.cudnn.benchmark = False


def test_flags_that_torch_refuses_to_read_are_said() -> None:
    before = torch.backends.cuda.matmul.fp32_precision
    try:
        torch.backends.cuda.matmul.fp32_precision = "tf32"
        assert recorded(Of(torch.relu), X).flags["matmul.allow_tf32"] == "set through both interfaces"
    finally:
        torch.backends.cuda.matmul.fp32_precision = before


def test_an_extensions_function_is_a_kernel_on_a_cpu() -> None:
    called = IDLE.model_copy(update={"functions": {"mine.fused": 1}})
    assert found(called) == {"kernel": "ran"}
    assert found(IDLE.model_copy(update={"functions": {f"c{'a' * 51}.kernel": 1}})) == {"compile": "ran"}


def test_c_functions_of_strangers_are_recorded() -> None:
    import pydantic_core

    def forward(x: torch.Tensor) -> torch.Tensor:
        pydantic_core.to_json([1])
        return torch.relu(x)

    assert list(recorded(Of(forward), X).functions) == ["pydantic_core._pydantic_core.to_json"]


def test_the_profiler_says_nothing_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    recorded(Of(torch.relu), X)
    assert capfd.readouterr().err == ""


# What a profile says beside the labels: times, and what CUPTI records of a kernel.


def device_event(name: str, us: float, **said: str) -> Any:
    """An event of the device as torch's profiler makes it of CUPTI's records."""
    from torch._C._autograd import DeviceType
    from torch.autograd.profiler_util import FunctionEvent

    return FunctionEvent(
        id=1, name=name, thread=7, start_us=10.0, end_us=10.0 + us, device_type=DeviceType.CUDA, extra_meta=said or None
    )  # type: ignore[no-untyped-call]


def test_registers_occupancy_and_copied_bytes_are_read_where_the_profiler_has_them() -> None:
    # The keys and their spelling are those of kineto's CuptiActivity.cpp: `metadataJson` of kernels and of copies.
    kernel = {
        "queued": "0", "device": "0", "context": "1", "stream": "7", "correlation": "44", "registers per thread": "40",
        "shared memory": "16384", "blocks per SM": "7.757576", "warps per SM": "62.060606", "grid": "[1024, 1, 1]",
        "block": "[256, 1, 1]", "est. achieved occupancy %": "75",
    }  # fmt: skip
    wider = kernel | {"registers per thread": "96", "est. achieved occupancy %": "25"}
    copy = {"device": "0", "stream": "7", "correlation": "45", "bytes": "4096", "memory bandwidth (GB/s)": "2.56"}
    found = profile._sorted_out(
        [
            device_event("gemm", 30.0, **kernel),
            device_event("gemm", 10.0, **wider),
            device_event("Memcpy DtoD (Device -> Device)", 1.5, **copy),
            device_event("graph_node", 2.0),
        ]
    )
    assert [Kernel.model_validate(one) for one in found["kernels"]] == [
        Kernel(name="gemm", count=2, us=40.0, registers=96, occupancy=0.25),
        Kernel(name="Memcpy DtoD (Device -> Device)", count=1, us=1.5, bytes=4096),
        Kernel(name="graph_node", count=1, us=2.0),
    ]


def test_spills_are_read_where_triton_has_loaded_a_kernel() -> None:
    class CompiledKernel:
        """As triton.compiler.compiler.CompiledKernel: `n_spills` is None until the kernel is first launched."""

        def __init__(self, name: str, n_spills: int | None) -> None:
            self.name, self.n_spills = name, n_spills

    objects = [CompiledKernel("k", 4), CompiledKernel("k", 16), CompiledKernel("new", None), "k", object()]
    assert profile._local_bytes(objects) == {"k": 64}


def test_a_kernel_is_given_the_bytes_of_the_operator_that_launched_it() -> None:
    from torch.autograd.profiler_util import FunctionEvent

    operator = FunctionEvent(
        id=1, name="aten::mul", thread=1, start_us=0.0, end_us=9.0, input_shapes=[[8, 4], [], [2]],
        input_dtypes=["float", "Scalar", "c10::Half"],
    )  # type: ignore[no-untyped-call]  # fmt: skip
    operator.append_kernel("mul_kernel", 0, 3.0)
    found = profile._sorted_out([operator, device_event("mul_kernel", 3.0)])
    assert found["kernels"] == [{"name": "mul_kernel", "count": 1, "us": 3.0, "bytes": 8 * 4 * 4 + 2 * 2}]
    assert found["operator_bytes"] == {"aten::mul": 8 * 4 * 4 + 2 * 2}


def test_on_a_cpu_operators_have_times_of_their_own_and_bytes() -> None:
    found = recorded(Of(lambda x: torch.softmax(x @ x, 0)), X)
    assert found.kernels == ()
    assert set(found.operator_us) == set(found.operators)
    assert found.operator_us["aten::mm"] > 0
    assert found.operator_bytes["aten::mm"] == 2 * 16 * 16 * 4
    ran = explain.most_time(found)
    assert [one.us for one in ran[:-1]] == sorted((one.us for one in ran[:-1]), reverse=True)
    assert {"aten::mm", "aten::_softmax"} <= {one.name for one in ran}


def test_what_a_process_says_of_its_kernels_is_bounded() -> None:
    many = IDLE.model_copy(
        update={"kernels": tuple(Kernel(name=f"k{n}\n" * 500, count=MOST_COUNT, us=MOST_QUANTITY) for n in range(40))}
    )
    shown = explain.most_time(many)
    assert len(shown) == 13
    assert shown[-1] == Kernel(name="28 others", count=MOST_COUNT, us=MOST_QUANTITY)
    assert all(len(one.name) <= 160 and "\n" not in one.name for one in shown)


@pytest.mark.parametrize("lie", [{"us": float("nan")}, {"us": -1.0}, {"count": -1}, {"us": float("inf")}, {"more": 1}])
def test_figures_that_cannot_be_are_no_profile(lie: dict[str, Any]) -> None:
    kernel = {"name": "k", "count": 1, "us": 1.0} | lie
    with pytest.raises(ValidationError):
        Profile.model_validate(IDLE.model_dump() | {"kernels": [kernel]})
