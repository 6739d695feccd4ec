// Strided access from host code and, packed, from kernels: sizes and strides beside the pointer.
#pragma once
#include "types.h"

#ifdef __CUDACC__
#define CL1_HOST_DEVICE __host__ __device__
#else
#define CL1_HOST_DEVICE
#endif

#pragma GCC visibility push(hidden)
namespace at {
template <class T> struct DefaultPtrTraits { using PtrType = T*; };
#ifdef __CUDACC__  // where torch has it too
template <class T> struct RestrictPtrTraits { using PtrType = T* __restrict__; };
#endif

template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
class TensorAccessor {
 public:
  using PtrType = typename P<T>::PtrType;
  CL1_HOST_DEVICE TensorAccessor(PtrType data, const I* sizes, const I* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  CL1_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  CL1_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  CL1_HOST_DEVICE PtrType data() const { return data_; }
  CL1_HOST_DEVICE decltype(auto) operator[](I i) const {
    if constexpr (N == 1) return (data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, P, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 private:
  PtrType data_;
  const I* sizes_;
  const I* strides_;
};

template <class T, size_t N, template <class> class P = DefaultPtrTraits, class I = int64_t>
class GenericPackedTensorAccessor {
 public:
  using PtrType = typename P<T>::PtrType;
  GenericPackedTensorAccessor(PtrType data, const int64_t* sizes, const int64_t* strides) : data_(data) {
    for (size_t i = 0; i < N; ++i) {
      sizes_[i] = I(sizes[i]);
      strides_[i] = I(strides[i]);
    }
  }
  CL1_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  CL1_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  CL1_HOST_DEVICE PtrType data() const { return data_; }
  CL1_HOST_DEVICE decltype(auto) operator[](I i) const {
    if constexpr (N == 1) return (data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, P, I>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 private:
  PtrType data_;
  I sizes_[N];
  I strides_[N];
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int32_t>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, int64_t>;
}  // namespace at
#pragma GCC visibility pop
