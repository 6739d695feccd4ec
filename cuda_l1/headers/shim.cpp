// Compiled once a machine with torch's own headers: what the slim headers call of tensors, and the proof of what they
// assume. What they call of Python's objects is in shim_python.cpp, compiled beside it: half of the time, each.
#include "shim.h"

#include <ATen/core/IListRef.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat_ops.h>
#ifdef CL1_WITH_CUDA
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#if __has_include(<cublas_v2.h>) && __has_include(<cusparse.h>)
#include <ATen/cuda/CUDAContextLight.h>
#define CL1_WITH_LIBRARIES
#endif
#endif

using at::Tensor;
using c10::Scalar;
using c10::ScalarType;

static_assert(sizeof(Tensor) == sizeof(void*) && !std::is_trivially_copyable_v<Tensor>);
static_assert(sizeof(Scalar) == CL1_SCALAR_BYTES && alignof(Scalar) == CL1_SCALAR_ALIGN);
static_assert(sizeof(c10::SymInt) == sizeof(int64_t) && !std::is_trivially_copyable_v<c10::SymInt>);
static_assert(sizeof(at::IntArrayRef) == 2 * sizeof(void*) && std::is_trivially_copyable_v<at::IntArrayRef>);
static_assert(sizeof(at::OptionalIntArrayRef) == 3 * sizeof(void*));
static_assert(std::is_trivially_copyable_v<at::OptionalIntArrayRef>);
static_assert(sizeof(c10::Device) == 2 && std::is_trivially_copyable_v<c10::Device>);
static_assert(sizeof(c10::Layout) == 1 && sizeof(c10::MemoryFormat) == 1 && sizeof(ScalarType) == 1);
static_assert(int(ScalarType::Long) == 4 && int(ScalarType::Double) == 7 && int(ScalarType::Bool) == 11);
static_assert(int(ScalarType::BFloat16) == 15 && int(c10::DeviceType::CUDA) == 1 && int(c10::DeviceType::Meta) == 14);
static_assert(int(c10::MemoryFormat::Preserve) == 1 && int(c10::MemoryFormat::ChannelsLast3d) == 3);

namespace {
// A TensorImpl* and a Tensor are the same word.
const Tensor& as_tensor(void* const& word) { return reinterpret_cast<const Tensor&>(word); }
void* word_of(Tensor tensor) { return tensor.unsafeReleaseTensorImpl(); }
const int64_t* list(at::IntArrayRef values, size_t* count) {
  *count = values.size();
  return values.data();
}
const Scalar& as_scalar(const void* scalar) { return *static_cast<const Scalar*>(scalar); }
}  // namespace

extern "C" {
void* cl1_undefined = c10::UndefinedTensorImpl::singleton();

void cl1_retain(void* t) { word_of(as_tensor(t)); }
void cl1_release(void* t) { reinterpret_cast<Tensor&>(t).~Tensor(); }
const int64_t* cl1_sizes(void* t, size_t* count) { return list(as_tensor(t).sizes(), count); }
const int64_t* cl1_strides(void* t, size_t* count) { return list(as_tensor(t).strides(), count); }
int64_t cl1_numel(void* t) { return as_tensor(t).numel(); }
int64_t cl1_extent(void* t, int64_t dim) { return as_tensor(t).size(dim); }
int64_t cl1_stride(void* t, int64_t dim) { return as_tensor(t).stride(dim); }
int64_t cl1_storage_offset(void* t) { return as_tensor(t).storage_offset(); }
int cl1_scalar_type(void* t) { return int(as_tensor(t).scalar_type()); }
int cl1_layout(void* t) { return int(as_tensor(t).layout()); }
int cl1_device_type(void* t) { return int(as_tensor(t).device().type()); }
int cl1_device_index(void* t) { return as_tensor(t).device().index(); }
bool cl1_requires_grad(void* t) { return as_tensor(t).requires_grad(); }
bool cl1_is_contiguous(void* t, int format) { return as_tensor(t).is_contiguous(c10::MemoryFormat(format)); }
void* cl1_data(void* t) { return as_tensor(t).data_ptr(); }
const void* cl1_const_data(void* t) { return as_tensor(t).const_data_ptr(); }
void* cl1_cat(const void* tensors, size_t count, int64_t dim) {
  return word_of(at::_ops::cat::call(at::TensorList(static_cast<const Tensor*>(tensors), count), dim));
}
size_t cl1_element_size(int type) { return c10::elementSize(ScalarType(type)); }
bool cl1_is_floating_type(int type) { return c10::isFloatingType(ScalarType(type)); }
const char* cl1_scalar_type_name(int type) { return c10::toString(ScalarType(type)); }
const char* cl1_cpp_type_name(int type, size_t* length) {
  const auto name = caffe2::TypeMeta::fromScalarType(ScalarType(type)).name();
  *length = name.size();
  return name.data();
}

void cl1_scalar_from_int(void* s, int64_t value) { new (s) Scalar(value); }
void cl1_scalar_from_double(void* s, double value) { new (s) Scalar(value); }
void cl1_scalar_from_bool(void* s, bool value) { new (s) Scalar(value); }
void cl1_scalar_copy(void* s, const void* other) { new (s) Scalar(as_scalar(other)); }
void cl1_scalar_destroy(void* s) { static_cast<Scalar*>(s)->~Scalar(); }
double cl1_scalar_to_double(const void* s) { return as_scalar(s).toDouble(); }
int64_t cl1_scalar_to_int(const void* s) { return as_scalar(s).toLong(); }
bool cl1_scalar_to_bool(const void* s) { return as_scalar(s).toBool(); }

void cl1_fail(const char* kind, const char* function, const char* file, uint32_t line, const char* message) {
  const c10::SourceLocation where{function, file, line};
  const std::string_view name = kind;
  if (name == "index") throw c10::IndexError(where, message);
  if (name == "value") throw c10::ValueError(where, message);
  if (name == "type") throw c10::TypeError(where, message);
  if (name == "not implemented") throw c10::NotImplementedError(where, message);
  throw c10::Error(where, message);
}
void cl1_warn(const char* function, const char* file, uint32_t line, const char* message) {
  c10::warn(c10::Warning(c10::UserWarning(), c10::SourceLocation{function, file, line}, std::string(message), false));
}

#ifdef CL1_WITH_CUDA
void* cl1_cuda_stream(int index) { return c10::cuda::getCurrentCUDAStream(c10::DeviceIndex(index)).stream(); }
void cl1_cuda_check(int error, const char* function, const char* file, uint32_t line) {
  c10::cuda::c10_cuda_check_implementation(error, file, function, line, true);
}
int cl1_cuda_exchange_device(int index) { return c10::cuda::ExchangeDevice(c10::DeviceIndex(index)); }
#ifdef CL1_WITH_LIBRARIES  // a toolkit without them has nothing to call with these either
void* cl1_cuda_blas_handle() { return at::cuda::getCurrentCUDABlasHandle(); }
void* cl1_cuda_properties(int index) {
  return index < 0 ? at::cuda::getCurrentDeviceProperties() : at::cuda::getDeviceProperties(c10::DeviceIndex(index));
}
#endif
#endif
}
