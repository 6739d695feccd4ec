"""One candidate through another project's evaluator, in this process, as that project's own script calls it.

    python benchmarks/other_judges.py kernelbench --checkout KERNELBENCH --task task.py --candidate new.py --kind triton
    python benchmarks/other_judges.py authors --checkout CUDA_L1 --task task.py --candidate new.py --kind cuda

Prints one line of JSON: what it said, its ratio with a 95% interval out of its own repetitions, and seconds by phase.
Its functions are wrapped by clocks and otherwise left alone. KernelBench: `scripts/run_and_check.py` with its defaults,
5 correctness and 100 timed trials; the timing of torch.compile beside it is left out, in its favour. The authors:
`eval/eval_cuda.py`, 10 correctness trials and 7 x 10 timed pairs; it takes strings, so Triton cannot run there.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.util
import json
import math
import statistics
import sys
import tempfile
import time
import types
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

T_6, T_99 = 2.447, 1.984
"""Quantiles of Student's t for 95%, of 7 scores and of 100 trials."""
_NEEDLESS = {
    "dotenv": ["load_dotenv"],
    "litellm": ["completion"],
    "openai": ["OpenAI"],
    "requests": [],
    "tqdm": ["tqdm"],
}
"""Modules of KernelBench's imports that only speak to servers or draw bars, and the names taken from each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("judge", choices=("kernelbench", "authors"))
    parser.add_argument("--checkout", type=Path, required=True)
    parser.add_argument("--task", type=Path, required=True)
    parser.add_argument("--candidate", type=Path, required=True)
    parser.add_argument("--kind", choices=("torch", "cuda", "nvrtc", "triton"), required=True)
    arguments = parser.parse_args()
    started = time.perf_counter()
    judge = kernelbench if arguments.judge == "kernelbench" else authors
    with contextlib.redirect_stdout(sys.stderr):
        found = judge(arguments.checkout, arguments.task.read_text(), arguments.candidate.read_text(), arguments.kind)
    found["seconds"]["total"] = time.perf_counter() - started
    print(json.dumps(found))


def clocked(module: Any, names: dict[str, str], seconds: dict[str, float]) -> None:
    """Put a clock around functions of a module; their seconds go to the phase named, an outer clock wins."""
    running: list[str] = []

    def wrap(function: Callable[..., Any], phase: str) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            running.append(phase)
            try:
                return function(*args, **kwargs)
            finally:
                running.pop()
                if not running:
                    seconds[phase] += time.perf_counter() - started

        return timed

    for name, phase in names.items():
        setattr(module, name, wrap(getattr(module, name), phase))


def stand_in() -> None:
    """Empty modules in place of those that are missing and not needed here."""
    for name, wanted in _NEEDLESS.items():
        if importlib.util.find_spec(name) is None:
            module = types.ModuleType(name)
            for attribute in wanted:
                setattr(module, attribute, lambda *args, **kwargs: None)
            sys.modules[name] = module


def kernelbench(checkout: Path, reference: str, candidate: str, kind: str) -> dict[str, Any]:
    """`evaluate_single_sample_src` of its `scripts/run_and_check.py` with that script's defaults."""
    import torch

    stand_in()
    sys.path.insert(0, str(checkout / "src"))
    evaluator = importlib.import_module("kernelbench.eval")
    timing: Any = importlib.import_module("kernelbench.timing")
    seconds: dict[str, float] = defaultdict(float)
    phases = {"load_custom_model": "build", "load_custom_model_with_tempfile": "build"}
    clocked(evaluator, phases | {"run_and_check_correctness": "verify"}, seconds)
    clocked(timing, {"time_execution_with_cuda_event": "time"}, seconds)
    lists: list[list[float]] = []
    of_list = timing.get_timing_stats

    def kept(times: list[float], **rest: Any) -> Any:
        lists.append(times)
        return of_list(times, **rest)

    timing.get_timing_stats = kept
    result = evaluator.eval_kernel_against_ref(
        original_model_src=reference,
        custom_model_src=candidate,
        measure_performance=True,
        timing_method="cuda_event",
        num_correct_trials=5,
        num_perf_trials=100,
        build_dir=tempfile.mkdtemp(),
        device=torch.device("cuda:0"),
        backend="triton" if kind == "triton" else "cuda",
        precision=torch.float32,
    )
    correct = bool(result and result.correctness)
    said = "correct" if correct else f"refused: {str(result and result.metadata)[:300]}"
    ratio = ratio_of_means(lists[1], lists[0]) if correct and len(lists) == 2 else None
    return {"said": said, "passed": correct, "ratio": ratio, "seconds": dict(seconds)}


def ratio_of_means(reference: list[float], candidate: list[float]) -> list[float]:
    """Mean over mean with its 95% interval by the variance of both, as if all trials were independent."""
    parts = [(statistics.fmean(times), statistics.variance(times) / len(times)) for times in (reference, candidate)]
    value = parts[0][0] / parts[1][0]
    half = T_99 * math.sqrt(sum(variance / mean**2 for mean, variance in parts))
    return [value, value * math.exp(-half), value * math.exp(half)]


def authors(checkout: Path, reference: str, candidate: str, kind: str) -> dict[str, Any]:
    """`eval()` of their `eval/eval_cuda.py` for one row, against eager."""
    sys.path.insert(0, str(checkout / "eval"))
    evaluator = importlib.import_module("eval_cuda")
    seconds: dict[str, float] = defaultdict(float)
    phases = {"validate_no_lazy_evaluation": "verify", "check_kernel_correctness": "verify"}
    clocked(evaluator, phases | {"eval_kernel_against_ref": "time"}, seconds)
    log = Path(tempfile.mkdtemp()) / "log.json"
    started = time.perf_counter()
    evaluator.eval_pipeline(
        warmup_src=reference,
        original_model_src=reference,
        custom_model_src=candidate,
        num_correct_trials=10,
        num_perf_trials=10,
        global_n_trials=7,
        gpu_index=0,
        verbose=False,
        log_path=str(log),
        max_time=1800,
        original_eval_setup="vanilla",
    )
    seconds["build"] = time.perf_counter() - started - sum(seconds.values())
    last = json.loads(log.read_text().splitlines()[-1])
    passed = bool(last.get("done")) and not last["error"]
    ratio = None
    if passed:
        half = T_6 * statistics.stdev(last["scores_sorted"]) / math.sqrt(len(last["scores_sorted"]))
        ratio = [last["score"], last["score"] - half, last["score"] + half]
    said = "correct" if passed else f"refused: {str(last.get('error_msg'))[:300]}"
    return {"said": said, "passed": passed, "ratio": ratio, "seconds": dict(seconds)}


if __name__ == "__main__":
    main()
