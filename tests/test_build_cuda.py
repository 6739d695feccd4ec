"""Inline CUDA over the slim headers: it compiles where nvcc is, and runs as written where a GPU is."""

import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension

from cuda_l1.extensions import inline, slim

INCLUDE = Path(cpp_extension.include_paths()[0])

KERNELS = {
    "plain": r"""
        __global__ void scale_kernel(const float* x, float* y, int n) {
          int i = blockIdx.x * blockDim.x + threadIdx.x;
          if (i < n) y[i] = 2 * x[i];
        }
        torch::Tensor scale(torch::Tensor x) {
          TORCH_CHECK(x.is_cuda(), "x must be on CUDA, is on ", x.device());
          auto y = torch::empty_like(x);
          scale_kernel<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
          return y;
        }""",
    "dispatch": r"""
        #include <torch/extension.h>
        #include <ATen/cuda/CUDAContext.h>
        #include <c10/cuda/CUDAGuard.h>
        template <typename scalar_t>
        __global__ void k(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
          for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
            y[i] = x[i] > scalar_t(0) ? x[i] + scalar_t(1) : scalar_t(0);
        }
        torch::Tensor f(torch::Tensor x) {
          const at::cuda::OptionalCUDAGuard guard(device_of(x));
          auto y = torch::zeros(x.sizes(), x.options());
          AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "f", ([&] {
            k<scalar_t><<<64, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
                x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
          }));
          C10_CUDA_KERNEL_LAUNCH_CHECK();
          return y;
        }""",
    "packed": r"""
        #include <torch/extension.h>
        __global__ void k(torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits> a, float* out) {
          atomicAdd(out, a[blockIdx.x][threadIdx.x] / a.size(1));
        }
        std::vector<torch::Tensor> f(const torch::Tensor& x, c10::optional<torch::Tensor> bias, double eps) {
          auto out = torch::full({1}, eps, torch::dtype(torch::kFloat32).device(x.device()));
          k<<<x.size(0), x.size(1)>>>(x.packed_accessor32<float, 2, torch::RestrictPtrTraits>(), out.data_ptr<float>());
          return {out, bias ? *bias : torch::matmul(x, x.transpose(0, 1)).contiguous()};
        }
        PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f, "packed"); }""",
    "macros": r"""
        #include <c10/macros/Macros.h>
        C10_HOST_DEVICE C10_ALWAYS_INLINE float clipped(float x) { return C10_UNLIKELY(x > 1) ? 1 : x; }
        C10_LAUNCH_BOUNDS_1(256)
        __global__ void k(const float* C10_RESTRICT x, float* y, int n) {
          const int index = blockIdx.x * blockDim.x + threadIdx.x;
          if (index < n) y[index] = clipped(x[index]);
        }
        torch::Tensor f(torch::Tensor x) {
          at::NoGradGuard none;
          auto y = torch::zeros_like(x);
          for (const auto i : c10::irange(x.size(0))) y[i] = 0.5;
          k<<<1, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
          return y * (x > 0) + (x == y);
        }""",
    "half": r"""
        #include <cuda_fp16.h>
        __global__ void k(const __half* x, float* y, int n) {
          if (threadIdx.x < n) y[threadIdx.x] = __half2float(x[threadIdx.x]);
        }
        torch::Tensor f(torch::Tensor x) {
          x = x.to(torch::kHalf).contiguous();
          auto y = at::empty({x.numel()}, x.options().dtype(at::kFloat));
          k<<<1, 32>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()), y.data_ptr<float>(), int(x.numel()));
          return y;
        }""",
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.slow
def test_kernels_compile_over_the_slim_headers(kit, name, tmp_path, monkeypatch):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    home = subprocess.run([nvcc, "--dryrun", "x.cu"], capture_output=True, text=True, check=False).stderr
    folder = next(line.partition("TOP=")[2] for line in home.splitlines() if "TOP=" in line)
    monkeypatch.setattr(cpp_extension, "CUDA_HOME", str(Path(folder).resolve()))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    given = {
        "name": name,
        "cpp_sources": "",
        "cuda_sources": KERNELS[name],
        "functions": None,
        "no_implicit_headers": False,
    }
    given |= dict.fromkeys(("extra_include_paths", "extra_cflags", "extra_cuda_cflags"))
    texts = inline._sources(given)
    inline._write_files(tmp_path, slim.prepare(list(texts.values()), INCLUDE) | texts)
    failed = inline._run_all([inline._compile(kit, tmp_path, "cuda.cu", texts["cuda.cu"], given, True)])
    assert not failed


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_a_kernel_runs_as_written(load_inline, slow_way, dtype):
    declared = "torch::Tensor f(torch::Tensor x);"
    module = load_inline("run", declared, cuda_sources=KERNELS["dispatch"], functions=["f"])
    x = torch.randn(1000, device="cuda").to(dtype)
    assert torch.equal(module.f(x), torch.where(x > 0, x + 1, torch.zeros_like(x)))
    with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
        module.f(x.long())
    assert slow_way == []
