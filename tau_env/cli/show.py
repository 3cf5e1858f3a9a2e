"""`tau-env show`: one trial in full."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.text import Text

from tau_env.cli._choose import choose_trials
from tau_env.cli.output import console, print_json
from tau_env.cli.visible import visible
from tau_env.schema import Evidence, Grade, Patch, Trial, Turn, Usage


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("task")
@click.argument("trial", type=int, required=False)
@click.option("--agent", help="Whose trial, where the file holds several agents.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; 'rows' are whole trials.")
def show(file: Path, task: str, trial: int | None, agent: str | None, as_json: bool) -> None:
    """Show a trial: dialogue, calls, results, what changed, and each verdict with its turns.

    FILE is what `tau-env run` wrote, a study or lines, TASK a task's id, TRIAL the number of the
    trial (the first one when left out).

    \b
    Example:
      tau-env show mine.jsonl retail-cancel-pending-003 0
    """
    found = choose_trials(file, task, trial, agent=agent)
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
        return
    print_trial(found[0])
    others = [f"{one.trial} by {one.agent}" for one in found[1:]]
    if others:
        click.echo(f"\nAlso there: trial {', '.join(others)}")


INDENT = " " * 13
STYLES = {"customer": "cyan", "agent": "green", "call": "yellow", "system": "red"}


def print_trial(trial: Trial) -> None:
    """Print a trial for a person; nothing in it can steer the terminal."""
    out = console()
    verdict = trial.status if trial.grade is None else "PASSED" if trial.passed else "FAILED"
    agent = f"{trial.agent} (insider)" if trial.insider else trial.agent
    head = f"{trial.task}, trial {trial.trial}, agent {agent}: {verdict}"
    out.print(Text(visible(head), style="bold"))
    ended = trial.end_reason or ("not ended" if trial.status == "graded" else trial.status)
    manner = trial.style or "unknown"
    out.print(
        Text(f"seed {trial.seed}, {trial.steps} steps, ended: {ended}, customer: {manner}"),
        soft_wrap=True,
    )
    out.print()
    for number, turn in enumerate(trial.transcript, 1):
        out.print(_line(number, turn), soft_wrap=True)
    out.print("\nWhat changed:", style="bold")
    changed = "\n".join(map(visible, changes(trial.outcome.patch)))
    out.print(Text(changed or "  nothing"), soft_wrap=True)
    if trial.grade is not None:
        out.print("\nVerdicts:", style="bold")
        for name, grade in trial.grade.parts.items():
            out.print(_verdict(name, grade), soft_wrap=True)
    for number, attempt in enumerate(trial.attempts, 1):
        told = f"\nAttempt {number} crashed after {attempt.steps} steps: {attempt.error}"
        out.print(Text(visible(told)), soft_wrap=True)
    for role, usage in trial.usage.items():
        if usage is not None:
            out.print(Text(f"\nSpent by the {role}: {_spent(usage)}"))
    for role, texts in trial.warnings.items():
        for text in texts:
            out.print(Text(f"Warning of the {role}: {text}"), soft_wrap=True)
    if trial.error:
        out.print("\nError:", style="bold")
        out.print(Text(visible(trial.error)), soft_wrap=True)


def _spent(usage: Usage) -> str:
    tokens = "unknown" if usage.tokens is None else f"{usage.tokens:,}"
    cost = "unknown" if usage.cost is None else f"${usage.cost:.4f}"
    more = f", unknown: {usage.unknown} of {usage.calls} calls" if usage.unknown else ""
    more += f", not used: {usage.discarded}" if usage.discarded else ""
    return f"{usage.calls} calls, {tokens} tokens, {cost}{more}"


def _line(number: int, turn: Turn) -> Text:
    line = Text(f"{number:>3} ")
    line.append(f"{turn.who:<9}", style=STYLES[turn.who])
    if turn.call is None:
        return line.append(_told(turn.text))
    call = turn.call
    # What could not be read has no arguments but its text.
    given = json.dumps(call.arguments, ensure_ascii=False) if call.arguments else call.raw or "{}"
    line.append(_told(f"{call.name}({given})"))
    if call.aside:
        line.append(f"\n    aside    {_told(call.aside)}")
    line.append("\n    ")
    line.append(f"{call.error or 'result':<8} ", style="red" if call.error else "dim")
    return line.append(_told(call.result))


def _told(text: str) -> str:
    """Text of a turn; its further lines are set in, so that none looks like another turn."""
    return visible(text).replace("\n", f"\n{INDENT}")


def changes(patch: Patch) -> list[str]:
    """A patch in words, one line a row."""
    lines = []
    for change in patch:
        key = ", ".join(f"{value}" for value in change.key.values())
        fields = ", ".join(
            f"{column}: {change.before[column]!r} -> {value!r}"
            if column in change.before
            else f"{column}: {value!r}"
            for column, value in change.fields.items()
        )
        lines.append(f"  {change.op} {change.table} {key}  {fields}")
    return lines


def _verdict(name: str, grade: Grade) -> Text:
    word = "passed" if grade.passed else "FAILED"
    line = Text("  ")
    line.append(f"{name:<13}", style="bold")
    line.append(word if grade.checked else "nothing to check", style="" if grade.passed else "red")
    for evidence in grade.evidence:
        line.append(f"\n    {_reason(evidence)}")
    return line


def _reason(evidence: Evidence) -> str:
    turns = f" (turn {', '.join(map(str, evidence.turns))})" if evidence.turns else ""
    rule = f" [{evidence.rule}]" if evidence.rule else ""
    return _told(f"{evidence.text}{turns}{rule}")
