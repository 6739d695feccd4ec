"""Source code to go on pre-training with: PyTorch, Triton and CUDA files of packages that are installed here.

A model that knows little PyTorch learns to read and write it from code before it learns to speed it up, as in CUDA-L2
(https://arxiv.org/abs/2512.02551). Packages must say in their metadata that their licence permits copying with no more
than a notice; a file is taken once, and only if it is about tensors. `cuda-l1 train sft` trains on the result.
Not covered: a file whose own header says otherwise than its package, and whether the corpus helps: measure it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from cuda_l1 import journal
from cuda_l1.errors import ConfigError
from cuda_l1.types import digest

PACKAGES = ("torch", "triton", "transformers", "timm", "liger-kernel", "fla-core", "torchao")
PERMISSIVE = {"Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "Zlib"}
"""SPDX names; exceptions to one of them (WITH ...) only permit more."""
_WORDS = {r"apache": "Apache-2.0", r"\bmit\b": "MIT", r"\bbsd\b": "BSD-3-Clause", r"\bisc\b": "ISC"}
"""Older metadata say it in words: a licence text, or a classifier."""
_STRINGS_ATTACHED = re.compile(r"gpl|non-?commercial|commons clause|proprietary|research only", re.IGNORECASE)
KINDS = (".py", ".cu", ".cuh")
_ABOUT = re.compile(r"^\s*(import torch|from torch|import triton|from triton)|__global__", re.MULTILINE)
_GENERATED = re.compile(r"auto-?generated|@generated|do not edit", re.IGNORECASE)
_PROBLEM = re.compile(r"^class Model\b.*^def get_init_inputs\b", re.MULTILINE | re.DOTALL)
"""KernelBench's format: what looks like one of its problems is tested on, never trained on."""
_TESTS = re.compile(r"(^|/)(tests?|testing|_test\w*|benchmarks?)(/|$)")
LEAST_CHARACTERS, MOST_CHARACTERS = 400, 100_000


def run(packages: Sequence[str], out: Path) -> dict[str, Any]:
    """Write the corpus, one file a line, and beside it what it holds and what was left out for which reason.

    ConfigError for a package whose licence is unknown or not permissive, and where nothing is left.
    """
    if out.is_dir():
        raise ConfigError(f"{out} is a folder: name a file")
    seen: set[str] = set()
    rows: list[dict[str, str]] = []
    told: dict[str, Any] = {}
    for name in packages:
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            told[name] = {"left_out": {"not installed": 1}}
            continue
        licence, left_out, before = licence_of(package), Counter[str](), len(rows)
        for path in package.files or []:
            if path.suffix not in KINDS:
                continue
            place = Path(str(package.locate_file(path)))
            text = place.read_text(errors="replace") if place.is_file() else ""
            if why := _unwanted(str(path), text) or ("twice" if digest(" ".join(text.split())) in seen else ""):
                left_out[why] += 1
                continue
            seen.add(digest(" ".join(text.split())))
            rows.append(
                {"text": text, "package": name, "version": package.version, "path": str(path), "licence": licence}
            )
        told[name] = {
            "version": package.version, "licence": licence, "files": len(rows) - before,
            "characters": sum(len(row["text"]) for row in rows[before:]), "left_out": dict(left_out),
        }  # fmt: skip
    if not rows:
        raise ConfigError(f"no file to train on in {', '.join(packages)}: install one, e.g. pip install triton timm")
    journal.folder(out.parent)
    journal.replace(out, "".join(json.dumps(row) + "\n" for row in rows))
    manifest = {"out": str(out), "files": len(rows), "characters": sum(len(row["text"]) for row in rows)}
    journal.replace(out.with_suffix(".manifest.json"), json.dumps(manifest | {"packages": told}, indent=1) + "\n")
    return manifest | {"packages": told}


def licence_of(package: metadata.Distribution) -> str:
    """Its licence as SPDX says it. ConfigError for one that is not permissive, or not said."""
    said: Any = package.metadata
    expression = said.get("License-Expression") or " AND ".join(_from_words(said))
    names = {part.partition(" WITH ")[0].strip(" ()") for part in re.split(r"\bAND\b|\bOR\b", expression)}
    if not expression or not names <= PERMISSIVE or _STRINGS_ATTACHED.search(str(said.get("License") or "")[:2000]):
        found = said.get("License") or expression or "no licence in its metadata"
        raise ConfigError(
            f"package {said['Name']} is under {str(found)[:200]}; expected some of {', '.join(sorted(PERMISSIVE))}: "
            "leave it out with --packages"
        )
    return expression


def _from_words(said: Any) -> list[str]:
    words = [str(each) for each in said.get_all("Classifier") or [] if str(each).startswith("License")]
    words = words or [str(said.get("License") or "").partition("\n")[0]]
    return [next((name for form, name in _WORDS.items() if re.search(form, text.lower())), text) for text in words]


def _unwanted(path: str, text: str) -> str:
    """Why a file is left out; empty for one that is taken."""
    if not text:
        return "empty or not there"
    if _TESTS.search(path):
        return "a test"
    if not LEAST_CHARACTERS <= len(text) <= MOST_CHARACTERS:
        return "too short or too long"
    if not _ABOUT.search(text):
        return "not about tensors"
    if _GENERATED.search(text[:2000]):
        return "generated"
    return "looks like a KernelBench problem" if _PROBLEM.search(text) else ""
