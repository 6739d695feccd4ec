"""The checker of one run: a second model that is asked about scores that jump, and whose opinion is only written down.

Jumps go in, Opinions come out into the archive and the run's events. No verdict, no exemplar and no best depends on
it, and where it is not there or fails, the run goes on and says so. Not covered: what it is asked (hacks).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from cuda_l1 import hacks, llm
from cuda_l1.search.caller import Answer, Caller
from cuda_l1.search.run import Run
from cuda_l1.types import Exemplar, Opinion


class Checker:
    """Asks in the caller's thread. It connects when the first score jumps."""

    def __init__(self, run: Run, caller: Caller) -> None:
        self._run, self._caller = run, caller
        self._is_wanted = run.config.checker is not None
        self._client: llm.Client | None = None
        self._connecting = asyncio.Lock()
        caller.at_end(self._aclose)

    def look_at(self, exemplar: Exemplar, before: float) -> None:
        """Ask about a model's candidate if its score jumped over `before`, the best score until then."""
        if not self._is_wanted or exemplar.candidate.origin != "llm":
            return
        if jumped := hacks.jump(exemplar, before):
            self._caller.start(jumped, self._ask(jumped, hacks.recall(self._run.archive, jumped)))

    def take_up(self) -> None:
        """Ask about the jumps of which earlier starts of this run have no opinion."""
        run, best = self._run, 1.0
        known = {each.candidate_id for each in run.archive.opinions(run.run_id)}
        for evaluation in list(run.judged.values()) if self._is_wanted else ():
            candidate = run.archive.candidate(evaluation.candidate_id)
            if candidate is None or evaluation.degenerate:
                continue
            exemplar = Exemplar(candidate=candidate, evaluation=evaluation)
            if candidate.id not in known:
                self.look_at(exemplar, best)
            best = max(best, exemplar.score)

    def received(self, answer: Answer) -> None:
        """Write down an opinion, or that there is none."""
        run = self._run
        if answer.error is not None:
            candidate = answer.why.exemplar.candidate
            run.tell("checker_failed", candidate_id=candidate.id, checker=run.config.checker, error=str(answer.error))
            return
        run.keep_opinion(answer.result)
        if self._is_wanted and answer.result.usage.cost is None and run.limited_in_usd:
            self._is_wanted = False
            checker = answer.result.checker
            run.tell("model_note", note=f"no price of {checker} is known: under a budget in usd it is not asked again")

    async def _ask(self, jumped: hacks.Jump, cases: Sequence[Exemplar]) -> Opinion:
        run, folder = self._run, self._run.config.prompt_dir
        async with self._connecting:
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)
        opinion = await hacks.ask(run.task, jumped, cases, self._client, Path(folder) if folder else None)
        run.archive.add_opinion(opinion, run.run_id)
        return opinion

    def _connect(self) -> llm.Client:
        config = self._run.config
        assert config.checker is not None
        url = config.checker_base_url or config.base_url
        return llm.connect(config.checker, base_url=url, temperature=0.0, max_tokens=config.max_tokens)

    async def _aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
