"""`tau-env run`: plugs agents in, several times each, and keeps every trial."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tau_env.cli._models import model_options, patience, print_spending, take_model_options
from tau_env.cli._plan import Asked, default_trials, new_study, same_study
from tau_env.cli._progress import live
from tau_env.cli._records import k_list
from tau_env.cli._told import (
    lure_rows,
    print_doubts,
    print_faults,
    print_next,
    print_study,
    print_trials,
)
from tau_env.cli.output import print_json
from tau_env.errors import UserMistake
from tau_env.harness.database import SUFFIXES, shell
from tau_env.harness.driver import Progress, Sink, run_study
from tau_env.harness.records import TrialWriter, result_row
from tau_env.harness.store import Store
from tau_env.harness.study import Slot, Study
from tau_env.registry import find_domain
from tau_env.schema import Task, Trial

PASS_AT_2 = (
    "failed trials are never run again: a second try for those alone measures pass@2, not pass^1. "
    "For a retry-wrapped flow run more trials and read pass@k with `tau-env passk`"
)
UNGRADED = (
    "ungraded trials were played to the end; judge them again with `tau-env regrade`, which costs "
    "no new trial"
)
INTERRUPTED = 130
LINES = ".jsonl"


@click.command()
@click.option("--domain", help="The company to serve, such as retail.")
@click.option("--agent", "agents", multiple=True, help="A name, an entry point, or module:Class.")
@click.option("--tasks", "patterns", multiple=True, help="Ids, families, or ids ending in '*'.")
@click.option("--split", type=click.Choice(["train", "test"]), help="Only tasks of this split.")
@click.option("--trials", type=int, help="Trials a task: 8 for a store, else 1, if not given.")
@click.option("--seed", type=int, help="Study seed, 0 if not given; trial seeds follow from it.")
@click.option("--workers", default=1, show_default=True, help="Trials played at once.")
@click.option("--max-steps", type=int, help="Actions a trial; 30 if not given.")
@click.option("--max-tokens", type=int, help="Tokens that the agent may spend in a trial.")
@click.option(
    "--max-seconds", type=float, help="Seconds that the agent may take in a trial; 600 if it waits."
)
@click.option("--retries", type=int, help="Reruns of a crashed trial; 2 if not given.")
@click.option("--k", "ks", callback=k_list, help="k of pass^k to report, such as 1,4; needs --why.")
@click.option("--why", help="Why these k: how often the same request comes back, and says who.")
@click.option("--setting", "settings", multiple=True, help="NAME=VALUE for the agents' class.")
@model_options
@click.option("--scaffold", help="What is built round the model, with its version.")
@click.option("--user", help="The customer: scripted, an entry point, or module:Class.")
@click.option("--user-setting", "user_settings", multiple=True, help="NAME=VALUE for its class.")
@click.option("--name", help="What the study is called.")
@click.option("--out", type=click.Path(path_type=Path), help="F.jsonl: lines; F.db: a study.")
@click.option("--study", "file", type=click.Path(path_type=Path), help="A study to make or go on.")
@click.option(
    "--rerun", type=click.Choice(["crashed", "failed", "ungraded"]), help="Which to run again."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def run(
    workers: int,
    out: Path | None,
    file: Path | None,
    rerun: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run agents on tasks and grade every trial.

    Your agent is a class with reset(briefing, seed) and act(observation) -> action; name it as
    module:Class from the folder that holds the module. Without --tasks it plays all released ones.

    A study (--study F.db) keeps every trial as it ends and can be stopped and gone on with at any
    time: `tau-env run --study F.db` plays what is missing, with the settings that it holds.

    \b
    Examples:
      tau-env run --domain retail --agent reference --tasks cancel_pending
      tau-env run --domain retail --agent my_module:MyAgent --trials 4 --out mine.jsonl
      tau-env show mine.jsonl retail-cancel-pending-003
      tau-env run --domain retail --agent my_module:MyAgent --workers 2 --study mine.db
      tau-env run --study mine.db
      tau-env run --domain retail --agent openai --model M --base-url http://127.0.0.1:8000/v1
    """
    models = take_model_options(options)
    asked = Asked(**options, models=models)
    if rerun in ("failed", "ungraded"):
        raise UserMistake(PASS_AT_2 if rerun == "failed" else UNGRADED)
    if out is not None and file is None and out.suffix in SUFFIXES:
        out, file = None, out
    if out is not None and out.suffix != LINES:
        known = ", ".join((LINES, *SUFFIXES))
        raise UserMistake(f"--out {out}: the name ends in {known}, which says the form")
    if file is not None and file.suffix not in SUFFIXES and not file.exists():
        raise UserMistake(f"--study {file}: a new study's name ends in {', '.join(SUFFIXES)}")
    if out is not None and file is not None:
        raise UserMistake(f"--out {out} and --study {file}: give one; `tau-env export` makes lines")
    if file is None and rerun is not None:
        raise UserMistake("--rerun crashed goes on with a study: give --study F.db")
    with patience(models):
        if file is not None:
            _run_stored(asked, file, workers=workers, rerun=rerun is not None, as_json=as_json)
        else:
            _run_lines(asked, out, workers=workers, as_json=as_json)


@dataclass
class _Memory:
    """Keeps trials for the table at the end, and hands them on to a file of lines."""

    file: TrialWriter | None
    trials: list[Trial] = field(default_factory=list)

    def keep(self, slot: Slot, trial: Trial, *, played: Task | None = None) -> None:
        if self.file is not None:
            self.file.keep(slot, trial, played=played)
        self.trials.append(trial)

    def keep_attempt(self, slot: Slot, trial: Trial) -> None:
        """Nothing: the trial that follows lists its crashed attempts."""


def _play(study: Study, tasks: list[Task], sink: Sink, *, workers: int, **more: Any) -> Progress:
    # What an agent prints must not mix with the results on standard output.
    with live(study.name) as told, redirect_stdout(sys.stderr):
        return run_study(study, tasks, sink, workers=workers, told=told, **more)


def _run_lines(asked: Asked, out: Path | None, *, workers: int, as_json: bool) -> None:
    study, tasks = new_study(asked, trials=default_trials(stored=False))
    memory = _Memory(None if out is None else TrialWriter(out))
    try:
        progress = _play(study, tasks, memory, workers=workers)
    finally:
        if memory.file is not None:
            memory.file.close()
    agents = [one.name for one in study.agents]
    place = {task.id: number for number, task in enumerate(tasks)}
    done = sorted(
        memory.trials, key=lambda one: (agents.index(one.agent), place[one.task], one.trial)
    )
    if as_json:
        _print_json(study, tasks, done, progress)
    else:
        print_trials(done, progress)
        print_faults(done)
        print_spending(done)
        if out is not None and done:
            click.echo(
                f"full trials: {out}; look at one with: tau-env show {shell(out)} {done[0].task}"
            )
    _exit(progress)


def _run_stored(asked: Asked, file: Path, *, workers: int, rerun: bool, as_json: bool) -> None:
    existed = file.exists()
    planned = None if existed else new_study(asked, trials=default_trials(stored=True))
    with Store(file) as store:
        if store.study is not None:
            study, tasks = same_study(asked, store.study, store.tasks())
        else:
            study, tasks = planned or new_study(asked, trials=default_trials(stored=True))
        store.begin(study, tasks, find_domain(study.domain).spec)
        kept = store.kept()
        for problem in kept.problems:
            click.echo(f"warning: {problem}", err=True)
        progress = _play(study, list(tasks), store, workers=workers, kept=kept, rerun_crashed=rerun)
        done = store.trials()
    if as_json:
        _print_json(study, tasks, done, progress, labels=list(study.labels))
    else:
        known = {task.id: task for task in tasks}
        print_study(study, known, done, progress)
        print_faults(done)
        print_spending(done)
        print_doubts(done, known)
        print_next(file, done, progress)
    _exit(progress)


def _exit(progress: Progress) -> None:
    """0 for a finished run; 1 if nothing was graded or a trial could not be; 130 for Ctrl-C."""
    if progress.interrupted:
        raise SystemExit(INTERRUPTED)
    if progress.ungraded or progress.passed + progress.failed == 0:
        raise SystemExit(1)


def _print_json(
    study: Study, tasks: Sequence[Task], done: list[Trial], progress: Progress, **more: Any
) -> None:
    print_json(
        [result_row(trial) for trial in done],
        passed=progress.passed,
        graded=progress.passed + progress.failed,
        crashed=progress.crashed,
        ungraded=progress.ungraded,
        trials=progress.done,
        planned=progress.total,
        lures=lure_rows(study, {task.id: task for task in tasks}, done),
        **more,
    )
