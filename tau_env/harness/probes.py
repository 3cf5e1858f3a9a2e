"""Does a judge's verdict move with what should not matter? Order, length, place, another draw.

A probe changes what the judge reads, not what happened, and asks again. A verdict that flips has
been moved by it; how often it flips by chance tells the probe ``repeat``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from threading import local
from typing import Literal

from tau_env.errors import Crash
from tau_env.harness.judging import covering, judge_trial, policy_of, to_judge
from tau_env.judge import Judge
from tau_env.schema import Transcript, Trial, Turn, Usage
from tau_env.schema.rubric import Rubric, Verdict
from tau_env.stats.agreement import Flips, flips

Kind = Literal["repeat", "order", "length", "buried"]
KINDS: tuple[Kind, ...] = ("repeat", "order", "length", "buried")
PADDING = (
    "Thank you for your patience, it is much appreciated.",
    "I am happy to be of service and want to make sure that everything is looked after.",
    "Please be assured that your request is being given my full attention.",
    "It is always a pleasure to speak with our customers.",
)
"""Says nothing of any matter: what a longer message is made of."""
BURIED = 20
"""Exchanges about nothing that are put before everything else."""


@dataclass(frozen=True)
class Probe:
    """What a probe has shown.

    Attributes:
        kind: ``repeat`` (another draw of the same), ``order`` (requirements reversed), ``length``
            (messages of the agent padded with empty courtesies), ``buried`` (a long beginning about
            nothing).
        rubric: id of the rubric.
        flips: verdicts before and after: a flip is up if the change turned no into yes.
        ungraded: pairs without a verdict on one side, which are left out.
        unreached: trials at which the judge was out of reach.
    """

    kind: Kind
    rubric: str
    flips: Flips
    ungraded: int
    unreached: int


@dataclass(frozen=True)
class Probed:
    """What all probes have shown, and what they have cost."""

    probes: tuple[Probe, ...]
    usage: Usage


def probe_judge(
    trials: Iterable[Trial],
    rubrics: Sequence[Rubric],
    make: Callable[[], Judge],
    *,
    kinds: Sequence[Kind] = KINDS,
    workers: int = 1,
    level: float = 0.95,
    told: Callable[[str], None] = lambda task: None,
) -> Probed:
    """Judge every trial as it is and once for each kind of probe.

    Args:
        trials: what is judged; crashed ones are left out.
        rubrics: from `read_rubrics`.
        make: makes a judge; called once a worker.
        kinds: which probes.
        workers: trials judged at once.
        level: coverage of the intervals.
        told: called with the task of every trial that is done.

    Raises:
        UserMistake: no rubric is for any trial.
        Foreign: a rubric asks for the policy, and it is no longer the one of a trial.
    """
    chosen = to_judge(trials, rubrics)
    policies = [policy_of(one, covering(rubrics, one)) for one in chosen]
    own = local()

    def ask(trial: Trial, policy: str) -> _Asked:
        if not hasattr(own, "judge"):
            own.judge = make()
        found = _ask(trial, rubrics, own.judge, policy=policy, kinds=kinds)
        told(trial.task)
        return found

    with ThreadPoolExecutor(max_workers=workers) as pool:
        asked = list(pool.map(ask, chosen, policies))
    usage = Usage()
    for one in asked:
        usage = usage.plus(one.usage)
    probes = (_probe(kind, one.id, asked, level) for kind in kinds for one in rubrics)
    return Probed(tuple(probes), usage)


@dataclass(frozen=True)
class _Asked:
    """Verdicts on one trial: as it is, and by kind of probe; None where the judge was away."""

    plain: tuple[Verdict, ...] | None
    probed: dict[Kind, tuple[Verdict, ...] | None]
    usage: Usage


def _ask(
    trial: Trial, rubrics: Sequence[Rubric], judge: Judge, *, policy: str, kinds: Sequence[Kind]
) -> _Asked:
    usage = Usage()
    found: dict[Kind | None, tuple[Verdict, ...] | None] = {}
    for kind in (None, *kinds):
        changed, order = changed_by(kind, trial, rubrics)
        try:
            judged = judge_trial(changed, order, judge, policy=policy, draw=int(kind == "repeat"))
        except Crash:
            found[kind] = None
            continue
        found[kind] = judged.verdicts
        usage = usage.plus(judged.usage or Usage())
    return _Asked(found[None], {kind: found[kind] for kind in kinds}, usage)


def changed_by(
    kind: Kind | None, trial: Trial, rubrics: Sequence[Rubric]
) -> tuple[Trial, Sequence[Rubric]]:
    """What the judge reads in a probe: the trial and the rubrics, one of them changed.

    Args:
        kind: the probe; None changes nothing.
        trial: the trial.
        rubrics: the rubrics.
    """
    if kind == "order":
        return trial, [
            one.model_copy(update={"requirements": one.requirements[::-1]}) for one in rubrics
        ][::-1]
    if kind == "length":
        return trial.model_copy(update={"transcript": _padded(trial.transcript)}), rubrics
    if kind == "buried":
        return trial.model_copy(update={"transcript": _buried(trial.transcript)}), rubrics
    return trial, rubrics


def _padded(transcript: Transcript) -> Transcript:
    sentences = cycle(PADDING)
    return tuple(
        turn.model_copy(update={"text": f"{next(sentences)} {turn.text} {next(sentences)}"})
        if turn.who == "agent"
        else turn
        for turn in transcript
    )


def _buried(transcript: Transcript) -> Transcript:
    before = (
        Turn(who="customer", text="Hello, are you there?"),
        Turn(who="agent", text="I am here. One moment, please."),
    )
    return (*(before * BURIED), *transcript)


def _probe(kind: Kind, rubric: str, asked: Sequence[_Asked], level: float) -> Probe:
    before: list[bool] = []
    after: list[bool] = []
    ungraded = unreached = 0
    for one in asked:
        plain, probed = one.plain, one.probed[kind]
        if plain is None or probed is None:
            unreached += 1
            continue
        second = {said.requirement: said.verdict for said in probed if said.rubric == rubric}
        for said in (one for one in plain if one.rubric == rubric):
            words = (said.verdict, second[said.requirement])
            if "ungraded" in words:
                ungraded += 1
            else:
                before.append(words[0] == "met")
                after.append(words[1] == "met")
    return Probe(kind, rubric, flips(before, after, level=level), ungraded, unreached)
