"""Optimise one task without training: baselines, then transforms, then rounds of questions to a model.

`Run` is one run and what it knows, `optimize` carries it to its end, `preview` shows its next question and asks nobody.
Not covered: how the loop body works (attempt), the judge, and what a person sees (cli, console).
"""

from cuda_l1.search.loop import optimize
from cuda_l1.search.preview import preview
from cuda_l1.search.run import Event, Result, Run, new_run_id, saved, standalone

__all__ = ["Event", "Result", "Run", "new_run_id", "optimize", "preview", "saved", "standalone"]
