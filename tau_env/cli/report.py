"""`tau-env report`: everything that a study says, with what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal

import click

from tau_env.cli._records import POPULATIONS, k_list, plain, population_option, titled_table
from tau_env.cli.output import print_json, progress
from tau_env.harness.records import read_trials
from tau_env.report.baselines_beside import known_tasks, names_beside, play_beside
from tau_env.report.layout import Section, markdown
from tau_env.report.sections import View, report_sections, report_title
from tau_env.report.statement import asked_items, result_items
from tau_env.report.study_report import StudyReport, study_report


def _sample(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    """Callback of an option that holds ``BAD/SAMPLE``."""
    if value is None:
        return None
    bad, slash, sample = value.partition("/")
    if not (slash and bad.isdecimal() and sample.isdecimal() and int(bad) <= int(sample) != 0):
        raise click.BadParameter(f"{value!r} is not BAD/SAMPLE, such as 3/100.", ctx, param)
    return int(bad), int(sample)


@click.command()
@click.argument("study", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["terminal", "markdown", "json"]),
    default="terminal",
    show_default=True,
    help="How it is printed.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--view",
    type=click.Choice(["all", "capability", "regression"]),
    default="all",
    show_default=True,
    help="Means, failures, or both.",
)
@click.option("--k", "ks", callback=k_list, help="The k to report, such as 1,4.")
@population_option
@click.option("--audited", callback=_sample, metavar="BAD/SAMPLE", help="Audit of passed trials.")
@click.option("--no-floors", is_flag=True, help="Do not play floors and ceiling.")
def report(
    study: str,
    form: Literal["terminal", "markdown", "json"],
    as_json: bool,
    view: View,
    ks: tuple[int, ...] | None,
    population: str,
    audited: tuple[int, int] | None,
    no_floors: bool,
) -> None:
    """Say everything that a study says of its agents, with what each number stands on.

    STUDY is a store (.db) or a file of full trials (.jsonl). Floors and ceiling are played now on
    the same tasks, if the study's versions are those installed.

    \b
    Examples:
      tau-env report mine.db
      tau-env report mine.db --format markdown > report.md
      tau-env report mine.jsonl --view regression
    """
    records = read_trials(study)
    tasks = known_tasks(study, records)
    with progress("floors", total=len(names_beside())) as told:
        beside = play_beside(records, tasks, play=not no_floors, heard=told)
    found = study_report(
        records,
        file=study,
        tasks=tasks,
        beside=beside,
        ks=ks,
        population=POPULATIONS[population],
        audited=audited,
    )
    if as_json or form == "json":
        _print_json(found)
        return
    sections = report_sections(found, view=view)
    if form == "markdown":
        click.echo(markdown(report_title(found), sections), nl=False)
    else:
        _print_terminal(report_title(found), sections)


def _print_json(found: StudyReport) -> None:
    rows = [
        plain({"agent": one.agent, "insider": one.insider, **asdict(row), "n": one.numbers.n})
        for one in found.agents
        if one.numbers is not None
        for row in one.numbers.rows
    ]
    items = [asdict(one) for one in (*result_items(found), *asked_items(found))]
    body: dict[str, Any] = plain(asdict(found))
    print_json(rows, statement=items, report=body)


def _print_terminal(title: str, sections: Sequence[Section]) -> None:
    click.echo(title)
    for section in sections:
        click.echo()
        shown = section.rows[: section.shown]
        if shown:
            titled_table(shown, title=section.title)
        else:
            click.echo(section.title)
        for line in section.lines:
            click.echo(f"  {line}")
        if len(shown) < len(section.rows):
            click.echo(
                f"  and {len(section.rows) - len(shown)} more: --format markdown or json has all"
            )
