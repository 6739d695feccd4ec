"""`cuda-l1 ablate`: what each part of a candidate is worth, and whether the parts multiply."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cuda_l1.cli import stops
from cuda_l1.cli.shared import (
    TARGET_IS,
    TASK_FLAGS,
    archive_options,
    check_device,
    check_toolchain,
    console,
    emit,
    find_candidate,
    judge_config,
    judging_options,
    load_task,
    open_archive,
    output_options,
    plain_table,
    print_json,
    taken,
    task_options,
    work,
)
from cuda_l1.errors import CannotJudgeError, UsageError

if TYPE_CHECKING:
    from cuda_l1.ablate.plans import Plan, Variant
    from cuda_l1.ablate.study import Study
    from cuda_l1.config import AblateConfig
    from cuda_l1.console import Console
    from cuda_l1.types import Candidate, Evaluation

_EXIT_CODES = {"measured": 0, "not judged": CannotJudgeError.exit_code}
"""By outcome but for interrupted; any other is a clean negative: 1."""


@click.command(epilog=TARGET_IS)
@click.argument("target")
@click.argument("candidate", required=False)
@task_options
@judging_options(baselines="eager")
@click.option("--parts", metavar="NAMES", help="Which parts to take away, with commas. Default: all")
@click.option("--most", type=int, help="Subsets that may be judged. Default: 16, all of four parts")
@click.option("--repeats", type=int, help="How often each subset is judged. Default: 2")
@click.option("--model", metavar="NAME", help="Takes techniques out of a CANDIDATE that declares no PARTS.")
@click.option("--base-url", metavar="URL", help="The model's server, e.g. http://localhost:8000/v1.")
@click.option("--temperature", type=float, help="Of the model's replies. Default: 0.2")
@click.option("--max-tokens", type=int, help="Of one reply. Default: 8192")
@click.option("--out", metavar="FOLDER", help="Where the ablation's folder is made. Default: runs")
@archive_options
@output_options
def ablate(target: str, candidate: str | None, as_json: bool, quiet: bool, display: str, **flags: Any) -> int:
    """What is each part of CANDIDATE worth, and do the parts multiply?

    Parts are the switches that CANDIDATE declares (PARTS, see docs/ablate.md); without CANDIDATE, the known techniques
    that fit TARGET; with --model, what a model can take out. The same command goes on where it was cut off.
    """
    from cuda_l1 import journal
    from cuda_l1.ablate import page, study
    from cuda_l1.config import AblateConfig, load

    screen = console(display, quiet)
    task_flags = taken(flags, TASK_FLAGS)
    config = load(AblateConfig, flags)
    with work():
        task = load_task(target, task_flags, config)
        found = None if candidate is None else find_candidate(candidate, task, config)
        judging = judge_config(config, seeded=True)
        check_device(judging)
        if found is not None:
            check_toolchain(found)
        about = (found.id if found else "", config.model or "")
        with open_archive(config.archive) as archive:
            this = study.Study(task, judging, archive, study.run_id(task, judging, *about))
            plan = _plan(this, found, config, screen)
            folder = Path(config.out) / this.run_id
            busy = f"{folder} is in use by another ablate of the same candidate: wait for it"
            with journal.held(folder / "lock", busy):
                study.start(this, config.model_dump(mode="json"))
                plan = plan or _asked(this, found, config, screen)
                screen.say(f"{len(plan.parts)} parts, {len(plan.variants)} subsets   run {this.run_id}")
                this = this._replace(repeats=config.repeats, on_judged=_teller(screen, plan))
                judged = study.judge(this, plan)
                total = study.summary(this, plan, judged)
                study.write(folder, total, page.markdown(total))
    code = exit_code(total["outcome"])
    if as_json:
        print_json(total | {"folder": str(folder), "exit_code": code})
        return code
    emit(plain_table([page.SUBSETS, *page.subset_rows(total)]) + "\n")
    emit(plain_table([page.EFFECTS, *page.effect_rows(total)]))
    for text in page.sentences(total):
        screen.say(text, "bold")
    screen.say(f"folder {folder}")
    return code


def exit_code(outcome: str) -> int:
    """What an ablation's outcome means on the command line."""
    return stops.exit_code() if outcome == "interrupted" else _EXIT_CODES.get(outcome, 1)


def _plan(this: Study, candidate: Candidate | None, config: AblateConfig, screen: Console) -> Plan | None:
    """Declared parts first, then techniques that compose; None where a model is to be asked."""
    from cuda_l1.ablate import plans

    chosen = [name.strip() for name in config.parts.split(",") if name.strip()]
    if candidate is None:
        if config.model is not None:
            screen.say(f"no CANDIDATE: known techniques are taken away, {config.model} is not asked")
        return plans.of_transforms(this.task, this.judging.device, chosen, config.most)
    plan = plans.of_switches(candidate, chosen, config.most)
    if plan is not None:
        if config.model is not None:
            screen.say(f"the candidate declares its parts: {config.model} is not asked")
        return plan
    if config.model is None:
        raise UsageError(
            f"candidate {candidate.author or candidate.id} declares no PARTS: name its switches (docs/ablate.md), "
            "let a model take its techniques out with --model NAME, or leave CANDIDATE out to try the known techniques"
        )
    if chosen:
        raise UsageError("--parts chooses among declared parts or known techniques; with --model the model names them")
    return None


def _asked(this: Study, candidate: Candidate | None, config: AblateConfig, screen: Console) -> Plan:
    from cuda_l1 import llm
    from cuda_l1.ablate import questions

    assert candidate is not None
    assert config.model is not None
    client = llm.connect(
        config.model, base_url=config.base_url, temperature=config.temperature, max_tokens=config.max_tokens
    )
    asker = questions.Asker(this.task, candidate, client, this.archive, this.run_id)
    return asker.plan(this.judging.device, config.most, screen.say)


def _teller(screen: Console, plan: Plan) -> Callable[[Variant, Evaluation], None]:
    """Says each word of the judge as it comes."""
    from cuda_l1 import report
    from cuda_l1.ablate import page

    names = [part.name for part in plan.parts]

    def tell(variant: Variant, evaluation: Evaluation) -> None:
        name = page.subset_name(names, [name for name in names if name in variant.subset])
        eager = evaluation.speedup_eager
        screen.say(f"  {name}: {f'{report.ratio(eager)} vs eager' if eager else evaluation.status}")

    return tell
