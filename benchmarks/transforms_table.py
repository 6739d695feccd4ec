"""What the transforms alone reach over a set of tasks, and whether a second pass says the same.

    python benchmarks/transforms_table.py run --out first.json examples/*.py kernelbench:1/12 --devices cuda:0,cuda:1
    python benchmarks/transforms_table.py run --out second.json ...          # again, with an archive of its own
    python benchmarks/transforms_table.py table first.json second.json > docs/results/x.md

Each task is one `cuda-l1 optimize --json` process; devices work side by side, each on one task at a time.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from cuda_l1 import report, wording


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    run = commands.add_parser("run")
    run.add_argument("targets", nargs="+")
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--devices", default="cpu")
    run.add_argument("--kernelbench")
    run.add_argument("--effort", default="normal")
    run.add_argument("--baselines", default="eager,compile,graph")
    run.add_argument("--limit", type=float, default=300.0, help="seconds for one task")
    table = commands.add_parser("table")
    table.add_argument("passes", nargs="+", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "run":
        run_all(arguments)
    else:
        print(render([json.loads(path.read_text()) for path in arguments.passes]))


def run_all(arguments: argparse.Namespace) -> None:
    """Every target once; the rows are written after each, so that a stopped pass keeps what it has."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for target in arguments.targets:
        waiting.put(target)
    rows: dict[str, Any] = {}
    lock = threading.Lock()
    folder = Path(tempfile.mkdtemp(prefix="cuda-l1-table-"))

    def work(device: str) -> None:
        while True:
            try:
                target = waiting.get_nowait()
            except queue.Empty:
                return
            row = optimize(target, device, arguments, folder)
            with lock:
                rows[target] = row
                arguments.out.write_text(json.dumps({t: rows[t] for t in arguments.targets if t in rows}))
                print(target, row.get("outcome") or row.get("error"), flush=True, file=sys.stderr)

    threads = [threading.Thread(target=work, args=(device,)) for device in arguments.devices.split(",")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def optimize(target: str, device: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """The summary of one `cuda-l1 optimize --json`, or its error."""
    command = [
        sys.executable, "-m", "cuda_l1.cli", "optimize", target, "--json", "--device", device,
        "--effort", arguments.effort, "--baselines", arguments.baselines,
        "--archive", str(folder / f"{device.replace(':', '-')}.sqlite"), "--out", str(folder / "runs"),
    ]  # fmt: skip
    if arguments.kernelbench:
        command += ["--kernelbench", arguments.kernelbench]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit, check=False)
    except subprocess.TimeoutExpired:
        return {"error": {"message": f"not finished within {arguments.limit:g} s"}}
    try:
        row: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"error": {"message": done.stderr[-400:]}}
    return row


def render(passes: list[dict[str, Any]]) -> str:
    """Markdown: a row a task from the first pass, and how many verdicts the passes share."""
    header = ("task", "best", "vs best baseline", "vs eager", "eager", "best baseline", "verdicts (candidates)")
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for target, row in passes[0].items():
        lines.append("| " + " | ".join(_cells(target, row)) + " |")
    totals = [each for each in passes[0].values() if "outcome" in each]
    aggregate = report.aggregate(totals)
    wins, counted = aggregate["wins"], aggregate["counted"]
    degenerate = len(aggregate["degenerate"])
    lines += ["", f"{len(totals)} tasks judged, {degenerate} of them degenerate; {wins} wins of {counted}."]
    if aggregate["speedup"]:
        for name, what in (("speedup", "best baseline"), ("speedup_eager", "eager")):
            numbers = aggregate[name]
            lines.append(
                f"Over the wins, against {what}: geometric mean {report.ratio(numbers['geomean'])}, median "
                f"{report.ratio(numbers['median'])}, largest {report.ratio(numbers['max'])}."
            )
    lines += agreement(passes)
    return "\n".join(lines)


def _cells(target: str, row: dict[str, Any]) -> list[str]:
    if "outcome" not in row:
        return [f"`{target}`", f"not judged: {' '.join(row['error']['message'].split())[:120]}", "", "", "", "", ""]
    medians = {each["name"]: each["median_us"] for each in row["baselines"] if each["median_us"] is not None}
    fastest = min(medians, key=lambda name: medians[name]) if medians else ""
    best = row["best"] if row["outcome"] == "win" else None
    counts: dict[str, int] = {}
    for each in row["candidates"]:
        counts[each["verdict"] or each["status"]] = counts.get(each["verdict"] or each["status"], 0) + 1
    return [
        f"`{target}` {row['task']['name']}",
        f"**{best['author']}**" if best else row["outcome"],
        report.ratio(best["speedup"]) + f" vs {best['speedup']['vs']}" if best else "",
        report.ratio(best["speedup_eager"]) if best else "",
        wording.duration_us(medians.get("eager")),
        f"{fastest} {wording.duration_us(medians[fastest])}" if fastest else "",
        ", ".join(f"{count} {name}" for name, count in sorted(counts.items())),
    ]


def _word(candidate: dict[str, Any]) -> str:
    return str(candidate["verdict"] or candidate["status"])


def agreement(passes: list[dict[str, Any]]) -> list[str]:
    """How many candidates got the same verdict in both passes, and which wins were not wins again."""
    if len(passes) < 2:
        return []
    first, second = (
        {c["candidate_id"]: (target, c) for target, row in each.items() for c in row.get("candidates", [])}
        for each in passes[:2]
    )
    both = sorted(set(first) & set(second))

    same = [i for i in both if _word(first[i][1]) == _word(second[i][1])]
    fast = [i for i in both if first[i][1]["verdict"] == "FAST"]
    again = [i for i in fast if second[i][1]["verdict"] == "FAST"]
    reversed_ = [i for i in fast if second[i][1]["verdict"] == "SLOW"]
    lines = [
        "",
        f"Second pass: {len(same)} of {len(both)} candidates got the same verdict; of {len(fast)} that were FAST, "
        f"{len(again)} were FAST again and {len(reversed_)} became SLOW.",
    ]
    for i in both:
        if i not in same:
            target, one = first[i]
            two = second[i][1]
            words = [f"{_word(each)} {report.ratio(each['speedup'])}" for each in (one, two)]
            lines.append(f"- `{target}` {one['author']}: {words[0]}, then {words[1]}")
    return lines


if __name__ == "__main__":
    main()
