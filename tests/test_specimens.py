"""Which specimens `make test` judges at a commit."""

from __future__ import annotations

import subprocess

import specimens


def test_every_specimen_is_judged_at_some_commit_and_what_many_share_a_session_for_at_all() -> None:
    every = [each for kind in ("cheats", "honest") for each in specimens.collect(kind)]
    parts = [[each for each in every if each.fifth == fifth] for fifth in range(5)]
    always = [each for each in every if each.fifth is None]
    assert sum(map(len, [*parts, always])) == len(every)
    assert min(map(len, parts)) > max(map(len, parts)) / 2
    assert {each.family for each in always} >= {"forged verdicts", "unfinished work", "the machine", "theft", "replay"}
    tasks = [{each.task for each in part} for part in parts]
    assert sum(map(len, tasks)) == len(set.union(*tasks)), "a task's session is opened at one of them"


def test_the_commit_says_which_and_says_it_again() -> None:
    at = subprocess.run(["git", "rev-parse", "HEAD"], cwd=specimens.HERE, capture_output=True)
    assert (specimens.fifth_of_commit() in range(5)) == (at.returncode == 0)
    assert specimens.fifth_of_commit() == specimens.fifth_of_commit()
