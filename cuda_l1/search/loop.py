"""A run from its start to its end: baselines, transforms, rounds of questions, the best once more, the report.

Not covered: the rounds (rounds) and what is kept of all this (run).
"""

from __future__ import annotations

import contextlib

from cuda_l1 import attempt, judge, transforms
from cuda_l1.errors import CudaL1Error, ModelError
from cuda_l1.llm import Client
from cuda_l1.search.caller import Caller
from cuda_l1.search.rounds import Rounds, question_of, settings_for
from cuda_l1.search.run import Result, Run
from cuda_l1.types import Evaluation

Plan = tuple[list[transforms.Proposal], list[transforms.Declined]]
DEGENERATE = "the task is degenerate"


def optimize(run: Run, client: Client | None) -> Result:
    """Carry a run to its end. Ctrl-C ends it with the best so far kept; so does a model or a judge that fails.

    Errors before the first candidate (a task that does not run, a device that is not there, a technique that is
    unknown, prompts that do not fill) are raised and leave no run; so is that another process is at work on this one.
    """
    with contextlib.ExitStack() as alone:
        return _carried(run, client, alone)


def _carried(run: Run, client: Client | None, alone: contextlib.ExitStack) -> Result:
    interrupted, ended = False, ""
    failure: CudaL1Error | None = None
    try:
        with judge.Session(run.task, run.judge_config) as session:
            session.record = run.archive.record(run.task.id, run.config_digest)
            plan = planned(run)
            settings = settings_for(run, session) if client else None
            if settings is not None:
                question_of(run, settings, 1)
            alone.enter_context(run.alone())
            run.open()
            run.tell(
                "resume" if run.resumed else "launch", run_id=run.run_id, task_id=run.task.id, name=run.task.name,
                folder=str(run.folder), device=run.judge_config.device, model=client.name if client else None,
            )  # fmt: skip
            ended = seed(run, session, plan)
            if not ended and session.degenerate:
                ended = DEGENERATE
            elif not ended and client is None:
                ended = "all transforms tried"
            elif not ended and client is not None and settings is not None:
                try:
                    ended = ask(run, session, client, settings)
                except ModelError as error:
                    failure, ended = error, str(error)
            run.confirm(session)
    except KeyboardInterrupt:
        if not run.is_open:
            raise
        interrupted, ended = True, "interrupted"
    except CudaL1Error as error:
        if not run.is_open:
            raise
        failure, ended = error, str(error)
    try:
        return run.finish(ended, interrupted=interrupted, error=failure)
    except KeyboardInterrupt:  # so little is left to write that it is written all the same
        return run.finish("interrupted", interrupted=True, error=failure)


def planned(run: Run) -> Plan:
    """What the transforms propose."""
    return transforms.propose(run.task, run.judge_config.device, transforms.named(run.config.transforms))


def seed(run: Run, session: judge.Session, plan: Plan) -> str:
    """Baselines and transforms. Returns why the run must stop, or nothing."""
    candidates, _ = session.baseline_candidates()
    known = {each.author: run.archive.lasting(each.id, run.config_digest) for each in candidates}
    by_name = {each.author: each for each in candidates}
    reused = {name: evaluation for name, evaluation in known.items() if evaluation is not None}

    def judged(name: str, evaluation: Evaluation) -> None:
        run.keep(by_name[name], evaluation, reused=name in reused)

    session.baselines(reused, on_baseline=judged)
    if session.degenerate and run.judged:
        return DEGENERATE
    for name, reason in session.missing.items():
        run.tell("baseline_missing", name=name, reason=reason)
    proposals, declined = plan
    run.tell("plan", proposed=[p.technique for p in proposals], declined=[list(d) for d in declined])
    for proposal in proposals:
        if why := run.spent():
            return why
        run.judge(session, proposal.candidate)
        if session.degenerate:
            return DEGENERATE
    return ""


def ask(run: Run, session: judge.Session, client: Client, settings: attempt.Settings) -> str:
    """Rounds of questions. Returns why they ended; what is paid for is waited for, whatever ends them."""
    caller = Caller(lambda calls: run.tell("waiting", calls=calls))
    caller.at_end(client.aclose)
    rounds = Rounds(run, session, client, caller, settings)
    try:
        with caller:
            return rounds.carry_on()
    finally:
        rounds.settle()
