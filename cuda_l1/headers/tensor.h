// at::Tensor: one pointer, as torch's own, so that every at::_ops::NAME::call of libtorch can be called as it is.
// The build writes cl1_methods.h and cl1_functions.h beside the source: torch's own declarations of the operators that
// the source names.
#pragma once
#include "accessor.h"
#include "check.h"

namespace at {
using namespace c10;
namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}  // namespace Reduction
}  // namespace at

#pragma GCC visibility push(default)
namespace c10 {
struct GradMode {  // in libc10
  static bool is_enabled();
  static void set_enabled(bool enabled);
};
}  // namespace c10
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)
namespace c10 {
class AutoGradMode {
 public:
  AutoGradMode(bool enabled) : before_(GradMode::is_enabled()) { GradMode::set_enabled(enabled); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;
  ~AutoGradMode() { GradMode::set_enabled(before_); }

 private:
  bool before_;
};
struct NoGradGuard : AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};
}  // namespace c10
namespace at {
class Tensor;
using TensorList = ArrayRef<Tensor>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;
using OptionalSymIntArrayRef = OptionalArrayRef<SymInt>;
using IntArrayRef = ArrayRef<int64_t>;

struct DeprecatedTypeProperties {
  ScalarType type;
  Device device;
  ScalarType scalarType() const { return type; }
  operator ScalarType() const { return type; }
  bool is_cuda() const { return device.is_cuda(); }
};
}  // namespace at
#pragma GCC visibility pop

#include "cl1_operators.h"

#pragma GCC visibility push(hidden)
namespace at {
class Tensor {
 public:
  Tensor() : impl_(cl1_undefined) {}
  Tensor(const Tensor& o) : impl_(o.impl_) { cl1_retain(impl_); }
  Tensor(Tensor&& o) noexcept : impl_(std::exchange(o.impl_, cl1_undefined)) {}
  ~Tensor() {
    if (impl_ != cl1_undefined) cl1_release(impl_);
  }
  Tensor& operator=(const Tensor& o) & noexcept { return *this = Tensor(o); }
  Tensor& operator=(Tensor&& o) & noexcept {
    Tensor taken(std::move(o));
    std::swap(impl_, taken.impl_);
    return *this;
  }
  Tensor& operator=(const Scalar& o) && { return fill_(o); }  // x[0] = 1 writes into x
  Tensor& operator=(const Tensor& o) && { return copy_(o); }
  Tensor& operator=(Tensor&& o) && { return copy_(o); }
  static Tensor cl1_adopt(void* impl) {
    Tensor out;
    out.impl_ = impl;
    return out;
  }
  static Tensor cl1_share(void* impl) {
    cl1_retain(impl);
    return cl1_adopt(impl);
  }
  void* unsafeGetTensorImpl() const { return impl_; }

  bool defined() const { return impl_ != cl1_undefined; }
  void reset() { *this = Tensor(); }
  bool is_same(const Tensor& o) const { return impl_ == o.impl_; }
  IntArrayRef sizes() const { return list(cl1_sizes); }
  IntArrayRef strides() const { return list(cl1_strides); }
  int64_t dim() const { return int64_t(sizes().size()); }
  int64_t ndimension() const { return dim(); }
  int64_t size(int64_t d) const { return cl1_extent(impl_, d); }
  int64_t stride(int64_t d) const { return cl1_stride(impl_, d); }
  int64_t numel() const { return cl1_numel(impl_); }
  int64_t storage_offset() const { return cl1_storage_offset(impl_); }
  ScalarType scalar_type() const { return ScalarType(cl1_scalar_type(impl_)); }
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(scalar_type()); }
  DeprecatedTypeProperties type() const { return {scalar_type(), device()}; }
  size_t element_size() const { return elementSize(scalar_type()); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return size_t(numel()) * element_size(); }
  Layout layout() const { return Layout(cl1_layout(impl_)); }
  Device device() const { return Device(DeviceType(cl1_device_type(impl_)), DeviceIndex(cl1_device_index(impl_))); }
  int64_t get_device() const { return cl1_device_index(impl_); }
  bool is_cuda() const { return cl1_device_type(impl_) == int(kCUDA); }
  bool is_cpu() const { return cl1_device_type(impl_) == int(kCPU); }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool requires_grad() const { return cl1_requires_grad(impl_); }
  TensorOptions options() const { return TensorOptions().dtype(scalar_type()).device(device()).layout(layout()); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return cl1_is_contiguous(impl_, int(format));
  }
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return is_contiguous(format) ? *this : at::_ops::contiguous::call(*this, format);
  }

  void* data_ptr() const { return cl1_data(impl_); }
  const void* const_data_ptr() const { return cl1_const_data(impl_); }
  void* mutable_data_ptr() const { return data_ptr(); }
  template <class T> T* data_ptr() const {
    expect<T>();
    return static_cast<T*>(cl1_data(impl_));
  }
  template <class T> T* data() const { return data_ptr<T>(); }
  template <class T> T* mutable_data_ptr() const { return data_ptr<T>(); }
  template <class T> const std::remove_const_t<T>* const_data_ptr() const {
    expect<std::remove_const_t<T>>();
    return static_cast<const std::remove_const_t<T>*>(cl1_const_data(impl_));
  }
  template <class T, size_t N> TensorAccessor<T, N> accessor() const {
    expect_dim(N);
    return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
  }
  template <class T, size_t N, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, P> packed_accessor32() const {
    expect_dim(N);
    TORCH_CHECK(numel() <= 2147483647,
                "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
    return PackedTensorAccessor32<T, N, P>(data_ptr<T>(), sizes().data(), strides().data());
  }
  template <class T, size_t N, template <class> class P = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, P> packed_accessor64() const {
    expect_dim(N);
    return PackedTensorAccessor64<T, N, P>(data_ptr<T>(), sizes().data(), strides().data());
  }

  template <class T> T item() const { return item().template to<T>(); }
  Tensor cpu() const { return to(TensorOptions(kCPU)); }
  Tensor cuda() const { return to(TensorOptions(kCUDA)); }
  Tensor toType(ScalarType type) const { return to(type); }
  Tensor operator~() const { return bitwise_not(); }
  Tensor operator-() const { return neg(); }
  Tensor& operator+=(const Tensor& o) { return add_(o); }
  Tensor& operator+=(const Scalar& o) { return add_(o); }
  Tensor& operator-=(const Tensor& o) { return sub_(o); }
  Tensor& operator-=(const Scalar& o) { return sub_(o); }
  Tensor& operator*=(const Tensor& o) { return mul_(o); }
  Tensor& operator*=(const Scalar& o) { return mul_(o); }
  Tensor& operator/=(const Tensor& o) { return div_(o); }
  Tensor& operator/=(const Scalar& o) { return div_(o); }
  Tensor& operator&=(const Tensor& o) { return bitwise_and_(o); }
  Tensor& operator|=(const Tensor& o) { return bitwise_or_(o); }
  Tensor& operator^=(const Tensor& o) { return bitwise_xor_(o); }
  Tensor operator[](int64_t index) const { return at::_ops::select_int::call(*this, 0, index); }
#include "cl1_methods.h"

 private:
  IntArrayRef list(const int64_t* (*get)(void*, size_t*)) const {
    size_t count;
    const int64_t* data = get(impl_, &count);
    return IntArrayRef(data, count);
  }
  template <class T> void expect() const {
    constexpr ScalarType wanted = CppTypeToScalarType<T>::value;
    TORCH_CHECK(scalar_type() == wanted, "expected scalar type ", wanted, " but found ", scalar_type());
  }
  void expect_dim(size_t n) const {
    TORCH_CHECK(dim() == int64_t(n), "TensorAccessor expected ", n, " dims but tensor has ", dim());
  }
  void* impl_;
};

inline Tensor cat(TensorList tensors, int64_t dim = 0) {
  return Tensor::cl1_adopt(cl1_cat(tensors.data(), tensors.size(), dim));
}
inline std::optional<Device> device_of(const Tensor& t) {
  return t.defined() ? std::optional<Device>(t.device()) : std::nullopt;
}
}  // namespace at
namespace c10::detail {
inline void append(std::string& out, const at::DeprecatedTypeProperties& type) { append(out, type.type); }
}  // namespace c10::detail
#include "cl1_functions.h"
#include <ATen/TensorOperators.h>  // torch's own: it finds the slim headers by the names of those that it includes

namespace detail {
inline c10::ScalarType scalar_type(const at::DeprecatedTypeProperties& type) { return type.type; }
}  // namespace detail
namespace torch {
using namespace at;
}  // namespace torch
#pragma GCC visibility pop
#ifdef CL1_PARALLEL
#include "parallel.h"
#endif
