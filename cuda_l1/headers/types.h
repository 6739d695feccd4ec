// Small value types of c10, laid out and named as torch's own (shim.cpp holds the assertions).
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "shim.h"
#ifdef CL1_MACROS
#include <c10/util/irange.h>
#endif
#ifdef CL1_REDUCED_FLOATS
#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>
#endif
#ifdef CL1_VECTORS
#include <torch/headeronly/core/DeviceType.h>
#include <torch/headeronly/util/qint32.h>
#include <torch/headeronly/util/qint8.h>
#include <torch/headeronly/util/quint8.h>
#endif

#pragma GCC visibility push(hidden)

namespace c10 {
#ifndef CL1_REDUCED_FLOATS
struct Half;
struct BFloat16;
#endif

enum class ScalarType : int8_t {
  Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8,
  QInt32, BFloat16
};
#ifndef CL1_VECTORS
enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 14 };
constexpr auto kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
#endif
enum class Layout : int8_t { Strided, Sparse };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
using DeviceIndex = int8_t;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;

constexpr auto kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short, kInt = ScalarType::Int,
               kLong = ScalarType::Long, kHalf = ScalarType::Half, kFloat = ScalarType::Float,
               kDouble = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
constexpr auto kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf,
               kFloat32 = kFloat, kFloat64 = kDouble;
constexpr auto kStrided = Layout::Strided;

inline size_t elementSize(ScalarType type) { return cl1_element_size(int(type)); }
inline const char* toString(ScalarType type) { return cl1_scalar_type_name(int(type)); }
inline bool isFloatingType(ScalarType type) { return cl1_is_floating_type(int(type)); }

template <class T> struct CppTypeToScalarType;
#define CL1_TYPE(T, NAME) \
  template <> struct CppTypeToScalarType<T> : std::integral_constant<ScalarType, ScalarType::NAME> {};
CL1_TYPE(uint8_t, Byte) CL1_TYPE(int8_t, Char) CL1_TYPE(int16_t, Short) CL1_TYPE(int, Int) CL1_TYPE(int64_t, Long)
CL1_TYPE(Half, Half) CL1_TYPE(float, Float) CL1_TYPE(double, Double) CL1_TYPE(bool, Bool) CL1_TYPE(BFloat16, BFloat16)
#undef CL1_TYPE

struct Device {
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  bool operator==(const Device& o) const { return type_ == o.type_ && index_ == o.index_; }
  bool operator!=(const Device& o) const { return !(*this == o); }
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  bool is_cuda() const { return type_ == kCUDA; }
  bool is_cpu() const { return type_ == kCPU; }
  std::string str() const {
    std::string name = is_cuda() ? "cuda" : is_cpu() ? "cpu" : "meta";
    return has_index() ? name + ":" + std::to_string(index_) : name;
  }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  constexpr ArrayRef() : data_(nullptr), length_(0) {}
  constexpr ArrayRef(const T& one) : data_(&one), length_(1) {}
  constexpr ArrayRef(const T* data, size_t length) : data_(data), length_(length) {}
  constexpr ArrayRef(const T* begin, const T* end) : data_(begin), length_(end - begin) {}
  template <class A> ArrayRef(const std::vector<T, A>& v) : data_(v.data()), length_(v.size()) {}
  template <size_t N> constexpr ArrayRef(const std::array<T, N>& a) : data_(a.data()), length_(N) {}
  template <size_t N> constexpr ArrayRef(const T (&a)[N]) : data_(a), length_(N) {}
  constexpr ArrayRef(const std::initializer_list<T>& l)
      : data_(l.begin() == l.end() ? nullptr : l.begin()), length_(l.size()) {}
  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + length_; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return length_; }
  constexpr bool empty() const { return length_ == 0; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    if (i >= length_) throw std::out_of_range("ArrayRef: invalid index");
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(length_ - 1); }
  ArrayRef slice(size_t n, size_t m) const { return ArrayRef(data_ + n, m); }
  ArrayRef slice(size_t n) const { return ArrayRef(data_ + n, length_ - n); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  bool equals(ArrayRef o) const {
    if (length_ != o.length_) return false;
    for (size_t i = 0; i < length_; ++i)
      if (!(data_[i] == o.data_[i])) return false;
    return true;
  }

 private:
  const T* data_;
  size_t length_;
};
template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <class T> bool operator==(const std::vector<T>& a, ArrayRef<T> b) { return ArrayRef<T>(a).equals(b); }
template <class T> bool operator==(ArrayRef<T> a, const std::vector<T>& b) { return a.equals(ArrayRef<T>(b)); }
template <class T> bool operator!=(ArrayRef<T> a, const std::vector<T>& b) { return !a.equals(ArrayRef<T>(b)); }
using IntArrayRef = ArrayRef<int64_t>;

template <class T>
class OptionalArrayRef {
 public:
  constexpr OptionalArrayRef() = default;
  constexpr OptionalArrayRef(std::nullopt_t) {}
  constexpr OptionalArrayRef(const T& one) : held_(one) {}
  constexpr OptionalArrayRef(std::optional<ArrayRef<T>> held) : held_(held) {}
  template <class U, class = std::enable_if_t<!std::is_same_v<std::decay_t<U>, OptionalArrayRef> &&
                                              std::is_convertible_v<U&&, ArrayRef<T>> &&
                                              !std::is_convertible_v<U&&, T>>>
  constexpr OptionalArrayRef(U&& value) : held_(ArrayRef<T>(std::forward<U>(value))) {}
  constexpr OptionalArrayRef(const std::initializer_list<T>& list) : held_(ArrayRef<T>(list)) {}
  constexpr bool has_value() const { return held_.has_value(); }
  constexpr const ArrayRef<T>& operator*() const { return *held_; }

 private:
  std::optional<ArrayRef<T>> held_;
};

class SymInt {  // only ever a plain integer here; not trivial, so that it travels as torch's own does
 public:
  SymInt(int64_t value) : value_(value) {}
  SymInt(const SymInt& o) : value_(o.value_) {}
  ~SymInt() {}

 private:
  int64_t value_;
};
using SymIntArrayRef = ArrayRef<SymInt>;
inline SymIntArrayRef fromIntArrayRefSlow(IntArrayRef a) {
  return SymIntArrayRef(reinterpret_cast<const SymInt*>(a.data()), a.size());
}

class Scalar {
 public:
  Scalar() : Scalar(int64_t(0)) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> Scalar(T value) {
    if constexpr (std::is_same_v<T, bool>) cl1_scalar_from_bool(bytes_, value);
    else if constexpr (std::is_integral_v<T>) cl1_scalar_from_int(bytes_, int64_t(value));
    else cl1_scalar_from_double(bytes_, double(value));
  }
  Scalar(const Scalar& o) { cl1_scalar_copy(bytes_, o.bytes_); }
  Scalar& operator=(const Scalar& o) {
    if (this != &o) {
      cl1_scalar_destroy(bytes_);
      cl1_scalar_copy(bytes_, o.bytes_);
    }
    return *this;
  }
  ~Scalar() { cl1_scalar_destroy(bytes_); }
  template <class T> T to() const {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::is_same_v<T, bool>) return cl1_scalar_to_bool(bytes_);
    else if constexpr (std::is_integral_v<T>) return T(cl1_scalar_to_int(bytes_));
    else return T(cl1_scalar_to_double(bytes_));
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }

 private:
  alignas(CL1_SCALAR_ALIGN) unsigned char bytes_[CL1_SCALAR_BYTES];
};
}  // namespace c10

namespace caffe2 {
struct TypeMeta {
  c10::ScalarType type;
  explicit TypeMeta(c10::ScalarType t) : type(t) {}  // nor is there a way back that is not asked for
  c10::ScalarType toScalarType() const { return type; }
  size_t itemsize() const { return c10::elementSize(type); }
  std::string_view name() const {
    size_t length;
    const char* data = cl1_cpp_type_name(int(type), &length);
    return {data, length};
  }
  bool operator==(const TypeMeta& o) const { return type == o.type; }
  bool operator!=(const TypeMeta& o) const { return type != o.type; }
};
}  // namespace caffe2

namespace c10 {
inline bool operator==(caffe2::TypeMeta a, ScalarType b) { return a.type == b; }
inline bool operator==(ScalarType a, caffe2::TypeMeta b) { return a == b.type; }
inline bool operator!=(caffe2::TypeMeta a, ScalarType b) { return a.type != b; }
inline bool operator!=(ScalarType a, caffe2::TypeMeta b) { return a != b.type; }
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta t) { return t.type; }

struct TensorOptions {
  TensorOptions() = default;
  TensorOptions(ScalarType t) : dtype_(t) {}
  TensorOptions(caffe2::TypeMeta t) : dtype_(t.type) {}
  TensorOptions(Device d) : device_(d) {}
  TensorOptions(DeviceType d) : device_(Device(d)) {}
  TensorOptions(Layout l) : layout_(l) {}
  TensorOptions(MemoryFormat f) : memory_format_(f) {}
  TensorOptions dtype(std::optional<ScalarType> t) const { return with(&TensorOptions::dtype_, t); }
  TensorOptions dtype(caffe2::TypeMeta t) const { return dtype(t.type); }
  TensorOptions device(std::optional<Device> d) const { return with(&TensorOptions::device_, d); }
  TensorOptions device(DeviceType t, DeviceIndex i = -1) const { return device(Device(t, i)); }
  TensorOptions device_index(DeviceIndex i) const { return device(Device(kCUDA, i)); }
  TensorOptions layout(std::optional<Layout> l) const { return with(&TensorOptions::layout_, l); }
  TensorOptions pinned_memory(std::optional<bool> p) const { return with(&TensorOptions::pinned_, p); }
  TensorOptions memory_format(std::optional<MemoryFormat> f) const { return with(&TensorOptions::memory_format_, f); }
  TensorOptions requires_grad(bool) const { return *this; }  // the build refuses sources that pass anything but false
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(dtype_.value_or(kFloat)); }
  Device device() const { return device_.value_or(Device(kCPU)); }
  Layout layout() const { return layout_.value_or(kStrided); }
  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  std::optional<Device> device_opt() const { return device_; }
  std::optional<Layout> layout_opt() const { return layout_; }
  std::optional<bool> pinned_memory_opt() const { return pinned_; }
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }

 private:
  template <class T> TensorOptions with(std::optional<T> TensorOptions::*field, std::optional<T> value) const {
    TensorOptions out = *this;
    out.*field = value;
    return out;
  }
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  std::optional<Layout> layout_;
  std::optional<bool> pinned_;
  std::optional<MemoryFormat> memory_format_;
};
inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions dtype(caffe2::TypeMeta t) { return TensorOptions(t); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions layout(Layout l) { return TensorOptions(l); }
inline std::optional<ScalarType> optTypeMetaToScalarType(std::optional<ScalarType> t) { return t; }
namespace impl {
inline std::optional<MemoryFormat> check_tensor_options_and_extract_memory_format(
    const TensorOptions& options, std::optional<MemoryFormat> format) {
  return format ? format : options.memory_format_opt();
}
}  // namespace impl
}  // namespace c10

#pragma GCC visibility pop
