// Streams, guards and error checks of c10::cuda and at::cuda.
#pragma once
#include <cuda_runtime_api.h>

#include "tensor.h"

#define C10_CUDA_CHECK(CALL) ::cl1_cuda_check(int(CALL), __func__, __FILE__, uint32_t(__LINE__))
#define AT_CUDA_CHECK(CALL) C10_CUDA_CHECK(CALL)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()

#pragma GCC visibility push(hidden)
namespace c10::cuda {
class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream() const { return stream_; }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  return CUDAStream(static_cast<cudaStream_t>(cl1_cuda_stream(device)));
}

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device> device) {
    if (device) set_device(*device);
  }
  explicit OptionalCUDAGuard(DeviceIndex index) { set_index(index); }
  OptionalCUDAGuard(const OptionalCUDAGuard&) = delete;
  OptionalCUDAGuard& operator=(const OptionalCUDAGuard&) = delete;
  ~OptionalCUDAGuard() {
    if (before_ >= 0) cl1_cuda_exchange_device(before_);
  }
  void set_device(Device device) {
    TORCH_CHECK(device.is_cuda(), "Expected a CUDA device, but got ", device);
    set_index(device.index());
  }
  void set_index(DeviceIndex index) {
    const int before = cl1_cuda_exchange_device(index);
    if (before_ < 0) before_ = before;
  }

 private:
  int before_ = -1;
};
struct CUDAGuard : OptionalCUDAGuard {
  explicit CUDAGuard(Device device) : OptionalCUDAGuard(std::optional<Device>(device)) {}
  explicit CUDAGuard(DeviceIndex index) : OptionalCUDAGuard(index) {}
};
}  // namespace c10::cuda

struct cublasContext;
namespace at::cuda {
using namespace c10::cuda;
inline cublasContext* getCurrentCUDABlasHandle() { return static_cast<cublasContext*>(cl1_cuda_blas_handle()); }
inline cudaDeviceProp* getCurrentDeviceProperties() { return static_cast<cudaDeviceProp*>(cl1_cuda_properties(-1)); }
inline cudaDeviceProp* getDeviceProperties(DeviceIndex index) {
  return static_cast<cudaDeviceProp*>(cl1_cuda_properties(index));
}
}  // namespace at::cuda
#pragma GCC visibility pop
