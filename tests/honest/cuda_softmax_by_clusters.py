"""kernels: four blocks share a row as a cluster, and read what the others have found in their shared memory."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "softmax"
STATUS = "PASSED"
DEVICE = "cuda"

_SOURCE = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
#include <cooperative_groups.h>

__device__ void merge(float& most, float& sum, float its_most, float its_sum) {
    float higher = fmaxf(most, its_most);
    sum = sum * __expf(most - higher) + its_sum * __expf(its_most - higher);
    most = higher;
}

__global__ void __cluster_dims__(4, 1, 1) softmax_kernel(const float4* x, float4* y, int fours) {
    __shared__ float mosts[256], sums[256];
    __shared__ float2 found;
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    int me = threadIdx.x, first = cluster.block_rank() * blockDim.x + me, step = 4 * blockDim.x;
    const float4* its = x + blockIdx.x / 4 * (long)fours;
    float most = -3.4e38f, sum = 0.f;
    for (int i = first; i < fours; i += step) {
        float4 v = its[i];
        float higher = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
        merge(most, sum, higher,
              __expf(v.x - higher) + __expf(v.y - higher) + __expf(v.z - higher) + __expf(v.w - higher));
    }
    mosts[me] = most, sums[me] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (me < half) merge(mosts[me], sums[me], mosts[me + half], sums[me + half]);
        __syncthreads();
    }
    if (me == 0) found = make_float2(mosts[0], sums[0]);
    cluster.sync();
    most = -3.4e38f, sum = 0.f;
    for (int block = 0; block < 4; ++block) {
        float2 its_found = *cluster.map_shared_rank(&found, block);
        merge(most, sum, its_found.x, its_found.y);
    }
    cluster.sync();  // nobody leaves before all have read
    float factor = 1.f / sum;
    for (int i = first; i < fours; i += step) {
        float4 v = its[i];
        y[blockIdx.x / 4 * (long)fours + i] =
            make_float4(__expf(v.x - most) * factor, __expf(v.y - most) * factor, __expf(v.z - most) * factor,
                        __expf(v.w - most) * factor);
    }
}

void softmax(torch::Tensor x, torch::Tensor y, int64_t rows, int64_t n) {
    auto stream = c10::cuda::getCurrentCUDAStream();
    softmax_kernel<<<4 * rows, 256, 0, stream>>>(
        (const float4*)x.data_ptr<float>(), (float4*)y.data_ptr<float>(), n / 4);
}
"""
_extension = load_inline(
    "softmax_by_clusters_cuda",
    cpp_sources="void softmax(torch::Tensor x, torch::Tensor y, int64_t rows, int64_t n);",
    cuda_sources=_SOURCE,
    functions=["softmax"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y, (rows, n) = torch.empty_like(x), x.shape
        _extension.softmax(x, y, rows, n)
        return y
