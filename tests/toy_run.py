"""One training run of the toy policy as its own process: `python tests/toy_run.py STAGE CONFIG [--kill-at N]`.

STAGE is sft, selfsup or contrastive; the judge of the last two is the toy. With --kill-at the process kills itself
(SIGKILL) after that step, before anything of it is saved. Under torchrun every process writes rank-N.json: what it
asked, what came of it and its advantages.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from toy_policy import ToyJudge
from transformers import TrainerCallback

from cuda_l1.archive import Archive
from cuda_l1.judge import JudgeConfig
from cuda_l1.train import config as configs
from cuda_l1.train import reinforce, setup, sft
from cuda_l1.train.metrics import GpuIdle
from cuda_l1.train.trainer import RolloutTrainer

KINDS = {"sft": configs.SftConfig, "selfsup": configs.SelfsupConfig, "contrastive": configs.ContrastiveConfig}


class Kill(TrainerCallback):
    """kill -9 after a step, before its checkpoint and its line in metrics.jsonl."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def run(stage: str, path: Path, *, resume: bool = False) -> list[RolloutTrainer]:
    """Train to the end on the toy judge; the trainer, for a look inside."""
    setup.require()
    config = configs.load(KINDS[stage], path)
    if isinstance(config, configs.SftConfig):
        sft.run(config, resume=resume, say=print)
        return []
    place = Path(config.out) / "archive.sqlite"
    arguments = reinforce.grpo_arguments(config)
    tasks = reinforce.chosen(config, JudgeConfig())
    with Archive(place) as archive:
        made = reinforce.make_rollouts(config, tasks, archive, ToyJudge(place), f"toy-{stage}")
        return [reinforce.train(config, arguments, made, resume=resume, say=print, idle=GpuIdle("cpu"))]


def record(trainer: RolloutTrainer) -> dict[str, Any]:
    batches: Any = trainer._buffered_inputs
    return {
        "asked": [[question.messages, question.exemplar_ids] for question, _ in trainer.rollouts._rows],
        "answers": [answer.candidate_id for answer in trainer.rollouts.judged],
        "known": sorted(trainer.rollouts.known),
        "advantages": [value for batch in batches for value in batch["advantages"].tolist()],
    }


def main() -> None:
    import argparse

    parser = argparse.ArgumentParser()
    parser.add_argument("stage", choices=KINDS)
    parser.add_argument("path", type=Path)
    parser.add_argument("--kill-at", type=int)
    given = parser.parse_args()
    if given.kill_at:
        from transformers.trainer import DEFAULT_CALLBACKS

        DEFAULT_CALLBACKS.append(Kill(given.kill_at))
    for trainer in run(given.stage, given.path):
        rank = os.environ.get("RANK", "0")
        (given.path.parent / f"rank-{rank}.json").write_text(json.dumps(record(trainer)))


if __name__ == "__main__":
    main()
    sys.exit(0)
