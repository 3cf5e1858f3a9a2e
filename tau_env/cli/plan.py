"""The verb `plan`: how many tasks and trials a study needs."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from tau_env.cli._records import json_option, plain, read_records, record_options, titled_table
from tau_env.cli.output import print_json
from tau_env.errors import BadArgument
from tau_env.report.reliability import collected
from tau_env.stats.beta_binomial import fit_beta_binomial
from tau_env.stats.design import (
    BetaPopulation,
    Plan,
    best_repeats,
    plan_budget,
    task_variance,
    worst_case_tasks,
)
from tau_env.stats.sample_size import SampleSize, tasks_for_difference


@click.command()
@click.argument("pilot", required=False)
@click.option("--mean", type=float, help="Mean success rate, when there is no pilot.")
@click.option(
    "--rho", type=float, help="Correlation of two trials of a task (0.3 to 0.8 is common)."
)
@click.option("--k", type=click.IntRange(min=1), required=True, help="The k of pass^k.")
@click.option("--budget", type=float, help="Trials that may be spent, set-up of tasks included.")
@click.option("--setup", type=float, default=0.0, help="Cost of making one task, in trials.")
@click.option("--n-max", type=click.IntRange(min=1), default=20, help="Most trials of a task.")
@click.option("--max-tasks", type=click.IntRange(min=2), help="Tasks that exist.")
@click.option("--difference", type=float, help="Change in pass^k that must show, e.g. 0.05.")
@click.option("--power", type=float, default=0.8, show_default=True, help="How often it must show.")
@click.option(
    "--alike",
    type=float,
    default=0.7,
    show_default=True,
    help="How far two agents find the same tasks hard, 0 to 1.",
)
@click.option(
    "--half-width", type=float, help="Half of the 95% interval that is wanted, e.g. 0.05."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the drawn studies.")
@record_options
@json_option
def plan(pilot: str | None, as_json: bool, k: int, **options: Any) -> None:
    """How many tasks, and how many trials of each.

    Tasks, not trials, carry the precision: trials of one task resemble one another. Tell it how
    tasks differ, by a PILOT file of trial records or by --mean and --rho, and ask one question:

    \b
      --budget      the half-width of pass^k for every way to spend so many trials
      --difference  the tasks at which two agents on the same tasks show a difference
      --half-width  the tasks that suffice whatever the tasks are like

    \b
    Examples:
      tau-env plan --mean 0.7 --rho 0.4 --k 3 --budget 1200 --setup 10
      tau-env plan trials.jsonl --k 4 --budget 2000 --max-tasks 115
      tau-env plan trials.jsonl --k 4 --difference 0.05
      tau-env plan --k 3 --half-width 0.05
    """
    asked = [name for name in ("budget", "difference", "half_width") if options[name] is not None]
    if len(asked) != 1:
        raise BadArgument(
            "Ask one question: --budget, --difference or --half-width; "
            f"got {' and '.join('--' + a.replace('_', '-') for a in asked) or 'none'}."
        )
    if asked == ["half_width"]:
        _worst(options["half_width"], k, as_json)
        return
    population = _population(pilot, options)
    if asked == ["budget"]:
        made = plan_budget(
            options["budget"],
            population=population,
            k=k,
            setup=options["setup"],
            n_max=max(k, options["n_max"]),
            max_tasks=options["max_tasks"],
        )
        _print_budget(made, as_json)
        return
    notes: list[str] = []
    with collected(notes):
        sizes = [
            tasks_for_difference(
                population,
                k=k,
                difference=options["difference"],
                n=n,
                rng=np.random.default_rng(options["seed"]),
                power=options["power"],
                alike=options["alike"],
                max_tasks=options["max_tasks"] or 2_000,
            )
            for n in sorted({k, max(k, 2), *(n for n in (4, 8, 16) if n > k)})
        ]
    _print_sizes(sizes, population, notes, as_json)


def _population(pilot: str | None, options: dict[str, Any]) -> BetaPopulation:
    """How tasks differ: fitted on a pilot, or as told."""
    mean, rho = options["mean"], options["rho"]
    if pilot is None:
        if mean is None or rho is None:
            raise BadArgument("Give a PILOT file of trial records, or both --mean and --rho.")
        return BetaPopulation.of(mean=mean, rho=rho)
    if mean is not None or rho is not None:
        raise BadArgument("Give a PILOT file or --mean and --rho, not both.")
    counts = read_records(
        pilot,
        columns=options["columns"],
        agent=options["agent"],
        planned=options["planned"],
        foreign=options["foreign"],
    ).counts()
    ran = counts.trials > 0
    if not ran.any():
        raise BadArgument(f"{pilot} has no graded trial; give --mean and --rho instead.")
    with collected([]):
        fit = fit_beta_binomial(counts.passes[ran], counts.trials[ran])
    if fit.status != "interior":
        raise BadArgument(
            f"{pilot} does not tell how tasks differ ({fit.status}); give --mean and --rho instead."
        )
    return BetaPopulation(a=fit.a, b=fit.b)


def _assumed(population: BetaPopulation) -> dict[str, float]:
    size = population.a + population.b
    return {
        "mean": population.a / size,
        "rho": 1 / (1 + size),
        "a": population.a,
        "b": population.b,
    }


def _print_budget(made: Plan, as_json: bool) -> None:
    rows = [
        {
            "n": design.n,
            "M": design.M,
            "spent": design.spent,
            "half_width": design.half_width,
            "best": design == made.best,
        }
        for design in made.designs
    ]
    parts = task_variance(made.population, k=made.k, n=made.best.n)
    rule = best_repeats(
        setup=made.setup, between=parts.between, per_trial=parts.per_trial, k=made.k
    )
    if as_json:
        print_json(
            rows,
            k=made.k,
            budget=made.budget,
            setup=made.setup,
            assumed=_assumed(made.population),
            pass_hat_k=parts.pass_hat_k,
            n_star=rule,
        )
        return
    assumed = _assumed(made.population)
    titled_table(rows, title=f"Half-width of pass^{made.k} (95%) for a budget of {made.budget:g}")
    click.echo(
        f"Best: {made.best.M:g} tasks of {made.best.n} trials, pass^{made.k} to within "
        f"±{100 * made.best.half_width:.1f} points (rule of thumb: n* = {rule:.1f}).\n"
        f"Assumed: tasks spread as Beta with mean {assumed['mean']:.3f} and rho "
        f"{assumed['rho']:.3f}, where pass^{made.k} is {parts.pass_hat_k:.3f}. "
        "Population: fresh tasks of these families. Users add their own spread."
    )


def _print_sizes(
    sizes: list[SampleSize], population: BetaPopulation, notes: list[str], as_json: bool
) -> None:
    rows = [
        {
            "n": size.n,
            "M": size.tasks,
            "trials": None if size.tasks is None else 2 * size.n * size.tasks,
            "power": size.power,
        }
        for size in sizes
    ]
    one = sizes[0]
    if as_json:
        print_json(
            rows,
            k=one.k,
            difference=one.difference,
            assumed=_assumed(population),
            replicates=one.replicates,
            notes=plain(notes),
        )
        return
    titled_table(
        rows,
        title=f"Tasks (M) and trials of both agents that show {one.difference:+g} in pass^{one.k}",
    )
    for note in notes:
        click.echo(f"Note: {note}")
    click.echo(
        f"Paired t test on the same tasks, {one.replicates} studies drawn from the fitted model."
    )


def _worst(half_width: float, k: int, as_json: bool) -> None:
    worst = worst_case_tasks(half_width)
    rows = [{"n": k, "M": worst.tasks, "trials": worst.tasks * k, "half_width": worst.half_width}]
    if as_json:
        print_json(rows, k=k, value=worst.value)
        return
    titled_table(
        rows, title=f"Tasks for ±{100 * half_width:g} points of pass^{k}, whatever they are"
    )
