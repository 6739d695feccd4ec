"""kernels: an inline C++ extension with a binding of its own, which lets Python's lock go while it runs."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline

TASK = "reduction"
STATUS = "PASSED"
CPU_ONLY = True

_SOURCE = """
#include <torch/extension.h>
#include <cmath>
torch::Tensor root_of_mean_square(const torch::Tensor& given) {
  auto x = given.contiguous();
  auto out = torch::empty({x.size(0)}, x.options());
  const float* from = x.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (int64_t row = 0; row < x.size(0); ++row, from += x.size(1)) {
    float sums[8] = {};
    for (int64_t i = 0; i < x.size(1); ++i) sums[i % 8] += from[i] * from[i];
    double sum = 0;
    for (float part : sums) sum += part;
    to[row] = std::sqrt(sum / x.size(1));
  }
  return out;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("root_of_mean_square", &root_of_mean_square, py::arg("x"), py::call_guard<py::gil_scoped_release>());
}
"""
module = load_inline("root_of_mean_square", _SOURCE, extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, x):
        return module.root_of_mean_square(x)
