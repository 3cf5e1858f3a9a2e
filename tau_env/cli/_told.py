"""What `tau-env run` tells at its end: counts, faults, doubts, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tau_env.cli.output import print_table
from tau_env.cli.visible import visible
from tau_env.harness.contamination import scan
from tau_env.harness.database import shell
from tau_env.harness.driver import Progress
from tau_env.harness.independence import check_independence
from tau_env.harness.lures import lure_counts, lures_told
from tau_env.harness.records import result_row
from tau_env.harness.study import Study
from tau_env.schema import Task, Trial, Turn

UNREAD = "Error:"
"""How the notice begins that answers what is no action."""


def print_trials(done: list[Trial], progress: Progress) -> None:
    """One line a trial, unless the run was stopped; then the counts.

    Args:
        done: the trials, in the order in which they are told.
        progress: how far the run came.
    """
    if not progress.interrupted:
        rows = [result_row(trial) for trial in done]
        table = [
            {**row, "failed": " ".join(part for part, ok in row["grades"].items() if not ok) or "–"}
            for row in rows
        ]
        columns = ["task", "trial", "passed", "end_reason", "steps", "failed"]
        columns[1:1] = ["agent"] if len({row["agent"] for row in rows}) > 1 else []
        columns += ["lures_taken"] if any(row["lures_taken"] is not None for row in rows) else []
        print_table(table, columns=columns)
    _print_counts(progress)


def print_study(
    study: Study, tasks: Mapping[str, Task], done: list[Trial], progress: Progress
) -> None:
    """One line an agent, then the counts of all.

    Args:
        study: the plan.
        tasks: its tasks by id.
        done: its trials.
        progress: how far the run came.
    """
    rows: list[dict[str, Any]] = []
    for plan in study.agents:
        own = [trial for trial in done if trial.agent == plan.name]
        passed = sum(trial.passed is True for trial in own)
        failed = sum(trial.passed is False for trial in own)
        rows.append(
            {
                "agent": f"{plan.name} (insider)" if plan.insider else plan.name,
                "passed": passed,
                "failed": failed,
                "crashed": sum(trial.status == "crashed" for trial in own),
                "ungraded": sum(trial.status == "ungraded" for trial in own),
                "of": len(study.tasks) * study.trials,
                "pass rate": passed / (passed + failed) if passed + failed else None,
                "lures taken / met": lures_told(lure_counts(own, tasks)),
            }
        )
    if not any(row["lures taken / met"] for row in rows):
        for row in rows:
            del row["lures taken / met"]
    print_table(rows)
    _print_counts(progress)
    if study.labels:
        click.echo(f"not the standard run: {'; '.join(study.labels)}")


def lure_rows(study: Study, tasks: Mapping[str, Task], done: list[Trial]) -> list[dict[str, Any]]:
    """How often each agent took each kind of lure that it met, as rows for JSON."""
    return [
        {"agent": plan.name, **asdict(one), "rate": one.rate}
        for plan in study.agents
        for one in lure_counts([trial for trial in done if trial.agent == plan.name], tasks)
        if one.met
    ]


def _print_counts(progress: Progress) -> None:
    graded = progress.passed + progress.failed
    text = f"{progress.passed} of {graded} graded trials passed"
    apart = [
        f"{count} {word}"
        for count, word in ((progress.crashed, "crashed"), (progress.ungraded, "ungraded"))
        if count
    ]
    missing = progress.total - progress.done
    apart += [f"{missing} not yet run"] if missing else []
    click.echo(text + (f"; {', '.join(apart)} of {progress.total}" if apart else ""))


def print_faults(done: list[Trial]) -> None:
    """What went wrong beside the verdicts: errors, crashes, and actions that were none."""
    for name, status in (
        ("ended in an error of the agent", "graded"),
        ("crashed", "crashed"),
        ("could not be graded", "ungraded"),
    ):
        found = [trial for trial in done if trial.error and trial.status == status]
        if found:
            click.echo(f"{len(found)} trials {name}, such as:\n{visible(found[0].error)}")
    for agent in dict.fromkeys(trial.agent for trial in done):
        hint = unusable([trial for trial in done if trial.agent == agent])
        if hint:
            click.echo(f"hint, {agent}: {visible(hint)}")


def unusable(trials: list[Trial]) -> str:
    """A line about actions of an agent of which nothing could be made; empty if there are none.

    Args:
        trials: of one agent.
    """
    wrong = {id(trial): _wrong(trial) for trial in trials}
    whole = [trial for trial in trials if trial.steps and len(wrong[id(trial)]) == trial.steps]
    unread = [text for trial in trials for text in wrong[id(trial)] if text.startswith(UNREAD)]
    if whole:
        first = wrong[id(whole[0])][0]
        return f"no action could be used in {len(whole)} of {len(trials)} trials, such as: {first}"
    if unread:
        return f"{len(unread)} actions could not be read, such as: {unread[0]}"
    return ""


def _wrong(trial: Trial) -> list[str]:
    """What the agent was told of each action that was none, and of each call ill-formed."""
    return [text for text in map(_complaint, trial.transcript) if text]


def _complaint(turn: Turn) -> str:
    if turn.call is not None:
        return turn.call.result if turn.call.error in ("unknown_tool", "bad_arguments") else ""
    return turn.text if turn.who == "system" and turn.text.startswith(UNREAD) else ""


def print_doubts(done: list[Trial], tasks: dict[str, Task]) -> None:
    """What speaks against taking the trials as independent, or the agent as unknowing."""
    for finding in check_independence(done):
        if finding.flagged:
            click.echo(f"not independent ({finding.check}), {finding.agent}: {finding.detail}")
    hits = scan(done, tasks)
    if hits:
        one = hits[0]
        click.echo(
            f"contamination: {len(hits)} signs ({one.kind} {visible(one.text)!r} in {one.task}, "
            f"trial {one.trial}, turn {one.turn}, by {one.agent})"
        )


def print_next(file: Path, done: list[Trial], progress: Progress) -> None:
    """The commands that come next."""
    if progress.done < progress.total:
        click.echo(f"go on with: tau-env run --study {shell(file)}")
    elif progress.crashed:
        click.echo(f"run the crashed again with: tau-env run --study {shell(file)} --rerun crashed")
    if done:
        click.echo(
            f"full trials: {file}; look at one with: tau-env show {shell(file)} {done[0].task}"
        )
