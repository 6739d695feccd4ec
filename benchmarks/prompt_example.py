"""A whole prompt for one example task, from what this machine measures: writes docs/prompts_example.md.

    python benchmarks/prompt_example.py examples/diagonal_matmul.py -o docs/prompts_example.md

Judges what the transforms propose and two candidates that fail on purpose, then builds the question as a search would.
NOT covered: asking a model.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cuda_l1 import prompts, tasks
from cuda_l1.judge import JudgeConfig, Session
from cuda_l1.transforms import propose
from cuda_l1.types import Candidate, Evaluation, Exemplar, Status, Task

FAILS = {
    "a C++ extension with a mistake": '''import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
torch::Tensor scaled(torch::Tensor d, torch::Tensor x) {
  auto out = torch::empty_like(x);
  const float* from = x.data_ptr<float>();
  for (int64_t i = 0; i < x.size(0); ++i)
    row(out[i], d[i], from);
  return out;
}
"""
extension = load_inline(name="scaled", cpp_sources=SOURCE, functions=["scaled"])


class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()

    def forward(self, *inputs):
        return extension.scaled(*inputs)
''',
    "another function": """import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *arguments):
        super().__init__()

    def forward(self, one, two):
        return two * one[0]
""",
}


def judged(task: Task) -> tuple[prompts.Prompt, Session]:
    """The prompt for a task, and the session that measured it."""
    proposals, _ = propose(task, "cpu")
    with Session(task, JudgeConfig(effort="quick", baselines=())) as session:
        every = [each.candidate for each in proposals]
        every += [Candidate(task_id=task.id, code=code, origin="llm", author=who) for who, code in FAILS.items()]
        seen = [Exemplar(candidate=one, evaluation=told(one, session.evaluate(one))) for one in every]
        facts = session.facts()
    passed = sorted((one for one in seen if one.evaluation.status is Status.PASSED), key=lambda one: -one.score)
    prompt = prompts.build(
        task,
        passed[:2],
        device_name=session.environment().device,
        failures=[one for one in seen if one.evaluation.status is not Status.PASSED],
        untried=sorted({"kernel", "library", "algebra"} - {label for one in passed for label in one.evaluation.labels}),
        facts=facts,
    )
    return prompt, session


def told(candidate: Candidate, evaluation: Evaluation) -> Evaluation:
    """The evaluation, and a line on it for who waits."""
    print(f"{candidate.author}: {evaluation.status} {evaluation.verdict or ''}", file=sys.stderr)
    return evaluation


def main() -> None:
    """Judge, build, write."""
    parser = argparse.ArgumentParser(description="a whole prompt for one example task")
    parser.add_argument("target")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    prompt, session = judged(tasks.load(arguments.target))
    where = session.environment()
    parts = [
        "# A prompt, whole",
        f"Written by `python benchmarks/prompt_example.py {arguments.target} -o {arguments.out}` on {where.device} "
        f"({where.threads} threads, torch {where.torch}): about {prompts.tokens_of(prompt.messages)} tokens by our "
        "estimate. Quick effort: the figures are those of this machine at that moment.",
    ]
    for message in prompt.messages:
        parts += [f"`{message['role']}`:", "`" * 8 + f"markdown\n{message['content']}\n" + "`" * 8]
    arguments.out.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
