"""A sweep as a page of Markdown: the table of tasks, the means under each convention, what is counted nowhere.

In comes the object of `scores.summary`, out comes text. Not covered: two sweeps side by side (comparison).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cuda_l1 import accounts, foreign, report, wording
from cuda_l1.scores import CONVENTIONS, SIDES


def markdown(total: Mapping[str, Any]) -> str:
    """A sweep as a page, its table first."""
    every, counts = total["all"], total["counts"]
    apart = [
        ("Degenerate, counted nowhere", ", ".join(total["degenerate"])),
        (
            "AMBIGUOUS, the judge could not tell (a crowded machine, a second word that differs): no win",
            ", ".join(total["undecided"]),
        ),
        ("INFRA_FAILED, our own failure, counted nowhere", _reasons(total["infra_failed"])),
        ("Tasks that do not run, counted nowhere", _reasons(total["broken"])),
        ("Ended early, counted with the best by then where anything was judged", _reasons(total["early"])),
        ("Not begun", ", ".join(total["left"])),
    ]
    parts = [
        f"# Sweep {total['sweep_id']}",
        f"**{headline(total)}**",
        f"Tasks: `{wording.plain(total['spec'])}`. {_settings(total['config'])}",
        _means(every),
        "Intervals: 95%, bootstrap over tasks.",
        "## Faster than p",
        f"Share of the {every['counted']} counted tasks whose best candidate is correct and faster than p, as "
        "measured; in brackets the wins whose whole interval lies above p.",
        wording.table(("", "vs eager", "vs best baseline"), _curve(every)),
        "## By level",
        wording.table(_GROUP, [_group(name, its) for name, its in total["by_level"].items()]),
        "## By label",
        "Of the best candidate of each task that has a correct one; a task counts under each of its labels.",
        wording.table(_GROUP, [_group(name, its) for name, its in total["by_label"].items()]),
        "## Listed apart" if any(text for _, text in apart) else "",
        "\n".join(f"- {name}: {wording.plain(text, len(text))}." for name, text in apart if text),
        "## Tasks",
        wording.table(_TASK, [_task(each) for each in total["rows"]]),
        "## Cost",
        f"{_cost(every)} Candidates: {_counted(every['candidates'])}. The sweep took "
        f"{wording.duration_s(total['duration_s'])}, of which judging {wording.duration_s(total['judging_s'])}. "
        f"Tasks by how they ended: {_counted(counts['by_state'])}.",
        _calls(total["calls"]),
        "## Environment",
        wording.environment_text(total["environment"], total["devices"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(total: Mapping[str, Any]) -> str:
    """The outcome in one sentence."""
    every = total["all"]
    if not every["counted"]:
        return f"No task of {every['tasks']} has a word yet."
    kept = every["speedup"]["kept"]
    return (
        f"{every['wins']} of {every['counted']} tasks faster with certainty, {every['correct']} with a correct "
        f"candidate; geometric mean {report.ratio(kept['eager']['geomean'])} vs eager, "
        f"{report.ratio(kept['best']['geomean'])} vs the best baseline (1.0x without a win)."
    )


_GROUP = ("", "counted", "correct", "wins", "geomean vs eager (kept)", "vs best (kept)", "median vs best (kept)",
          "geomean vs best (wins)", "fast_1 eager / best", "tokens", "cost")  # fmt: skip
_TASK = ("task", "outcome", "vs best baseline", "vs eager", "by", "labels", "tokens", "ended")


def _means(every: Mapping[str, Any]) -> str:
    rows = []
    for name, words in CONVENTIONS.items():
        sides = [every["speedup"][name][side] for side in SIDES]
        figures = [
            report.ratio(its[kind]) if its else wording.UNKNOWN for its in sides for kind in ("geomean", "median")
        ]
        rows.append((f"{name}: {words}", str(sides[0]["n"] if sides[0] else 0), *figures))
    header = ("convention", "tasks", "geomean vs eager", "median vs eager", "geomean vs best baseline",
              "median vs best baseline")  # fmt: skip
    return wording.table(header, rows)


def _curve(every: Mapping[str, Any]) -> list[tuple[str, ...]]:
    rows = [("correct (fast_0)", *[f"{every['correct']} ({_share(every['correct'], every['counted'])})"] * 2)]
    for p in every["fast_p_eager"]:
        pair = (every[f"fast_p_{side}"][p] for side in SIDES)
        counted = every["counted"]
        cells = (f"{its['tasks']} ({_share(its['tasks'], counted)}) [{its['certain']}]" for its in pair)
        rows.append((f"fast_{p}", *cells))
    return rows


def _group(name: str, its: Mapping[str, Any]) -> tuple[str, ...]:
    def figure(convention: str, side: str, kind: str) -> str:
        found = its["speedup"][convention][side]
        return report.ratio(found[kind]) if found else wording.UNKNOWN

    return (
        name, str(its["counted"]), str(its["correct"]), str(its["wins"]),
        figure("kept", "eager", "geomean"), figure("kept", "best", "geomean"), figure("kept", "best", "median"),
        figure("wins", "best", "geomean"),
        " / ".join(str(its[f"fast_p_{side}"]["1"]["tasks"]) for side in SIDES),
        str(sum(its["tokens"].values())), _usd(its["cost_usd"]),
    )  # fmt: skip


def _task(each: Mapping[str, Any]) -> tuple[str, ...]:
    name, tokens = f"{each['name']} ({each['task_id']})", str(each["prompt_tokens"] + each["completion_tokens"])
    ended = each["why"] if each["state"] == "done" else _state(each)
    if each["best"] is None:
        unknown = [wording.UNKNOWN] * 4
        return name, each["outcome"], *unknown, tokens, ended
    text = report.cells(each["best"])
    outcome = each["outcome"] if each["outcome"] == "win" else f"{each['outcome']} ({text.verdict})"
    return name, outcome, text.speedup, text.eager, text.who, text.labels, tokens, ended


def _state(each: Mapping[str, Any]) -> str:
    """How a task ended, and why where that says more."""
    return each["state"] if each["why"] in ("", each["state"]) else f"{each['state']}: {each['why']}"


def _cost(every: Mapping[str, Any]) -> str:
    tokens, attempts = every["tokens"], every["attempts"]
    return (
        f"{wording.counted(attempts['asked'], 'attempt')}, {attempts['parsed']} with code; {tokens['prompt']} "
        f"+ {tokens['completion']} tokens (prompt + completion), cost {_usd(every['cost_usd'])}"
        f"{accounts.doubt(every['estimated'])}."
    )


def _calls(calls: Mapping[str, Any] | None) -> str:
    """Where the ledger of questions and the archive of attempts part: what a killed process had been answered."""
    if not calls or not (calls["not_kept"] or calls["unanswered"] or calls["failed"]):
        return ""
    return (
        f"Besides: {calls['not_kept']} tokens of replies that were not kept, since the process was killed with them in "
        f"hand; {calls['unanswered']} questions that a killed process left unanswered, whose cost only the server "
        f"knows; {calls['failed']} questions that failed."
    )


def _settings(config: Mapping[str, Any]) -> str:
    model = config["model"] or "no model, known techniques alone"
    return (
        f"Model: {wording.plain(model)}. Device {config['device']}, effort {config['effort']}, baselines "
        f"{config['baselines']}, precision {config['precision']}, mode {config['mode']}."
    )


def _reasons(by_task: Mapping[str, str]) -> str:
    return "; ".join(f"{task} ({foreign.one_line(why)})" if why else task for task, why in by_task.items())


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else wording.UNKNOWN


def _usd(cost: float | None) -> str:
    return "unknown" if cost is None else f"{cost:.2f} USD"
