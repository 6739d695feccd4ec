"""The rows that the builtin model learnt from, joined from two data sets (docs/results/training.md).

    python runs/mix.py runs/data-plain/data.jsonl runs/data-compiled/data.jsonl -o runs/sft.jsonl --without TASKS

At most 450 rows of operations in place, which are most of what passes and hardly ever faster; all other plain ones,
those that were FAST twice; the compiled ones three times. Left out: answers of more than 700 tokens, and tasks of the
folder TASKS (`cuda-l1 train tasks`), which are kept to test on. NOT covered: judging, which `cuda-l1 train data` does.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

from cuda_l1 import models

MOST_TOKENS, MOST_IN_PLACE, COMPILED_TIMES = 700, 450, 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plain", type=Path)
    parser.add_argument("compiled", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--without", type=Path, help="folder of task files to test on")
    parser.add_argument("--model", default="smollm2", help="whose tokens are counted")
    arguments = parser.parse_args()
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(models.find(arguments.model))
    tested = {path.stem for path in arguments.without.glob("*.py")} if arguments.without else set()

    def kept(path: Path) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        return [row for row in rows if _name(row) not in tested and _tokens(row) <= MOST_TOKENS]

    def _tokens(row: dict[str, Any]) -> int:
        return len(tokenizer(row["completion"][0]["content"])["input_ids"])

    plain, compiled = kept(arguments.plain), kept(arguments.compiled)
    in_place = [row for row in plain if row["author"] == "inplace_epilogues"]
    others = [row for row in plain if row["author"] != "inplace_epilogues"]
    random.Random(0).shuffle(in_place)
    fast = [row for row in others if row["verdict"] == "FAST"]
    rows = in_place[:MOST_IN_PLACE] + others + fast + compiled * COMPILED_TIMES
    random.Random(1).shuffle(rows)
    arguments.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(
        f"{arguments.out}: {len(rows)} rows, {len(compiled) * COMPILED_TIMES} compiled, {2 * len(fast)} plain and FAST"
    )


def _name(row: dict[str, Any]) -> str:
    """The stem of the task's file, as `cuda-l1 train tasks` writes it."""
    _, family, digest = row["task"].split("/")
    return f"{family}_{digest[:6]}"


if __name__ == "__main__":
    main()
