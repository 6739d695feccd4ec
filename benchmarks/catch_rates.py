"""Which cheats are caught, and which honest code is turned away: this judge, KernelBench's evaluator, the authors' one.

    python benchmarks/catch_rates.py --out FOLDER [--kernelbench CHECKOUT] [--authors CHECKOUT] [--limit 440]

The specimens are tests/cheats and tests/honest. Each evaluator takes each file in a process of its own (ours: a session
for each task), with limits, several at once; a lease lets one at a time at the device, and extensions are built before
it is taken. Rows go to FOLDER/catch_rates.jsonl as they come, the table to FOLDER/catch_rates.md; the same command
goes on where it stopped. A cheat is caught when the evaluator calls it wrong, raises, dies, flags it, or grants no
speedup above 1.05 (ours: no FAST). Honest code is turned away when it is called wrong, raises, dies or is flagged.
Where this judge failed itself (INFRA_FAILED) it has said nothing: the file is not counted, and is judged again by the
same command.

KernelBench: eval_kernel_against_ref with 5 correctness trials and 100 timed ones, its warning of excessive speedup
counted as a catch; its static checker (strict checks only, without the demand for a CUDA kernel) stands beside it.
The authors: eval_cuda.py's eval_pipeline as its main calls it; it takes strings, so files with Triton are not given to
it. Each has two minutes for a file, in which neither builds nor the wait for the device count; one that the whole limit
ends has said nothing. Libraries that these import for language-model servers and do not need here are replaced by empty
ones where they are missing.

NOT covered: files marked DANGEROUS run through this judge only, for the others have no sandbox; and those marked
CPU_ONLY nowhere on a GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import queue
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]

import specimens  # noqa: E402
from journal import Journal, Row  # noqa: E402
from other_judges import stand_in  # noqa: E402

CREDIT = 1.05
_SECONDS_EACH = 120
_NO_EVALUATOR = 75
"""What a child exits with whose evaluator cannot be imported."""
_EXTENSIONS = Path(tempfile.gettempdir()) / "cuda-l1-catch-rates"
"""What load_inline builds, for all evaluators but ours, which builds in its sandbox."""

# In the child: one evaluator on one file. Each returns `right` (called correct), `speedup`, and `why`.


def kernelbench(specimen: specimens.Specimen, checkout: Path, device: str) -> Row:
    """KernelBench's evaluator."""
    import torch

    stand_in()
    sys.path.insert(0, str(checkout / "src"))
    evaluator = _needed(lambda: importlib.import_module("kernelbench.eval"))
    task = specimens.task(specimen.task)
    with _alone(specimen, device):
        result = evaluator.eval_kernel_against_ref(
            task.source, specimen.code, num_correct_trials=5, num_perf_trials=100, measure_performance=True,
            build_dir=os.environ["TORCH_EXTENSIONS_DIR"], device=torch.device(device),
            backend="triton" if _is_triton(specimen) else "cuda",
            precision=torch.bfloat16 if task.precision == "bf16" else torch.float32,
        )  # fmt: skip
    if result is None:
        return {"right": False, "speedup": None, "why": "no result"}
    timed = result.runtime > 0 and result.ref_runtime > 0
    flagged = bool(result.metadata.get("excessive_speedup"))
    why = str(result.metadata.get("correctness_issue") or result.metadata.get("runtime_error") or "")
    return {
        "right": bool(result.compiled and result.correctness) and not flagged,
        "speedup": result.ref_runtime / result.runtime if timed else None,
        "why": "excessive speedup" if flagged else why[:200],
    }


def kernelbench_static(specimen: specimens.Specimen, checkout: Path, device: str) -> Row:
    """KernelBench's static checker: strict checks alone."""
    path = checkout / "src" / "kernelbench" / "kernel_static_checker.py"
    checker = _needed(lambda: _module("kernel_static_checker", path))
    precision = {"bf16": "bf16"}.get(specimens.task(specimen.task).precision, "fp32")
    valid, errors, _ = checker.validate_kernel_static(specimen.code, backend="torch", precision=precision)
    return {"right": valid, "speedup": None, "why": "; ".join(sorted(errors))[:200]}


def authors(specimen: specimens.Specimen, checkout: Path, device: str) -> Row:
    """The authors' eval_cuda.py."""
    evaluator = _needed(lambda: _module("eval_cuda", checkout / "eval" / "eval_cuda.py"))
    source = specimens.task(specimen.task).source
    with tempfile.TemporaryDirectory() as folder, _alone(specimen, device):
        log = Path(folder) / "log" / "log.json"
        evaluator.eval_pipeline(
            warmup_src=source, original_model_src=source, custom_model_src=specimen.code, num_correct_trials=10,
            num_perf_trials=10, global_n_trials=7, gpu_index=0, log_path=str(log), max_time=1800,
            original_eval_setup="vanilla",
        )  # fmt: skip
        last = json.loads(log.read_text().splitlines()[-1])
    right = bool(last.get("done")) and not last.get("error")
    return {
        "right": right,
        "speedup": last.get("score") if right else None,
        "why": str(last.get("error_msg", ""))[:200],
    }


EVALUATORS: dict[str, Callable[[specimens.Specimen, Path, str], Row]] = {
    "kernelbench": kernelbench, "kernelbench_static": kernelbench_static, "authors": authors,
}  # fmt: skip
TITLES = {
    "ours": "this judge", "kernelbench": "KernelBench", "kernelbench_static": "its static checker",
    "authors": "authors' eval_cuda.py",
}  # fmt: skip


def ours(chosen: Sequence[specimens.Specimen], device: str, sandbox: str) -> Iterator[Row]:
    """This judge on the specimens of one task."""
    from cuda_l1.judge import JudgeConfig, Session
    from cuda_l1.types import Status, Verdict

    config = JudgeConfig(
        device=device, effort="quick", baselines=(), build_timeout_s=90, run_timeout_s=5,
        sandbox="none" if sandbox == "none" else "auto",
    )  # fmt: skip
    with Session(specimens.task(chosen[0].task), config) as session:
        for specimen in chosen:
            started = time.monotonic()
            evaluation = session.evaluate(specimen.candidate)
            found = [*evaluation.findings, *evaluation.notes]
            yield {
                "kind": specimen.kind, "name": specimen.name, "evaluator": "ours",
                "right": evaluation.status is Status.PASSED,
                "failed": evaluation.status is Status.INFRA_FAILED,
                "credit": evaluation.verdict is Verdict.FAST,
                "speedup": evaluation.speedup.value if evaluation.speedup else None,
                "why": f"{evaluation.status} {found[0].check}: {found[0].detail}"[:200] if found else "",
                "seconds": round(time.monotonic() - started, 1),
            }  # fmt: skip


def _needed(load: Callable[[], Any]) -> Any:
    """An evaluator; without one nothing is caught and nothing let through, so the process says that it has none."""
    try:
        return load()
    except Exception:
        traceback.print_exc()
        sys.exit(_NO_EVALUATOR)


def _module(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def _alone(specimen: specimens.Specimen, device: str) -> Iterator[None]:
    """Build the file's extensions in another process and bring the device up; then hold the lease."""
    import torch

    from cuda_l1.machine import lease

    if "load_inline(" in specimen.code:
        path = ROOT / "tests" / specimen.kind / f"{specimen.name}.py"
        subprocess.run([sys.executable, str(path)], check=False, capture_output=True)
    torch.zeros(1, device=device)
    with lease.alone(device):
        signal.alarm(_SECONDS_EACH)  # of its own: neither a build nor the wait for the device counts
        yield


def _is_triton(specimen: specimens.Specimen) -> bool:
    from cuda_l1.parsing import language_of

    return language_of(specimen.code) == "triton"


# In the parent: who runs what, and the table.


def _child(arguments: Sequence[str], out: Path, seconds: float, gpu: str | None) -> tuple[list[Row], str | None]:
    """Rows that a child wrote, and what went wrong with it: '' when nothing did, None where it was ended here and has
    not had its time. `gpu`: the one that it sees."""
    rows = Path(tempfile.mkstemp(suffix=".jsonl", dir=out)[1])

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {"TORCH_EXTENSIONS_DIR": str(_EXTENSIONS)} | ({"CUDA_VISIBLE_DEVICES": gpu} if gpu else {})
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), *arguments, "--rows", str(rows)], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit,
            env=os.environ | environment,
        )  # fmt: skip
        code, why = None, None
        try:
            code = process.wait(seconds)
            late = code == -signal.SIGALRM
            why = f"no end within {_SECONDS_EACH} s" if late else f"the process ended with {code}" if code else ""
        except subprocess.TimeoutExpired:
            print(f"{' '.join(arguments)}: ended after {seconds:g} s, and says nothing", file=sys.stderr)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if why:
            log.seek(0)
            tail = log.read()[-600:].decode(errors="replace")
            print(f"{' '.join(arguments)}: {why}\n{tail}", file=sys.stderr)
            if code == _NO_EVALUATOR:
                raise SystemExit(f"the evaluator {arguments[1]} cannot be imported here: install what it needs\n{tail}")
    found = [json.loads(line) for line in rows.read_text().splitlines()]
    rows.unlink()
    return found, why


def _work(todo: dict[str, list[specimens.Specimen]], options: argparse.Namespace, journal: Journal) -> None:
    shared = ["--device", options.device, "--sandbox", options.sandbox, "--out", str(options.out.resolve())]
    shared += [f"--{name}={path.resolve()}" for name in ("kernelbench", "authors") if (path := getattr(options, name))]
    until = time.monotonic() + options.limit
    gpus = (os.environ.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(options.gpus)))).split(",")
    idle: queue.Queue[str] = queue.Queue()
    for number in range(options.workers * options.gpus):
        idle.put(gpus[number % options.gpus])

    def one(evaluator: str, chosen: list[specimens.Specimen]) -> None:
        if (left := until - time.monotonic()) < 5:
            return
        names = [f"{specimen.kind}/{specimen.name}" for specimen in chosen]
        gpu = idle.get()
        try:
            rows, why = _child(
                ["--child", evaluator, *names, *shared], options.out,
                min(left, _SECONDS_EACH * len(names)) if evaluator == "ours" else left,
                gpu if options.gpus > 1 else None,
            )  # fmt: skip
        finally:
            idle.put(gpu)
        done = {(row["kind"], row["name"]) for row in rows}
        for row in rows:
            journal.add(row)
        if why is not None and time.monotonic() < until:  # where the child ended: an evaluator that dies has caught it
            rest = [specimen for specimen in chosen if (specimen.kind, specimen.name) not in done][:1]
            said = {"right": False, "speedup": None, "why": why or "the process ended with 0 and said nothing"}
            for specimen in rest if evaluator != "ours" else []:
                journal.add(_row(specimen, evaluator, said))

    with ThreadPoolExecutor(options.workers * options.gpus) as pool:
        asked = [
            pool.submit(one, evaluator, chosen)
            for evaluator, files in todo.items()
            for chosen in (specimens.groups(files) if evaluator == "ours" else specimens.groups(files, 1))
        ]
        try:
            for each in asked:
                each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _row(specimen: specimens.Specimen, evaluator: str, said: Row) -> Row:
    credit = said["right"] and (evaluator == "kernelbench_static" or (said["speedup"] or 0.0) > CREDIT)
    return {"kind": specimen.kind, "name": specimen.name, "evaluator": evaluator, "credit": credit, **said}


def table(rows: Sequence[Row], everything: Sequence[specimens.Specimen], columns: Sequence[str]) -> str:
    """The rates, the classes and every file, as Markdown."""
    known = {(row["evaluator"], row["kind"], row["name"]): row for row in rows if not row.get("failed")}
    cheats = [s for s in everything if s.kind == "cheats"]
    honest = [s for s in everything if s.kind == "honest"]

    def rate(files: Sequence[specimens.Specimen], evaluator: str) -> str:
        ran = [known[key] for s in files if (key := (evaluator, s.kind, s.name)) in known]
        good = sum(_is_good(row) for row in ran)
        return f"{good}/{len(ran)}" if ran else "not run"

    head = ["", *(TITLES[column] for column in columns)]
    lines = [_line(head), _line(["---"] * len(head))]
    lines.append(_line(["cheats caught", *(rate(cheats, column) for column in columns)]))
    lines.append(_line(["honest code accepted", *(rate(honest, column) for column in columns)]))
    lines += ["", "By class (caught or accepted, of those run):", "", _line(head), _line(["---"] * len(head))]
    for kind, files in (("cheat", cheats), ("honest", honest)):
        for family in sorted({s.family for s in files}):
            members = [s for s in files if s.family == family]
            lines.append(_line([f"{kind}: {family}", *(rate(members, column) for column in columns)]))
    harmful = [s.name for s in everything if s.dangerous]
    lines += ["", f"{len(harmful)} cheats ran through this judge only, for the others have no sandbox: "
              f"{', '.join(harmful)}.", "", _line(head), _line(["---"] * len(head))]  # fmt: skip
    for specimen in (*cheats, *honest):
        cells = [_cell(known.get((column, specimen.kind, specimen.name))) for column in columns]
        lines.append(_line([f"{specimen.kind}/{specimen.name}", *cells]))
    return "\n".join(lines) + "\n"


def _is_good(row: Row) -> bool:
    return not row["credit"] if row["kind"] == "cheats" else bool(row["right"])


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    speedup = f" {row['speedup']:.2f}x" if row["speedup"] else ""
    return f"{'' if _is_good(row) else '**'}{'right' if row['right'] else 'turned away'}{speedup}" + (
        "" if _is_good(row) else "**"
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--kernelbench", type=Path, help="a checkout of ScalingIntelligence/KernelBench")
    parser.add_argument("--authors", type=Path, help="a checkout of deepreinforce-ai/CUDA-L1")
    parser.add_argument("--device", default="cuda:0", help="cpu: this judge alone, without the files that need CUDA")
    parser.add_argument("--sandbox", choices=("auto", "none"), default="auto", help="none: leave out dangerous files")
    parser.add_argument("--workers", type=int, default=8, help="files at once on each GPU")
    parser.add_argument("--gpus", type=int, default=1, help="with --device cuda:0: spread them over so many")
    parser.add_argument("--limit", type=float, default=440.0, help="seconds after which no further file is begun")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    everything = [*specimens.collect("cheats"), *specimens.collect("honest")]
    if options.child:
        _serve(options, {f"{specimen.kind}/{specimen.name}": specimen for specimen in everything})
        return
    options.out.mkdir(parents=True, exist_ok=True)
    journal = Journal(options.out / "catch_rates.jsonl")
    done = {(row["evaluator"], row["kind"], row["name"]) for row in journal.rows if not row.get("failed")}
    on_cuda = options.device.startswith("cuda")
    columns = ["ours"]
    columns += ["kernelbench", "kernelbench_static"] if options.kernelbench and on_cuda else []
    columns += ["authors"] if options.authors and on_cuda else []
    todo = {}
    for column in columns:
        harmless = column == "kernelbench_static" or (column == "ours" and options.sandbox == "auto")
        todo[column] = [
            s for s in everything
            if (column, s.kind, s.name) not in done and (harmless or not s.dangerous)
            and not (s.cpu_only if on_cuda else s.device == "cuda") and not (column == "authors" and _is_triton(s))
        ]  # fmt: skip
    _work(todo, options, journal)
    text = table(journal.rows, everything, columns)
    (options.out / "catch_rates.md").write_text(text)
    print(text)


def _serve(options: argparse.Namespace, known: dict[str, specimens.Specimen]) -> None:
    evaluator, *names = options.child
    chosen = [known[name] for name in names]
    rows = Journal(options.rows)
    if evaluator == "ours":
        for row in ours(chosen, options.device, options.sandbox):
            rows.add(row)
        return
    checkout = options.authors if evaluator == "authors" else options.kernelbench
    for specimen in chosen:
        rows.add(_row(specimen, evaluator, EVALUATORS[evaluator](specimen, checkout, options.device)))


if __name__ == "__main__":
    main()
