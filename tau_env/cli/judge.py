"""`tau-env judge`: how far a judge can be trusted."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any

import click

from tau_env.cli._choose import choose_trials
from tau_env.cli._judging import (
    judge_options,
    spent_line,
    take_judge_options,
)
from tau_env.cli._records import plain
from tau_env.cli.output import print_json, print_table, progress
from tau_env.errors import BadContent
from tau_env.harness.judging import JudgementFile, to_judge
from tau_env.harness.probes import KINDS, Probe, probe_judge
from tau_env.judge import read_rubrics
from tau_env.report.judge_agreement import JudgeAgreement, judge_agreement, read_labels
from tau_env.report.reliability import collected


@click.group()
def judge() -> None:
    """How far a judge can be trusted: against labels by people, and against itself.

    `tau-env regrade FILE --judge RUBRIC` makes the verdicts.
    """


@judge.command()
@click.argument("labels", type=click.Path(path_type=Path))
@click.argument("verdicts", type=click.Path(path_type=Path))
@click.option("--at-least", type=float, help="Exit 1 unless kappa's lower end reaches this.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def agree(
    labels: Path, verdicts: Path, at_least: float | None, level: float, as_json: bool
) -> None:
    """Compare a judge's verdicts with labels by people.

    LABELS has columns task, trial, requirement and label (met or unmet), and agent and rubric where
    VERDICTS are of several. Cohen's kappa is what agreement is above chance; false_met is the share
    of what people call unmet that the judge calls met. A missing verdict is counted and compared
    with nothing.

    \b
    Example:
      tau-env judge agree labels.csv mine.tone.verdicts.jsonl --at-least 0.6
    """
    kept = JudgementFile(verdicts)
    for problem in kept.problems:
        click.echo(f"warning: {problem}", err=True)
    if not kept.judgements:
        raise BadContent(
            f"{verdicts} holds no verdict; `tau-env regrade FILE --judge RUBRIC` makes it"
        )
    notes: list[str] = []
    with collected(notes):
        found = judge_agreement(read_labels(labels), kept.judgements.values(), level=level)
    rows = [_row(one) for one in found]
    low = found[0].agreement.low if found[0].agreement else math.nan
    reached = at_least is None or low >= at_least
    if as_json:
        print_json(plain(rows), at_least=at_least, reached=reached, notes=notes)
    else:
        print_table([plain(row) for row in rows])
        for note in notes:
            click.echo(f"Note: {note}")
        if at_least is not None:
            word = "reached" if reached else "not reached"
            click.echo(f"kappa of at least {at_least:g} by the lower end of its interval: {word}")
    if not reached:
        raise SystemExit(1)


def _row(one: JudgeAgreement) -> dict[str, Any]:
    name = f"{one.rubric}/{one.requirement}" if one.requirement else "all"
    found = one.agreement
    return {
        "requirement": name,
        "labels": one.labels,
        "compared": one.compared,
        "not_reached": one.not_reached,
        "ungraded": one.ungraded,
        "kappa": found.kappa if found else None,
        "low": found.low if found else None,
        "high": found.high if found else None,
        "agree": found.observed if found else None,
        "chance": found.chance if found else None,
        "false_met": found.false_yes if found else None,
        "false_unmet": found.false_no if found else None,
    }


@judge.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("rubric", type=click.Path(path_type=Path))
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="Which probe; all if not given.",
)
@click.option("--agent", help="Only this agent's trials.")
@click.option("--first", type=click.IntRange(min=1), help="Only so many trials.")
@judge_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object with a list 'rows'.")
def probe(
    file: Path,
    rubric: Path,
    kinds: tuple[str, ...],
    agent: str | None,
    first: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Does the judge change its mind over what should not matter?

    Each trial of FILE is judged as it is and once more a probe: `repeat` draws again, `order`
    reverses the requirements, `length` pads what the agent says with empty courtesies, `buried`
    puts a long talk about nothing before everything. A probe matters as far as it flips more
    verdicts than `repeat`; up is no turned into yes.

    \b
    Example:
      tau-env judge probe mine.db tone.toml --first 20 --judge-model M --judge-base-url URL
    """
    asked = take_judge_options(options)
    rubrics = read_rubrics(rubric)
    trials = to_judge(choose_trials(file, None, None, agent=agent), rubrics)[:first]
    chosen = tuple(kind for kind in KINDS if not kinds or kind in kinds)
    notes: list[str] = []
    with (
        asked.patience(),
        collected(notes),
        progress("probe", total=len(trials)) as told,
    ):
        found = probe_judge(
            trials, rubrics, asked.make, kinds=chosen, workers=asked.workers, told=told
        )
    rows = [_probe_row(one) for one in found.probes]
    if as_json:
        print_json(plain(rows), trials=len(trials), usage=found.usage.model_dump(), notes=notes)
    else:
        print_table([plain(row) for row in rows])
        for note in notes:
            click.echo(f"Note: {note}")
        click.echo(f"{len(trials)} trials; {spent_line(found.usage)}")
    if all(one.flips.pairs == 0 for one in found.probes):
        raise SystemExit(1)


def _probe_row(one: Probe) -> dict[str, Any]:
    found = dataclasses.asdict(one.flips)
    del found["level"]
    return {
        "probe": one.kind,
        "rubric": one.rubric,
        **found,
        "ungraded": one.ungraded,
        "unreached": one.unreached,
    }
