"""Threads in inline C++: loops that are split, and Python's lock, over the slim headers as over torch's own."""

import pytest
import torch

PARALLEL = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>
std::vector<int64_t> chunks(int64_t begin, int64_t end, int64_t grain) {  // of each element where its chunk begins
  std::vector<int64_t> out(end - begin, -1);
  at::parallel_for(begin, end, grain, [&](int64_t first, int64_t last) {
    TORCH_CHECK(c10::ParallelGuard::is_enabled() && first < last && at::get_thread_num() < at::get_num_threads());
    const bool is_within = at::in_parallel_region();
    at::parallel_for(first, last, 1, [&](int64_t a, int64_t b) {
      TORCH_CHECK(!is_within || (a == first && b == last), "split within what is split");
    });
    for (int64_t i = first; i < last; ++i) out[i - begin] = first;
  });
  TORCH_CHECK(!c10::ParallelGuard::is_enabled() && !at::in_parallel_region() && at::get_thread_num() == 0);
  return out;
}
std::string reduced(int64_t end, int64_t grain) {
  return at::parallel_reduce(int64_t(0), end, grain, std::string("<"), [](int64_t first, int64_t last, std::string) {
    return std::to_string(first) + "-" + std::to_string(last) + " ";
  }, [](const std::string& a, const std::string& b) { return a + b; });
}
void refuse(int64_t end) {
  at::parallel_for(0, end, 1, [](int64_t, int64_t last) { TORCH_CHECK(last < 8, "too far: ", last); });
}
"""


def chunks_by_torch(count, grain, threads):
    """Where each chunk begins and ends, as ATen/ParallelOpenMP.h has it."""
    used = min(threads, -(-count // grain)) if grain else threads
    chunk = -(-count // used)
    return [(first, min(count, first + chunk)) for first in range(0, count, chunk)]


@pytest.mark.slow
@pytest.mark.parametrize("is_openmp", [False, True], ids=["plain", "openmp"])
def test_loops_are_split_as_torch_splits_them(load_inline, slow_way, is_openmp):
    given = {"extra_cflags": ["-fopenmp"], "extra_ldflags": ["-fopenmp"]} if is_openmp else {}
    module = load_inline("loops", PARALLEL, functions=["chunks", "reduced", "refuse"], **given)
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            for count, grain in ((1, 0), (7, 2), (8, 0), (10, 100), (100, 3)):
                is_split = is_openmp and threads > 1 and count > grain
                spans = chunks_by_torch(count, grain, threads) if is_split else [(0, count)]
                begins = [5 + first for first, last in spans for _ in range(first, last)]
                assert module.chunks(5, 5 + count, grain) == begins
                said = "".join(f"{first}-{last} " for first, last in spans)
                assert module.reduced(count, grain) == (f"<{said}{'<' * (threads - len(spans))}" if is_split else said)
            assert (module.chunks(5, 5, 1), module.reduced(0, 1)) == ([], "<")
            with pytest.raises(RuntimeError, match="too far: 9"):
                module.refuse(9)
    finally:
        torch.set_num_threads(before)
    assert slow_way == []


GUARDED = r"""
#include <torch/extension.h>
bool holds() { return PyGILState_Check(); }
bool lets_go() { py::gil_scoped_release released; return PyGILState_Check(); }
bool takes_back() { py::gil_scoped_release released; py::gil_scoped_acquire acquired; return PyGILState_Check(); }
torch::Tensor twice(torch::Tensor x, int64_t times) {
  TORCH_CHECK(!PyGILState_Check() && times == 2, "not twice");
  return x * times;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("holds", &holds); m.def("lets_go", &lets_go); m.def("takes_back", &takes_back);
  m.def("guarded", &holds, py::call_guard<py::gil_scoped_release>());
  m.def("twice", &twice, "Twice", py::arg("x"), py::arg("times") = 2, py::call_guard<py::gil_scoped_release>());
}
"""


def test_the_lock_is_released_and_taken_again(load_inline, slow_way):
    module = load_inline("guarded", GUARDED, no_implicit_headers=True)
    assert [module.holds(), module.lets_go(), module.takes_back(), module.guarded()] == [True, False, True, False]
    x = torch.randn(3)
    assert torch.equal(module.twice(x), x * 2)
    with pytest.raises(RuntimeError, match="not twice"):
        module.twice(x, times=3)
    assert (module.holds(), slow_way) == (True, [])
