// The border: C functions and data that shim.cpp defines with torch's own headers and that the slim headers call.
// A `tensor` is a TensorImpl*, as an at::Tensor holds it. What throws, throws through.
#pragma once
#include <cstddef>
#include <cstdint>

#define CL1_SCALAR_BYTES 32
#define CL1_SCALAR_ALIGN 16
#define CL1_EXPORT __attribute__((visibility("default")))

struct _object;  // PyObject

extern "C" {
CL1_EXPORT extern void* cl1_undefined;
CL1_EXPORT void cl1_retain(void* tensor);
CL1_EXPORT void cl1_release(void* tensor);
CL1_EXPORT const int64_t* cl1_sizes(void* tensor, size_t* count);
CL1_EXPORT const int64_t* cl1_strides(void* tensor, size_t* count);
CL1_EXPORT int64_t cl1_numel(void* tensor);
CL1_EXPORT int64_t cl1_extent(void* tensor, int64_t dim);
CL1_EXPORT int64_t cl1_stride(void* tensor, int64_t dim);
CL1_EXPORT int64_t cl1_storage_offset(void* tensor);
CL1_EXPORT int cl1_scalar_type(void* tensor);
CL1_EXPORT int cl1_layout(void* tensor);
CL1_EXPORT int cl1_device_type(void* tensor);
CL1_EXPORT int cl1_device_index(void* tensor);
CL1_EXPORT bool cl1_requires_grad(void* tensor);
CL1_EXPORT bool cl1_is_contiguous(void* tensor, int memory_format);
CL1_EXPORT void* cl1_data(void* tensor);
CL1_EXPORT const void* cl1_const_data(void* tensor);
CL1_EXPORT void* cl1_cat(const void* tensors, size_t count, int64_t dim);
CL1_EXPORT size_t cl1_element_size(int scalar_type);
CL1_EXPORT bool cl1_is_floating_type(int scalar_type);
CL1_EXPORT const char* cl1_scalar_type_name(int scalar_type);               // Float
CL1_EXPORT const char* cl1_cpp_type_name(int scalar_type, size_t* length);  // float, and more behind it

CL1_EXPORT void cl1_scalar_from_int(void* scalar, int64_t value);
CL1_EXPORT void cl1_scalar_from_double(void* scalar, double value);
CL1_EXPORT void cl1_scalar_from_bool(void* scalar, bool value);
CL1_EXPORT void cl1_scalar_copy(void* scalar, const void* other);
CL1_EXPORT void cl1_scalar_destroy(void* scalar);
CL1_EXPORT double cl1_scalar_to_double(const void* scalar);
CL1_EXPORT int64_t cl1_scalar_to_int(const void* scalar);
CL1_EXPORT bool cl1_scalar_to_bool(const void* scalar);

[[noreturn]] CL1_EXPORT void cl1_fail(const char* kind, const char* function, const char* file, uint32_t line,
                                      const char* message);
CL1_EXPORT void cl1_warn(const char* function, const char* file, uint32_t line, const char* message);

CL1_EXPORT bool cl1_is_tensor(_object* object);
CL1_EXPORT void* cl1_unpack(_object* object);  // borrowed
CL1_EXPORT _object* cl1_wrap(void* tensor);
CL1_EXPORT int cl1_unpack_dtype(_object* object);  // -1: not one
CL1_EXPORT _object* cl1_wrap_dtype(int scalar_type);
CL1_EXPORT bool cl1_unpack_device(_object* object, int* type, int* index);
CL1_EXPORT void cl1_raise_current_exception();  // sets Python's error; call inside a catch block

CL1_EXPORT void* cl1_cuda_stream(int device_index);
CL1_EXPORT void* cl1_cuda_blas_handle();
CL1_EXPORT void* cl1_cuda_properties(int device_index);
CL1_EXPORT void cl1_cuda_check(int error, const char* function, const char* file, uint32_t line);
CL1_EXPORT int cl1_cuda_exchange_device(int device_index);
}
