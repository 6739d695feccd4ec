"""kernels: an inline C++ extension whose rows are split by at::parallel_for."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "softmax"
STATUS = "PASSED"
CPU_ONLY = True

_SOURCE = """
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <cmath>
torch::Tensor softmax_of_rows(const torch::Tensor& given) {
  auto x = given.contiguous();
  auto out = torch::empty_like(x);
  const int64_t width = x.size(1);
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  at::parallel_for(0, x.size(0), 8, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* a = from + row * width;
      float* b = to + row * width;
      float most = a[0], sum = 0;
      for (int64_t i = 1; i < width; ++i) most = std::max(most, a[i]);
      for (int64_t i = 0; i < width; ++i) sum += b[i] = std::exp(a[i] - most);
      for (int64_t i = 0; i < width; ++i) b[i] /= sum;
    }
  });
  return out;
}
"""
module = load_inline("softmax_of_rows", _SOURCE, functions=["softmax_of_rows"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return module.softmax_of_rows(x)
