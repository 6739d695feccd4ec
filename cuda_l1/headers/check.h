// TORCH_CHECK and its kin, and AT_DISPATCH_*: the same words and exceptions as torch's, thrown by the shim.
#pragma once
#include <cstdio>

#include "types.h"

#pragma GCC visibility push(hidden)
namespace c10::detail {
inline void append(std::string& out, const char* text) { out += text; }
inline void append(std::string& out, const std::string& text) { out += text; }
inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, char letter) { out += letter; }
inline void append(std::string& out, ScalarType type) { out += toString(type); }
inline void append(std::string& out, caffe2::TypeMeta type) { out += type.name(); }
inline void append(std::string& out, const Device& device) { out += device.str(); }
inline void append(std::string& out, DeviceType type) { out += Device(type).str(); }
template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> void append(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", double(value));
    out += text;
  } else {
    out += std::to_string(value);
  }
}
template <class T> void append(std::string& out, ArrayRef<T> list) {
  out += "[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i) out += ", ";
    append(out, list[i]);
  }
  out += "]";
}
}  // namespace c10::detail
namespace c10 {
template <class... A> std::string str(const A&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}
namespace detail {
template <class... A> std::string message(const char* fallback, const A&... parts) {
  return sizeof...(A) ? str(parts...) : std::string(fallback);
}
}  // namespace detail
}  // namespace c10

#define CL1_THROW(KIND, FALLBACK, ...) \
  ::cl1_fail(KIND, __func__, __FILE__, uint32_t(__LINE__), ::c10::detail::message(FALLBACK, ##__VA_ARGS__).c_str())
#define CL1_CHECK(KIND, COND, ...)                                                                              \
  if (__builtin_expect(!(COND), 0)) {                                                                           \
    CL1_THROW(KIND,                                                                                             \
              "Expected " #COND " to be true, but got false.  (Could this error message be improved?  If so, "  \
              "please report an enhancement request to PyTorch.)",                                              \
              ##__VA_ARGS__);                                                                                   \
  }
#define TORCH_CHECK(COND, ...) CL1_CHECK("", COND, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(COND, ...) CL1_CHECK("index", COND, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(COND, ...) CL1_CHECK("value", COND, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(COND, ...) CL1_CHECK("type", COND, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(COND, ...) CL1_CHECK("not implemented", COND, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(COND, ...) CL1_CHECK("", COND, ##__VA_ARGS__)
#define AT_ASSERTM(COND, ...) CL1_CHECK("", COND, ##__VA_ARGS__)
#define AT_ASSERT(COND) CL1_CHECK("", COND)
#define AT_ERROR(...) CL1_THROW("", "", ##__VA_ARGS__)
#define TORCH_WARN(...) \
  ::cl1_warn(__func__, __FILE__, uint32_t(__LINE__), ::c10::detail::message("", ##__VA_ARGS__).c_str())

namespace detail {
inline c10::ScalarType scalar_type(c10::ScalarType type) { return type; }
}  // namespace detail

#define AT_DISPATCH_CASE(NAME, ...)                        \
  case NAME: {                                             \
    using scalar_t [[maybe_unused]] = cl1_cpp_type<NAME>;  \
    return __VA_ARGS__();                                  \
  }
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                  \
  [&] {                                                                                                      \
    const auto& the_type = TYPE;                                                                             \
    constexpr const char* at_dispatch_name = NAME;                                                           \
    auto cl1_type = ::detail::scalar_type(the_type);                                                         \
    switch (cl1_type) {                                                                                      \
      __VA_ARGS__                                                                                            \
      default:                                                                                               \
        CL1_THROW("not implemented", "", '"', at_dispatch_name, "\" not implemented for '", cl1_type, "'");  \
    }                                                                                                        \
  }()

namespace c10::detail {
template <ScalarType> struct cpp_type;
#define CL1_TYPE(T, NAME) \
  template <> struct cpp_type<ScalarType::NAME> { using type = T; };
CL1_TYPE(uint8_t, Byte) CL1_TYPE(int8_t, Char) CL1_TYPE(int16_t, Short) CL1_TYPE(int, Int) CL1_TYPE(int64_t, Long)
CL1_TYPE(Half, Half) CL1_TYPE(float, Float) CL1_TYPE(double, Double) CL1_TYPE(bool, Bool) CL1_TYPE(BFloat16, BFloat16)
#undef CL1_TYPE
}  // namespace c10::detail
template <c10::ScalarType type> using cl1_cpp_type = typename c10::detail::cpp_type<type>::type;

#define AT_DISPATCH_CASE_FLOATING_TYPES(...) \
  AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__) AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)              \
  AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define CL1_ALSO(TYPE, ...) AT_DISPATCH_CASE(TYPE, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(T, N, ...) AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(T, N, ...) AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(T, N, ...) AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(S, T, N, ...) \
  AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) CL1_ALSO(S, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(S1, S2, T, N, ...) \
  AT_DISPATCH_SWITCH(              \
      T, N, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) CL1_ALSO(S1, __VA_ARGS__) CL1_ALSO(S2, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(T, N, ...) \
  AT_DISPATCH_FLOATING_TYPES_AND(::c10::ScalarType::Half, T, N, __VA_ARGS__)
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(T, N, ...) \
  AT_DISPATCH_SWITCH(                                 \
      T, N, CL1_ALSO(::c10::ScalarType::Half, __VA_ARGS__) CL1_ALSO(::c10::ScalarType::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(S, T, N, ...) \
  AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) CL1_ALSO(S, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(S1, S2, T, N, ...) \
  AT_DISPATCH_SWITCH(T, N, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) CL1_ALSO(S1, __VA_ARGS__) CL1_ALSO(S2, __VA_ARGS__))
#pragma GCC visibility pop
