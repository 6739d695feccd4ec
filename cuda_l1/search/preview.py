"""What a run would ask first, and what that may cost: nothing is judged, nobody is asked, nothing is written.

The judge is only started, for the facts that a prompt states. Exemplars are those that the archive has now: a run
judges baselines and transforms first, and shows these too. Not covered: the rounds themselves (rounds).
"""

from __future__ import annotations

from typing import Any

from cuda_l1 import judge, llm, prompts
from cuda_l1.search.rounds import question_of, rounds_left, settings_for
from cuda_l1.search.run import Run


def preview(run: Run) -> dict[str, Any]:
    """The next question exactly as it would be sent, and estimates from above: of this round, and of all that is left
    with every repair used. `usd` is None where the price is unknown."""
    with judge.Session(run.task, run.judge_config) as session:
        settings = settings_for(run, session)
    config, left = run.config, rounds_left(run)
    question = question_of(run, settings, left[0] if left else config.rounds + 1)
    longest = "x" * (4 * config.max_tokens)
    turns = [question.messages]
    for _ in range(config.repairs):
        turns.append(prompts.repair(turns[-1], longest, "", folder=settings.prompt_dir))
    costs = [
        llm.estimate(messages, config.samples, str(config.model), config.base_url, config.max_tokens, config.price_each)
        for messages in turns
    ]
    known = [each.usd for each in costs if each.usd is not None]
    return {
        "model": config.model,
        "messages": question.messages,
        "exemplar_ids": list(question.exemplar_ids),
        "left_out": list(question.left_out),
        "samples": config.samples,
        "rounds": len(left),
        "repairs": config.repairs,
        "round": costs[0]._asdict(),
        "all": {
            "prompt_tokens": len(left) * sum(each.prompt_tokens for each in costs),
            "completion_tokens": len(left) * sum(each.completion_tokens for each in costs),
            "usd": len(left) * sum(known) if len(known) == len(costs) else None,
        },
    }
