"""What the verbs with a judge share: its options, and how verdicts are counted and shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from tau_env.cli._models import ABOVE_0, ModelOptions, patience
from tau_env.cli._plan import read_settings
from tau_env.cli.output import print_json, print_table, progress
from tau_env.errors import UserMistake
from tau_env.harness.export import export_trials
from tau_env.harness.judging import (
    JudgementFile,
    Judging,
    judge_trials,
    to_judge,
    with_judgement,
)
from tau_env.harness.records import slot_of
from tau_env.judge import Judge, read_rubrics
from tau_env.schema import Trial, Usage
from tau_env.schema.rubric import Judgement, Rubric

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS = (
    click.option("--judge-model", help="Model that judges, by its name at the endpoint."),
    click.option("--judge-base-url", help="The endpoint, such as http://127.0.0.1:8000/v1."),
    click.option("--judge-setting", "judge_settings", multiple=True, help="NAME=VALUE for it."),
    click.option(
        "--prices", type=click.Path(path_type=Path), help="JSON table of dollars a million tokens."
    ),
    click.option("--rate", type=ABOVE_0, help="Calls a second at most."),
    click.option("--workers", type=click.IntRange(min=1), default=1, help="Calls at once; 1."),
)
SHOWN = 3
INTERRUPTED = 130
WHOLE = "(all of it)"
"""Stands for a rubric as a whole among its requirements."""


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """Options for a judge; None or empty is one that was not given."""

    judge_model: str | None
    judge_base_url: str | None
    judge_settings: tuple[str, ...]
    prices: Path | None
    rate: float | None
    workers: int

    def make(self) -> Judge:
        """A judge.

        Raises:
            UserMistake: a setting is given twice, or cannot be.
        """
        given = {"model": self.judge_model, "base_url": self.judge_base_url}
        own: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        more = read_settings(self.judge_settings)
        twice = sorted(set(own) & set(more))
        if twice:
            raise UserMistake(f"setting {twice[0]!r} is given twice: keep one of the options")
        return Judge(**own, **more)

    @contextmanager
    def patience(self) -> Iterator[None]:
        """Ask endpoints at the pace and price of the options, for a while."""
        with patience(ModelOptions(prices=self.prices, rate=self.rate)):
            yield


def judge_options(command: Command) -> Command:
    """Add the options for a judge to a command."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def take_judge_options(options: dict[str, Any]) -> JudgeOptions:
    """Take the options for a judge out of a command's options."""
    names = ("judge_model", "judge_base_url", "judge_settings", "prices", "rate", "workers")
    return JudgeOptions(**{name: options.pop(name) for name in names})


def judge_chosen(
    trials: Sequence[Trial],
    rubric: Path,
    asked: JudgeOptions,
    *,
    verdicts: Path,
    out: Path | None,
    again: bool,
    as_json: bool,
) -> None:
    """Judge trials, keep the verdicts, show the counts, and exit 1 if a verdict is missing.

    Args:
        trials: from `choose_trials`.
        rubric: the file of the rubric.
        asked: whom to ask.
        verdicts: the file of the verdicts.
        out: new file with the trials, which tell what judging has cost; None for none.
        again: ask again where a verdict is missing.
        as_json: print one JSON object.
    """
    rubrics = read_rubrics(rubric)
    chosen = to_judge(trials, rubrics)
    kept = JudgementFile(verdicts)
    for problem in kept.problems:
        click.echo(f"warning: {problem}", err=True)
    with asked.patience(), progress("judge", total=len(chosen)) as told:
        done = judge_trials(
            chosen, rubrics, asked.make, kept, workers=asked.workers, again=again, told=told
        )
    if out is not None:
        found = ((one, done.judged.get(slot_of(one))) for one in trials)
        export_trials([with_judgement(one, by) if by else one for one, by in found], out)
    _print(done, rubrics, verdicts, as_json=as_json)
    if done.interrupted:
        raise SystemExit(INTERRUPTED)
    if _missing(done):
        raise SystemExit(1)


def _missing(done: Judging) -> int:
    """Trials without a full set of verdicts."""
    torn = (any(v.verdict == "ungraded" for v in one.verdicts) for one in done.judged.values())
    return sum(torn) + len(done.unreached)


def _print(done: Judging, rubrics: Sequence[Rubric], verdicts: Path, *, as_json: bool) -> None:
    rows = counted(done.judged.values(), [slot.agent for slot in done.unreached])
    total, ungraded = spent(done.judged.values()), _missing(done)
    if as_json:
        print_json(
            rows,
            rubrics=[one.id for one in rubrics],
            judged=len(done.judged),
            asked=done.asked,
            ungraded=ungraded,
            unreached=len(done.unreached),
            usage=total.model_dump(),
            verdicts=str(verdicts),
        )
        return
    if rows:
        print_table(rows)
    click.echo(f"{len(done.judged)} trials judged, {ungraded} ungraded; {spent_line(total)}")
    if done.judged:
        click.echo(f"verdicts: {verdicts}")
    reasons = Counter(done.unreached.values()) + Counter(
        said.reason
        for one in done.judged.values()
        for said in one.verdicts
        if said.verdict == "ungraded"
    )
    for reason, times in reasons.most_common(SHOWN):
        click.echo(f"ungraded ({times} times): {reason:.300}", err=True)


def counted(judged: Iterable[Judgement], unreached: Sequence[str]) -> list[dict[str, Any]]:
    """Verdicts as rows: by agent, rubric and requirement, and each rubric as a whole.

    Args:
        judged: the judgements.
        unreached: the agent of every trial at which the judge was out of reach.
    """
    found: dict[tuple[str, str, str], Counter[str]] = {}
    for one in judged:
        for said in one.verdicts:
            key = (one.agent, said.rubric, said.requirement)
            found.setdefault(key, Counter())[said.verdict] += 1
        for rubric in dict.fromkeys(said.rubric for said in one.verdicts):
            passed = one.passed(rubric)
            word = "ungraded" if passed is None else "met" if passed else "unmet"
            found.setdefault((one.agent, rubric, WHOLE), Counter())[word] += 1
    lost = Counter(unreached)
    return [_row(key, words, lost[key[0]]) for key, words in sorted(found.items())]


def _row(key: tuple[str, str, str], words: Counter[str], lost: int) -> dict[str, Any]:
    agent, rubric, requirement = key
    with_verdict = words["met"] + words["unmet"] + words["not_reached"]
    return {
        "agent": agent,
        "rubric": rubric,
        "requirement": requirement,
        "met": words["met"],
        "unmet": words["unmet"],
        "not_reached": words["not_reached"],
        "ungraded": words["ungraded"] + lost,
        "share_met": words["met"] / with_verdict if with_verdict else None,
    }


def spent(judged: Iterable[Judgement]) -> Usage:
    """What judging has cost."""
    total = Usage()
    for one in judged:
        total = total.plus(one.usage or Usage())
    return total


def spent_line(total: Usage) -> str:
    """What judging has cost, in words."""
    tokens = "tokens unknown" if total.tokens is None else f"{total.tokens:,} tokens"
    cost = "cost unknown" if total.cost is None else f"${total.cost:.4f}"
    unknown = f", {total.unknown} calls without usage" if total.unknown else ""
    return f"spent by the judge: {total.calls} calls, {tokens}, {cost}{unknown}"
