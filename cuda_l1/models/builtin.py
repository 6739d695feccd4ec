"""The builtin model: adapters that ship with this package, merged one after the other into a model that `fetch` knows.

`place` gives a plain transformers folder in the cache, named by the digest of all that it is made of. An adapter is a
folder with PEFT's adapter_config.json and adapter_model.safetensors; the folders are merged in the order of their
names, each into what the ones before left, as they were trained. PEFT is not needed for it.
Not covered: adapters other than plain LoRA, which are refused; training them (train); which of them are any good.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from pathlib import Path
from typing import Any

from cuda_l1.errors import ModelError
from cuda_l1.models import SOURCES, cached, workspace
from cuda_l1.types import BUILTIN

BASE = "smollm2"
FOLDER = Path(__file__).parents[1] / "policy"
CONFIG, TENSORS, WEIGHTS = "adapter_config.json", "adapter_model.safetensors", "model.safetensors"
PREFIX = "base_model.model."
"""Before the base's own names of its weights, in an adapter's."""
BEYOND = (
    "lora_bias", "fan_in_fan_out", "modules_to_save", "layer_replication", "trainable_token_indices",
    "target_parameters", "alora_invocation_tokens",
)  # fmt: skip
"""Settings of PEFT that make more of an adapter than a product of two matrices, beside those named by a rule."""


def place(folder: Path | None = None) -> Path:
    """The merged model's folder, made if it is not there yet, in place of those of other adapters; `folder` replaces
    the user's cache folder.

    Raises ModelError: no adapter in this installation, the base is not fetched, a library is missing, or an adapter
    is no plain LoRA of this base.
    """
    adapters = shipped()
    base = cached(BASE, folder)
    target = base.with_name(f"{BUILTIN}-{digest(adapters)}")
    if target.is_dir():
        return target
    if not base.is_dir():
        raise ModelError(
            f"model {BUILTIN} is made from {BASE}, which is not here yet: run `cuda-l1 model fetch {BASE}` once"
        )
    if importlib.util.find_spec("safetensors") is None:
        raise ModelError(f"model {BUILTIN} needs safetensors: pip install 'cuda-l1[local]'")
    with workspace(target) as work:
        if not target.is_dir():  # another process may have made it while this one waited for the lock
            made = work / "made"
            merge(base, adapters, made)
            os.replace(made, target)
            for old in target.parent.glob(f"{BUILTIN}-*"):  # of other adapters: 270 MB each, and made again in seconds
                if old != target:
                    shutil.rmtree(old, ignore_errors=True)
    return target


def shipped() -> list[Path]:
    """The adapters' folders, in the order in which they were trained."""
    found = sorted(path.parent for path in FOLDER.glob(f"*/{CONFIG}"))
    if not found:
        raise ModelError(
            f"this build of cuda-l1 ships no builtin model: expected an adapter in {FOLDER}, found none; "
            f"use --model local:{BASE}, or another of docs/models.md"
        )
    return found


def digest(adapters: list[Path]) -> str:
    """Of the adapters, their order, and the base that they are for."""
    found = hashlib.sha256(SOURCES[BASE].sha256.encode())
    for adapter in adapters:
        for path in (adapter / CONFIG, adapter / TENSORS):
            if not path.is_file():
                raise ModelError(f"adapter {adapter.name} lacks {path.name}: install cuda-l1 again")
            with open(path, "rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


def merge(base: Path, adapters: list[Path], made: Path) -> None:
    """The base with the adapters merged, into a new folder; a weight is rounded to its own type after each of them."""
    from safetensors.torch import load_file, save_file

    if not (base / WEIGHTS).is_file():
        raise ModelError(f"{base} holds no {WEIGHTS}: remove it and run `cuda-l1 model fetch {BASE}` again")
    weights = load_file(base / WEIGHTS)
    for adapter in adapters:
        _add(weights, load_file(adapter / TENSORS), _scale(adapter), adapter.name)
    made.mkdir()
    for path in base.iterdir():
        if path.name != WEIGHTS:
            shutil.copy2(path, made)
    save_file(weights, made / WEIGHTS, metadata={"format": "pt"})  # without it transformers does not load the file


def _scale(adapter: Path) -> float:
    """What the product of the two matrices counts. ModelError where the adapter is more than such products."""
    config: dict[str, Any] = json.loads((adapter / CONFIG).read_text())
    odd = {
        key: value
        for key, value in config.items()
        if (value and (key in BEYOND or key.startswith("use_") or key.endswith(("_config", "_pattern"))))
        or (key == "peft_type" and value != "LORA")
        or (key == "bias" and value != "none")
        or (key == "init_lora_weights" and not isinstance(value, bool))  # PiSSA and the like change the base too
    }
    if odd:
        said = ", ".join(f"{key} {value!r}" for key, value in odd.items())
        raise ModelError(f"adapter {adapter.name} is no plain LoRA, the only kind that is merged here: found {said}")
    return float(config["lora_alpha"]) / int(config["r"])


def _add(weights: dict[str, Any], adapter: dict[str, Any], scale: float, name: str) -> None:
    """W += scale * B @ A, computed as PEFT does."""
    left = dict(adapter)
    for key in [key for key in adapter if key.endswith(".lora_A.weight")]:
        module = key.removesuffix(".lora_A.weight")
        down, up = left.pop(key), left.pop(f"{module}.lora_B.weight", None)
        weight = weights.get(f"{module.removeprefix(PREFIX)}.weight")
        wanted = None if up is None else (up.shape[0], down.shape[1])
        if weight is None or wanted != tuple(weight.shape):
            found = "no such weight" if weight is None else f"one of {tuple(weight.shape)}"
            raise ModelError(
                f"adapter {name} was made for another base: it changes a {module.removeprefix(PREFIX)} of {wanted}, "
                f"{BASE} has {found}; ship one that was trained on {BASE}"
            )
        weight += (up.float() @ down.float()) * scale
    if left or not adapter:
        raise ModelError(
            f"adapter {name} is no plain LoRA, the only kind that is merged here: expected pairs of lora_A and lora_B, "
            f"found {next(iter(left), 'nothing')}"
        )
