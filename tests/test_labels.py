"""Labels from what ran: real calls on a CPU, and the names that kernels have on a GPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from cuda_l1.judge import labels, profile
from cuda_l1.judge.profile import Kernel, Profile

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
    "row_softmax_kernel": "own",
}


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
