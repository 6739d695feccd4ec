"""The model card: what a trained model was made of, how, where, and what came out, in the README.md of its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from cuda_l1 import journal
from cuda_l1.train import metrics
from cuda_l1.train.config import StageConfig
from cuda_l1.train.setup import MODEL
from cuda_l1.types import Environment

RESULTS = (
    "loss", "reward", "success", "fast", "hacks", "no_code", "left_out", "kl", "tokens_per_s", "judged_per_s",
    "gpu_idle",
)  # fmt: skip
TENTHS = 10


def write(stage: str, config: StageConfig, data: Mapping[str, str], environment: Environment) -> dict[str, float]:
    """Write README.md in the run's folder and in its model's; returns results, means over its last tenth."""
    out = Path(config.out)
    rows = journal.lines(out / metrics.FILE)
    tenth = max(1, len(rows) // TENTHS)
    first, last = metrics.means(rows[:tenth], RESULTS), metrics.means(rows[-tenth:], RESULTS)
    table = "\n".join(f"| {name} | {first[name]:.4g} | {last[name]:.4g} |" for name in RESULTS if name in last)
    made_of = "\n".join(f"- {name}: {value}" for name, value in data.items())
    where = "\n".join(f"- {name}: {value}" for name, value in environment.model_dump().items() if value is not None)
    begun = Path(config.model)  # of a stage before, which calls its folder so
    base = begun.parent.name if begun.name == MODEL else begun.name
    text = f"""---
base_model: {base}
library_name: {"peft" if config.lora_rank else "transformers"}
tags: [cuda-l1, {stage}]
---
# {out.name}

A policy that rewrites PyTorch modules, after stage `{stage}` of cuda-l1, started from `{base}`.
The figures are of training, on the tasks trained on: they say nothing of tasks never seen.

## Results
{len(rows)} steps; means of the first and of the last {tenth}.

| figure | first | last |
|---|---|---|
{table}

## Data
{made_of}

## Environment
{where}

## Config
```json
{json.dumps(config.model_dump(mode="json"), indent=1)}
```
"""
    for folder in (out, out / MODEL):  # which travels by itself
        if folder.is_dir():
            (folder / "README.md").write_text(text)
    return last
