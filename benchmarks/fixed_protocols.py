"""Two fixed protocols on candidates of known truth: the paper's (section 2.4.4) and KernelBench's 100 trials.

As a program it is the process that measures: a reference and candidates that repeat its kernel another number of times,
in one process, as both protocols do it. It prints the raw times; `windows` and the deciding functions turn them into
decisions for any budget. NOT covered: the paper's own budget, 20 to 30 minutes a candidate, and its truncation of a
score to two decimals, which would take every 1.02 below 1.01 with it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

GAP = 0.01
"""Both sides of 1 where a difference is none; the same for all protocols."""
BUCKETS, MOST_VARIANCE = 7, 0.005
_FLUSHED_BYTES = 256 << 20

Make = Callable[[], list[Any]]
"""New inputs on the device."""
Timed = tuple[float, float, float]
"""Seconds since the start when it was over, and the reference's and the candidate's time, in any one unit."""


def paper_ratio(pairs: Sequence[Timed]) -> float | None:
    """Seven buckets of ratios, thrown away (None) when their means vary by more than 0.005, else the median of the
    means."""
    if len(pairs) < BUCKETS:
        return None
    ratios = [reference / candidate for _, reference, candidate in pairs]
    edges = [len(ratios) * i // BUCKETS for i in range(BUCKETS + 1)]
    means = [statistics.fmean(ratios[a:b]) for a, b in itertools.pairwise(edges)]
    return None if statistics.pvariance(means) > MOST_VARIANCE else statistics.median(means)


def means_ratio(trials: Sequence[Timed]) -> float:
    """KernelBench: mean over mean."""
    return statistics.fmean(t[1] for t in trials) / statistics.fmean(t[2] for t in trials)


def decided(ratio: float | None) -> str:
    """By the point alone, as neither protocol has an interval; AMBIGUOUS for what was thrown away."""
    if ratio is None:
        return "AMBIGUOUS"
    return "FAST" if ratio > 1 + GAP else "SLOW" if ratio < 1 - GAP else "SAME"


def windows(pairs: Sequence[Timed], seconds: float) -> Iterator[Sequence[Timed]]:
    """Disjoint stretches of the stream, each of that many seconds: as many independent decisions at that budget."""
    start, first = 0, 0.0
    for end, (at, _, _) in enumerate(pairs, 1):
        if at - first >= seconds:
            yield pairs[start:end]
            start, first = end, at


class Clock:
    """Times one call on its device: CUDA events, or the host's clock on a CPU. Units cancel in ratios."""

    def __init__(self, device: str) -> None:
        import torch

        self.torch: Any = torch
        self.is_cuda = device.startswith("cuda")
        self._flushed = torch.empty(_FLUSHED_BYTES, dtype=torch.uint8, device=device) if self.is_cuda else None

    def flush(self) -> None:
        """Overwrite the GPU's second-level cache."""
        if self._flushed is not None:
            self._flushed.fill_(42)

    def call(self, module: Callable[..., Any], inputs: list[Any]) -> float:
        """One call, waited for."""
        if not self.is_cuda:
            started = time.perf_counter()
            module(*inputs)
            return time.perf_counter() - started
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        module(*inputs)
        end.record()
        self.torch.cuda.synchronize()
        return float(begin.elapsed_time(end))


def pairs_for(clock: Clock, reference: Any, candidate: Any, make: Make, budget: float) -> list[Timed]:
    """The paper: rounds of both sides in random order on the same inputs, until the budget is over."""
    inputs, sides = [make() for _ in range(4)], (reference, candidate)
    taken: list[Timed] = []
    started = time.perf_counter()
    while time.perf_counter() - started < budget:
        its = random.choice(inputs)
        times = {which: clock.call(sides[which], its) for which in random.sample((0, 1), 2)}
        taken.append((time.perf_counter() - started, times[0], times[1]))
    return taken


def trials_for(
    clock: Clock, reference: Any, candidate: Any, make: Make, budget: float, count: int = 100
) -> list[dict[str, Any]]:
    """KernelBench: three warm-ups and `count` trials of the candidate on one input, the cache flushed before each and
    the first thrown away, then the same of the reference; again and again until the budget is over."""
    measured: list[dict[str, Any]] = []
    began = time.perf_counter()
    while not measured or time.perf_counter() - began < budget:
        started, its = time.perf_counter(), make()
        sides = []
        for module in (candidate, reference):
            for _ in range(3):
                clock.call(module, its)
            times = []
            for _ in range(count + 1):
                clock.flush()
                times.append(clock.call(module, its))
            sides.append(times[1:])
        trials = [(0.0, r, c) for r, c in zip(sides[1], sides[0], strict=True)]
        measured.append({"seconds": time.perf_counter() - started, "trials": trials})
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", required=True)
    parser.add_argument("--seconds", type=float, required=True, help="for each protocol and candidate")
    parser.add_argument("sources", help="JSON file: the reference's source, and the candidates' by name")
    arguments = parser.parse_args()
    import torch

    with open(arguments.sources) as file:
        sources = json.load(file)
    clock = Clock(arguments.device)

    def built(source: str, name: str) -> tuple[Any, Make]:
        space: dict[str, Any] = {}
        exec(source, space)
        torch.manual_seed(0)
        module = space[name](*space["get_init_inputs"]()).to(arguments.device).eval()
        return module, lambda: [value.to(arguments.device) for value in space["get_inputs"]()]

    with torch.no_grad():
        reference, make = built(sources["reference"], "Model")
        for name in random.sample(list(sources["candidates"]), len(sources["candidates"])):
            candidate, _ = built(sources["candidates"][name], "ModelNew")
            sides = (clock, reference, candidate, make, arguments.seconds)
            for module in (reference, candidate):
                for _ in range(3):
                    clock.call(module, make())
            found = {"candidate": name, "pairs": pairs_for(*sides), "measured": trials_for(*sides)}
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
