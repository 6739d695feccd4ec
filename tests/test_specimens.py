"""Which specimens `make test` judges at a commit."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import specimens

import cuda_l1


def test_every_specimen_is_judged_at_some_commits_and_those_that_attack_the_judge_at_a_third() -> None:
    every = [each for kind in ("cheats", "honest") for each in specimens.collect(kind)]
    parts = [[each for each in every if each.is_in(part)] for part in range(specimens.PARTS)]
    often = [each for each in every if each.attacks_the_judge]
    assert sum(map(len, parts)) == len(every) - len(often) + len(often) * specimens.PARTS // 3
    assert {each.name for part in parts for each in part} == {each.name for each in every}
    assert min(map(len, parts)) > max(map(len, parts)) / 2
    assert {each.family for each in often} >= {"forged verdicts", "unfinished work", "the machine", "theft", "replay"}
    tasks = [{each.task for each in part if not each.attacks_the_judge} for part in parts]
    assert sum(map(len, tasks)) == len(set.union(*tasks)), "a task's session is opened at one of them"


def test_the_commit_says_which_and_says_it_again() -> None:
    at = subprocess.run(["git", "rev-parse", "HEAD"], cwd=specimens.HERE, capture_output=True)
    assert (specimens.part_of_commit() in range(specimens.PARTS)) == (at.returncode == 0)
    assert specimens.part_of_commit() == specimens.part_of_commit()


def test_what_specimens_name_of_the_judge_is_there() -> None:
    """Who looks for a module that has moved fails as he is built, and seems to earn nothing."""
    package = Path(cuda_l1.__file__).parent
    every = [each for kind in ("cheats", "honest") for each in specimens.collect(kind)]
    named = {(each.name, name) for each in every for name in re.findall(r"_l1\.(\w+(?:\.\w+)?)", each.code)}
    assert len(named) > 50
    for specimen, name in sorted(named):
        path = package / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").exists(), f"{specimen} names cuda_l1.{name}"
