// at::parallel_for and at::parallel_reduce, split as torch's own: over threads where the source is built with OpenMP.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "check.h"

#pragma GCC visibility push(default)
namespace c10 {
class ParallelGuard {  // as libc10 lays it out
 public:
  static bool is_enabled();
  ParallelGuard(bool state);
  ~ParallelGuard();

 private:
  bool previous_state_;
};
}  // namespace c10
namespace at {
void init_num_threads();
void set_num_threads(int count);
int get_num_threads();
int get_thread_num();
bool in_parallel_region();
namespace internal {
void set_thread_num(int id);
}  // namespace internal
}  // namespace at
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)
namespace at {
inline int64_t divup(int64_t x, int64_t y) { return (x + y - 1) / y; }

namespace internal {
class ThreadIdGuard {
 public:
  explicit ThreadIdGuard(int id) : before_(get_thread_num()) { set_thread_num(id); }
  ~ThreadIdGuard() { set_thread_num(before_); }

 private:
  int before_;
};

template <class F> auto call_as(int id, const F& f) {
  ThreadIdGuard number(id);
  c10::ParallelGuard guard(true);
  return f();
}

#ifdef _OPENMP
inline bool is_split(int64_t count, int64_t grain_size) {
  thread_local bool is_ready = false;
  if (!is_ready) init_num_threads();
  is_ready = true;
  return count > grain_size && !in_parallel_region() && get_num_threads() > 1;
}
template <class F> void split(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr error;
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads();
    if (grain_size > 0) threads = std::min(threads, divup(end - begin, grain_size));
    const int id = omp_get_thread_num();
    const int64_t chunk = divup(end - begin, threads), first = begin + id * chunk;
    if (first < end) {
      try {
        call_as(id, [&] { f(first, std::min(end, first + chunk)); });
      } catch (...) {
        if (!failed.test_and_set()) error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}
#endif
}  // namespace internal

template <class F> void parallel_for(int64_t begin, int64_t end, int64_t grain_size, const F& f) {
  if (begin >= end) return;
#ifdef _OPENMP
  if (end - begin > 1 && internal::is_split(end - begin, grain_size))
    return internal::split(begin, end, grain_size, f);
#endif
  internal::call_as(0, [&] { f(begin, end); });
}

template <class T, class F, class SF>
T parallel_reduce(int64_t begin, int64_t end, int64_t grain_size, const T ident, const F& f, const SF& sf) {
  TORCH_CHECK(grain_size >= 0);
  if (begin >= end) return ident;
#ifdef _OPENMP
  if (internal::is_split(end - begin, grain_size)) {
    const int most = get_num_threads();
    std::unique_ptr<T[]> parts(new T[most]);  // no vector: one of bool is written in words that threads share
    std::fill_n(parts.get(), most, ident);
    internal::split(begin, end, grain_size,
                    [&](int64_t first, int64_t last) { parts[get_thread_num()] = f(first, last, ident); });
    T result = ident;
    for (int i = 0; i < most; ++i) result = sf(result, parts[i]);
    return result;
  }
#endif
  return internal::call_as(0, [&]() -> T { return f(begin, end, ident); });
}
}  // namespace at
#pragma GCC visibility pop
