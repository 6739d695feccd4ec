"""What a person sees while a command works, on stderr: one line per thing that happened, and tables.

Data goes to stdout and is not written here. With a terminal and `rich`, a status line shows the best so far, what is
being judged, tallies and cost; else plain lines. Text from candidates and models is printed as text, never as markup.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast

from cuda_l1 import foreign, report
from cuda_l1.streams import Lossy

_STYLES = {"FAST": "green", "SLOW": "yellow", "SAME": "", "AMBIGUOUS": "yellow"}
_LONGEST_WHY = 160


class Console:
    """stderr for people. `quiet` says nothing but errors."""

    def __init__(self, display: str = "auto", *, quiet: bool = False) -> None:
        from rich.console import Console as RichConsole

        live = display == "rich" or (display == "auto" and sys.stderr.isatty())
        width = None if live else 160
        self._rich = RichConsole(
            file=cast("IO[str]", Lossy(sys.stderr)),
            highlight=False,
            quiet=quiet,
            force_terminal=live or None,
            width=width,
        )
        self._status = self._rich.status("starting") if live and not quiet else None
        self._tally: Counter[str] = Counter()
        self._best, self._doing, self._about, self._tokens = "", "", "", 0
        self._cost: float | None = 0.0
        """None once the price of a reply is unknown."""
        self._judged_count, self._planned = 0, 0
        self._repairs: dict[str, int] = {}
        """Of candidates that repair an attempt: its number."""

    def say(self, text: str, style: str = "") -> None:
        """One line, with its spaces, but without what a terminal would obey: Rich hands that on."""
        from rich.text import Text

        self._rich.print(Text(foreign.printable(text).replace("\n", " "), style=style), soft_wrap=True)

    def table(self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table of plain texts; nothing where it has no rows."""
        if not rows:
            return
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(title=Text(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for name in header:
            table.add_column(name, overflow="fold")
        for row in rows:
            table.add_row(*(Text(foreign.one_line(cell), style=_STYLES.get(cell, "")) for cell in row))
        self._rich.print(table)

    def doing(self, text: str) -> None:
        """Name what is at work in the status line, which begins here if it has not."""
        self._doing = text
        if self._status is not None:
            self._status.start()
        self._refresh()

    def stop(self) -> None:
        """Take the status line away."""
        if self._status is not None:
            self._status.stop()

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Show one event of a search."""
        kind = event["event"]
        if kind in ("launch", "resume"):
            self.say(f"run {event['run_id']}   task {event['name']} ({event['task_id']})   device {event['device']}")
            self._best, self._doing = "no win yet", "judging the baselines"
        elif kind in ("baseline", "candidate", "confirmation"):
            self._judged(event)
        elif kind == "baseline_missing":
            self.say(f"  baseline {event['name']} left out: {_short(event['reason'])}", "dim")
        elif kind == "plan":
            self._planned += len(event["proposed"])
            if event["proposed"] or event["declined"]:
                self.say(f"transforms: {', '.join(event['proposed']) or _none_applies(event['declined'])}")
        elif kind == "judging":
            self._doing = f"judging {event['author'] or event['origin']}"
        elif kind == "waiting":
            self._doing = f"waiting for {event['calls']} calls that are paid for (Ctrl-C gives them up)"
            self.say(f"  {self._doing}", "dim")
        elif kind in ("asking", "repairing", "repair_failed", "model_note", "attempt"):
            self._asked(event)
        elif kind in ("opinion", "checker_failed"):
            self._opined(event)
        self._refresh()

    def _asked(self, event: Mapping[str, Any]) -> None:
        kind = event["event"]
        if kind == "asking":
            self._planned += event["samples"]
            self._doing = f"round {event['round']}/{event['rounds']}: asking for {event['samples']}"
            self.say(f"round {event['round']}/{event['rounds']}")
            for words in event["left_out"]:
                self.say(f"  left out of the prompt for lack of room: {_short(words)}", "dim")
        elif kind == "repairing":
            self._planned += 1
            self.say(f"  attempt {event['number']} failed: asking for a repair", "dim")
        elif kind == "repair_failed":
            self.say(f"  no repair of attempt {event['number']}: {_short(event['error'])}", "yellow")
        elif kind == "model_note":
            self.say(f"  note: {event['note']}", "dim")
        else:
            self._paid(event)
            if event["repairs"] is not None and event["candidate_id"] is not None:
                self._repairs[event["candidate_id"]] = event["repairs"]
            if event["parse_error"]:
                self._tally["NO_CODE"] += 1
                self._judged_count += 1
                self.say(f"  attempt {event['number']}: no code to judge: {_short(event['parse_error'])}")

    def _opined(self, event: Mapping[str, Any]) -> None:
        """What a checker thinks, or why it does not."""
        about = f"  checker {event['checker']} on {event['candidate_id']}: "
        if event["event"] == "checker_failed":
            self.say(about + f"no opinion: {_short(event['error'])}", "yellow")
            return
        self._paid(event)
        self.say(about + _short(report.opinion_text(event)), "yellow" if event["suspicious"] else "dim")

    def _paid(self, event: Mapping[str, Any]) -> None:
        self._tokens = event["tokens"]
        self._about = "about " if event["estimated"] else self._about  # of one reply is enough
        cost = event["cost_usd"]
        self._cost = None if self._cost is None or cost is None else self._cost + cost

    def _judged(self, event: Mapping[str, Any]) -> None:
        text = report.cells(event)
        outcome = text.verdict if text.verdict in _STYLES else text.status
        self._tally[outcome] += event["event"] != "confirmation"
        again = " (known)" if event["reused"] else ""
        if event["candidate_id"] in self._repairs:
            again = f" (repair of attempt {self._repairs[event['candidate_id']]}){again}"
        if event["speedup"]:
            detail = f"{text.time:>10}  {text.speedup}"
            if event["speedup"]["vs"] != "eager":
                detail += f", {text.eager} vs eager"
            if why := report.denial(event)[0]:
                detail += f" ({why})"
        else:
            detail = _short(text.why)
        name = report.by(event)
        kind = str(event["event"])
        if kind == "candidate":
            self._judged_count += 1
            kind = f"{self._judged_count}/{max(self._planned, self._judged_count)}"
        elif kind == "confirmation":
            kind = "again"
            said = [note["detail"] for note in event["notes"] if note["check"] == "repeated"]
            detail += f" ({said[-1]})" if said else ""
        self.say(
            f"  {kind:>9} {name:<26} {outcome:<12} {detail}{again}{'   <- best' if event['best'] else ''}",
            "bold green" if event["best"] else _STYLES.get(outcome, "red" if text.verdict not in _STYLES else ""),
        )
        if event["best"]:
            self._best = f"best {text.speedup}"

    def _refresh(self) -> None:
        if self._status is None:
            return
        from rich.text import Text

        tally = " ".join(f"{count} {name}" for name, count in sorted(self._tally.items()))
        cost = f"{self._about}{self._tokens} tokens" + (f", {self._cost:.2f} USD" if self._cost is not None else "")
        parts = [self._best, self._doing, tally, cost if self._tokens else ""]
        self._status.update(Text(foreign.one_line(" · ".join(part for part in parts if part))))


def _none_applies(declined: Sequence[tuple[str, str]]) -> str:
    """Why: what all say is about the module, and not about what one of them looks for."""
    reasons = {reason for _, reason in declined}
    return f"none applies: {_short(reasons.pop())}" if len(reasons) == 1 < len(declined) else "none applies"


def _short(text: str) -> str:
    return foreign.one_line(text, _LONGEST_WHY)
