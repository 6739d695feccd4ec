"""The builtin model: adapters merged as PEFT merges them, a cache by digest, what goes wrong, and a run with it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from records import SOURCE
from toy_policy import make_policy

from cuda_l1 import models
from cuda_l1.cli import main
from cuda_l1.config import OptimizeConfig, load
from cuda_l1.errors import ModelError
from cuda_l1.models import builtin

ROOT = Path(__file__).parents[1]
MOST_BYTES, MOST_BYTES_IN_ALL = 16e6, 25e6
"""Of one file in the repository, and of all that is shipped."""
# PEFT and transformers of these versions disagree about the name of a property.
pytestmark = pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing.*:FutureWarning")


def make_adapter(base: Path, folder: Path, *, seed: int, dtype: str = "float32", **settings: Any) -> Path:
    """A random adapter of all linear layers, as a training saves it."""
    import peft
    import torch
    import transformers

    torch.manual_seed(seed)
    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    settings = {"r": 4, "lora_alpha": 8, "target_modules": "all-linear", "task_type": "CAUSAL_LM"} | settings
    adapted = peft.get_peft_model(model, peft.LoraConfig(**settings))
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:  # zero at first, which would change nothing
            torch.nn.init.normal_(weight, std=0.1)
    adapted.to(getattr(torch, dtype)).save_pretrained(folder)
    return folder


def change(adapter: Path, **settings: Any) -> None:
    path = adapter / builtin.CONFIG
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny stand-in for the base, where the fetched one lies; and a folder of this installation without adapters."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(builtin, "FOLDER", tmp_path / "policy")
    folder = make_policy(models.cached("smollm2"))
    import torch
    import transformers

    transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).save_pretrained(folder)
    return folder


@pytest.fixture
def adapter(base: Path) -> Path:
    return make_adapter(base, builtin.FOLDER / "1-first", seed=1)


def state(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(folder / builtin.WEIGHTS)


def test_adapters_are_merged_in_their_order_bit_for_bit_as_peft_does(base: Path, adapter: Path) -> None:
    import peft
    import torch
    import transformers

    second = make_adapter(base, builtin.FOLDER / "2-second", seed=2, dtype="bfloat16", r=2, lora_alpha=3)
    before = (base / builtin.WEIGHTS).read_bytes()
    made = builtin.place()
    model = transformers.AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    for folder in (adapter, second):
        model = peft.PeftModel.from_pretrained(model, folder).merge_and_unload()
    wanted, found, start = model.state_dict(), state(made), state(base)
    assert found.keys() == start.keys()
    assert all(found[name].dtype == torch.bfloat16 and torch.equal(found[name], wanted[name]) for name in found)
    assert any(not torch.equal(found[name], start[name]) for name in found)
    assert (base / builtin.WEIGHTS).read_bytes() == before
    models.Weights(made)


def test_what_was_made_is_found_again_and_another_adapter_never_meets_it(base: Path, adapter: Path) -> None:
    made = models.find("builtin")
    assert made.parent == base.parent
    marked = made / "mark"
    marked.touch()
    assert builtin.place() == made
    assert marked.exists()
    change(adapter, lora_alpha=9)
    other = builtin.place()
    assert other != made
    assert not (other / "mark").exists()
    assert not made.exists()
    assert base.exists()


def test_a_killed_merge_leaves_no_model(base: Path, adapter: Path) -> None:
    target = base.with_name(f"builtin-{builtin.digest([adapter])}")
    half = base.with_name(f".{target.name}-killed") / "made"
    half.mkdir(parents=True)
    (half / "config.json").write_text("{}")
    assert builtin.place() == target
    assert (target / builtin.WEIGHTS).is_file()
    assert sorted(path.name for path in base.parent.iterdir() if not path.name.endswith(".lock")) == [
        target.name,
        "smollm2",
    ]


def test_without_an_adapter_the_build_says_so(base: Path) -> None:
    with pytest.raises(ModelError, match=r"ships no builtin model: expected an adapter in .*policy, found none"):
        models.find("builtin")


def test_without_its_base_the_command_is_named(base: Path, adapter: Path) -> None:
    shutil.rmtree(base)
    with pytest.raises(ModelError, match="run `cuda-l1 model fetch smollm2` once"):
        models.find("builtin")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"use_rslora": True}, "found use_rslora True"),
        ({"use_dora": True}, "found use_dora True"),
        ({"bias": "all"}, "found bias 'all'"),
        ({"peft_type": "IA3"}, "found peft_type 'IA3'"),
        ({"alpha_pattern": {"q_proj": 3}}, "found alpha_pattern"),
        ({"modules_to_save": ["lm_head"]}, "found modules_to_save"),
        ({"init_lora_weights": "pissa"}, "found init_lora_weights 'pissa'"),
    ],
)
def test_other_adapters_than_plain_lora_are_refused(adapter: Path, settings: dict[str, Any], words: str) -> None:
    change(adapter, **settings)
    with pytest.raises(ModelError, match=f"adapter 1-first is no plain LoRA.*{words}"):
        builtin.place()


def test_an_adapter_that_holds_more_than_pairs_is_refused(adapter: Path) -> None:
    from safetensors.torch import save_file

    tensors = state_of(adapter)
    name = next(name for name in tensors if "lora_B" in name)
    tensors[name.replace("lora_B.weight", "lora_magnitude_vector")] = tensors[name].clone()
    save_file(tensors, adapter / builtin.TENSORS)
    with pytest.raises(ModelError, match=r"expected pairs of lora_A and lora_B, found .*lora_magnitude_vector"):
        builtin.place()


def state_of(adapter: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    return load_file(adapter / builtin.TENSORS)


@pytest.mark.parametrize("change_of", ["width", "depth"])
def test_an_adapter_of_another_base_is_refused(base: Path, adapter: Path, change_of: str) -> None:
    from safetensors.torch import save_file

    tensors = {
        name.replace("layers.1", "layers.9") if change_of == "depth" else name: weight.repeat(2, 1)
        if change_of == "width" and "lora_B" in name
        else weight
        for name, weight in state_of(adapter).items()
    }
    save_file(tensors, adapter / builtin.TENSORS)
    words = "has no such weight" if change_of == "depth" else r"of \(\d+, \d+\), smollm2 has one of \(\d+, \d+\)"
    with pytest.raises(ModelError, match=f"adapter 1-first was made for another base.*{words}"):
        builtin.place()
    assert not list(base.parent.glob("builtin-*"))


def test_an_adapter_without_its_weights_is_named(adapter: Path) -> None:
    (adapter / builtin.TENSORS).unlink()
    with pytest.raises(ModelError, match=r"adapter 1-first lacks adapter_model.safetensors"):
        builtin.place()


# How it is asked.


def test_it_is_asked_as_it_was_trained_unless_told_otherwise(tmp_path: Path) -> None:
    config = load(OptimizeConfig, {"model": "builtin"}, tmp_path)
    assert (config.temperature, config.max_tokens, config.exemplars, config.repairs) == (0.5, 1024, 0, 0)
    assert config.bare
    (tmp_path / "cuda-l1.toml").write_text('[optimize]\nmodel = "builtin"\nmax_tokens = 2048\n')
    told = load(OptimizeConfig, {"temperature": 0.9, "exemplars": 2}, tmp_path)
    assert (told.temperature, told.max_tokens, told.exemplars, told.bare) == (0.9, 2048, 2, False)
    assert OptimizeConfig.model_validate(told.model_dump()) == told, "as a resumed run reads it"
    other = load(OptimizeConfig, {"model": "local:builtin-like"}, tmp_path)
    assert (other.temperature, other.exemplars, other.bare) == (0.8, 2, False)


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--json"])
    shown = capsys.readouterr()
    return int(end.value.code or 0), json.loads(shown.out) if shown.out else shown.err


def test_a_run_with_it_from_its_first_question_to_its_report(
    adapter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import torch

    from cuda_l1.archive import Archive

    monkeypatch.chdir(tmp_path)
    Path("relu.py").write_text(SOURCE)
    torch.manual_seed(0)
    how = ("--transforms", "none", "--device", "cpu", "--archive", "archive.sqlite")
    code, found = command(
        capsys, "optimize", "relu.py", "--model", "builtin", "--rounds", "1", "--samples", "32", "--max-tokens", "16",
        "--baselines", "eager", "--effort", "glance", *how,
    )  # fmt: skip
    assert code in (0, 1)
    assert (found["config"]["model"], found["config"]["exemplars"], found["attempts"]["asked"]) == ("builtin", 0, 32)
    with Archive("archive.sqlite") as archive:
        made = archive.attempts(found["run_id"])
        assert {each.policy for each in made} == {"builtin"}
        assert any(each.candidate_id for each in made)
    _, asked = command(capsys, "optimize", "relu.py", "--model", "builtin", "--dry-run", *how)
    text = asked["messages"][1]["content"]
    assert json.loads(made[0].prompt) == asked["messages"], "the archive knows more by now, and nothing of it is told"
    assert "float32[8]" not in text
    code, counts = command(
        capsys, "train", "sample", "--model", "builtin", "--tasks", "relu.py", "--out", "out.jsonl", "--samples", "2",
        "--max-tokens", "4", "--device", "cpu",
    )  # fmt: skip
    assert (code, counts["answers"]) == (0, 2)


def test_eval_says_at_once_that_it_is_not_here(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("relu.py").write_text(SOURCE)
    code, said = command(capsys, "eval", "--tasks", "relu.py", "--model", "builtin", "--device", "cpu")
    assert code == 4
    assert "ships no builtin model" in str(said)
    assert not Path("runs").exists()


# What is shipped.


def test_a_wheel_and_a_source_release_hold_the_adapters(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (copy / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, copy)
    shutil.copytree(ROOT / "cuda_l1", copy / "cuda_l1", ignore=shutil.ignore_patterns("__pycache__", "policy"))
    names = [f"cuda_l1/policy/{name}" for name in ("README.md", f"1-sft/{builtin.CONFIG}", f"1-sft/{builtin.TENSORS}")]
    for name in names:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(b"{}")
    build = "from setuptools import build_meta as b; b.build_wheel('.'); b.build_sdist('.')"
    subprocess.run([sys.executable, "-c", build], cwd=copy, check=True, capture_output=True)
    with zipfile.ZipFile(next(copy.glob("*.whl"))) as wheel:
        assert set(names) <= set(wheel.namelist())
    with tarfile.open(next(copy.glob("*.tar.gz"))) as release:
        assert set(names) <= {name.partition("/")[2] for name in release.getnames()}


def test_what_is_shipped_is_small_and_names_no_machine() -> None:
    shipped = [path for path in (ROOT / "cuda_l1/policy").rglob("*") if path.is_file()]
    sizes = [path.stat().st_size for path in shipped]
    assert max(sizes) <= MOST_BYTES
    assert sum(sizes) <= MOST_BYTES_IN_ALL
    for path in shipped:
        if path.name == builtin.CONFIG:
            assert not str(json.loads(path.read_text()).get("base_model_name_or_path") or "").startswith(("/", "~"))
