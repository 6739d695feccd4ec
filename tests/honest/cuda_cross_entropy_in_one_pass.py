"""kernels: each token's cross entropy in one reading of its scores, by exponentials rescaled."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "token_losses"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__device__ void merge(float& most, float& sum, float its_most, float its_sum) {
    float higher = fmaxf(most, its_most);
    sum = sum * __expf(most - higher) + its_sum * __expf(its_most - higher);
    most = higher;
}

__device__ void merge_block(float& most, float& sum) {
    __shared__ float mosts[256], sums[256];
    int me = threadIdx.x;
    mosts[me] = most, sums[me] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(mosts[me], sums[me], mosts[me + half], sums[me + half]);
        __syncthreads();
    }
    most = mosts[0], sum = sums[0];
}

__global__ void losses_kernel(const float* scores, const long* targets, float* out, int n) {
    const float* its = scores + blockIdx.x * (long)n;
    float most = -3.4e38f, sum = 0.f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) merge(most, sum, its[i], 1.f);
    merge_block(most, sum);
    long target = targets[blockIdx.x];
    if (threadIdx.x == 0) out[blockIdx.x] = target >= 0 && target < n ? most - its[target] + logf(sum) : 0.f;
}

void losses(torch::Tensor scores, torch::Tensor targets, torch::Tensor out, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    losses_kernel<<<out.numel(), 256, 0, stream>>>(
        scores.data_ptr<float>(), (const long*)targets.data_ptr<int64_t>(), out.data_ptr<float>(), n);
}
"""
_extension = load_inline(
    "cross_entropy_in_one_pass_cuda",
    cpp_sources="void losses(torch::Tensor scores, torch::Tensor targets, torch::Tensor out, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["losses"],
)


class ModelNew(nn.Module):
    def forward(self, scores, targets):
        out = torch.empty(scores.shape[0], device=scores.device)
        _extension.losses(scores.contiguous(), targets.contiguous(), out, scores.shape[1])
        return out
