"""Everything that a study says of its agents, as data: no number here is laid out or computed anew.

Statistics come from :mod:`tau_env.stats`, checks of the trials from :mod:`tau_env.harness`. How it
looks is decided in :mod:`tau_env.report.sections`.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tau_env.errors import BadContent
from tau_env.harness.contamination import Hit, scan
from tau_env.harness.independence import Finding, check_independence
from tau_env.harness.records import Records
from tau_env.report.agent_trials import Tally, results_of, tally
from tau_env.report.baselines_beside import Beside
from tau_env.report.failures import (
    Share,
    TaskLine,
    by_length,
    classes,
    customers,
    lures,
    task_lines,
    twin_pairs,
)
from tau_env.report.pairs import pair
from tau_env.report.reliability import Reliability, collected, reliability
from tau_env.report.results import Results
from tau_env.report.spending import Spending, spending
from tau_env.schema import Task, Trial
from tau_env.stats.comparison import Comparison, compare_agents
from tau_env.stats.grader_error import GraderAudit, audit_false_passes
from tau_env.stats.horizon import LengthBin
from tau_env.stats.intervals import FRESH_TASKS, Population

DEFAULT_KS = (1, 2, 4, 8)
OWN_DIGESTS = ("task", "agent")
"""Digests that may differ within a study: the others must be the same in all pooled trials."""


@dataclass(frozen=True)
class AgentReport:
    """What a study says of one agent.

    Attributes:
        agent: its name.
        scaffold: what is built round its model; empty where unknown.
        settings: what it was made with.
        insider: it had the task in hand: a check, not a score.
        tally: how its trials ended.
        numbers: pass^k and all that goes with it; None without a single graded trial.
        progress: mean progress of graded trials, partial credit beside the verdict; None likewise.
        failures: failure classes, failed parts and ends of its failed trials.
        lures: lures taken, by kind.
        customers: trials passed, by the customer's manner and twists.
        twins: twin pairs of which both were passed.
        tasks: every task, the worst first.
        lengths: success by steps of the reference solution; empty where lengths are unknown.
        spending: what its trials cost.
        findings: checks of independence.
        hits: signs of contamination.
        audit: the grader's false passes as an audit found them; None where there was none.
    """

    agent: str
    scaffold: str
    settings: dict[str, object]
    insider: bool
    tally: Tally
    numbers: Reliability | None
    progress: float | None
    failures: tuple[Share, ...]
    lures: tuple[Share, ...]
    customers: tuple[Share, ...]
    twins: Share
    tasks: tuple[TaskLine, ...]
    lengths: tuple[LengthBin, ...]
    spending: tuple[Spending, ...]
    findings: tuple[Finding, ...]
    hits: tuple[Hit, ...]
    audit: GraderAudit | None


@dataclass(frozen=True)
class Versus:
    """Two agents on their common tasks at one k."""

    first: str
    second: str
    result: Comparison


@dataclass(frozen=True)
class StudyReport:
    """What a study says.

    Attributes:
        file: where its trials are.
        name: of the study; empty for a file of lines.
        domain: the company; empty where trials do not say.
        labels: what keeps it from being a standard run of its domain.
        tasks: tasks planned.
        released: tasks that the domain has; 0 where unknown.
        trials: trials planned a task.
        ks: the k reported.
        k_reason: why these.
        population: what intervals speak of.
        level: their confidence level.
        protocol: settings and digests that decide the numbers, in words.
        customers: distinct customers met (seeds), over all trials of all agents.
        agents: one entry an agent.
        versus: every pair of agents that are no insiders, at every k.
        beside: floors and ceiling on the same tasks.
        problems: what is wrong with the file.
        notes: what else a reader must know.
    """

    file: str
    name: str
    domain: str
    labels: tuple[str, ...]
    tasks: int
    released: int
    trials: int
    ks: tuple[int, ...]
    k_reason: str
    population: str
    level: float
    protocol: dict[str, str]
    customers: int
    agents: tuple[AgentReport, ...]
    versus: tuple[Versus, ...]
    beside: Beside
    problems: tuple[str, ...]
    notes: tuple[str, ...]


def study_report(
    records: Records,
    *,
    file: str,
    tasks: Mapping[str, Task],
    beside: Beside,
    ks: Sequence[int] | None = None,
    population: Population = FRESH_TASKS,
    level: float = 0.95,
    audited: tuple[int, int] | None = None,
) -> StudyReport:
    """Ask everything of a study that this package can answer.

    Args:
        records: its trials, and its plan if it has one.
        file: its file, for the commands that show trials.
        tasks: the tasks by id, as far as they are known; others have no length and no lures.
        beside: floors and ceiling on the same tasks.
        ks: the k to report; those of the plan, else those of 1, 2, 4, 8 up to the trials, if None.
        population: what the intervals speak of.
        level: confidence level.
        audited: bad and audited passes, where the grader was audited.

    Raises:
        BadContent: trials that were made or judged with different versions of anything that
            decides a grade; they are never pooled.
        BadArgument: a k beyond the trials.
    """
    trials = records.trials
    digests = _shared_digests(file, trials)
    study = records.study
    families = _families(records, tasks)
    planned = study.trials if study else max(one.trial for one in trials) + 1
    wanted = tuple(ks) if ks else study.ks if study else _default_ks(planned)
    names = [one.name for one in study.agents] if study else []
    names = list(dict.fromkeys([*names, *(one.agent for one in trials)]))
    own = {name: [one for one in trials if one.agent == name] for name in names}
    made: list[AgentReport] = []
    results: dict[str, Results] = {}
    for name in names:
        if own[name]:
            results[name] = results_of(own[name], tasks=families, planned=planned)
            numbers = _numbers(results[name], wanted, population, level)
            made.append(_agent(own[name], numbers, families, tasks, planned, file, audited))
    notes: list[str] = [f"{name}: no trial yet" for name in names if not own[name]]
    with collected(notes):
        versus = _versus(results, wanted, population, level)
    domain = study.domain if study else trials[0].domain
    return StudyReport(
        file=file,
        name=study.name if study else "",
        domain=domain,
        labels=_labels(records, beside, families, planned, made),
        tasks=len(families),
        released=beside.released,
        trials=planned,
        ks=wanted,
        k_reason=_k_reason(records, ks),
        population=population,
        level=level,
        protocol={**_protocol(records), **digests},
        customers=len({(one.task, one.seed) for one in trials}),
        agents=tuple(made),
        versus=versus,
        beside=beside,
        problems=records.problems,
        notes=tuple(notes),
    )


def _shared_digests(file: str, trials: Sequence[Trial]) -> dict[str, str]:
    """Digests that all trials share.

    Raises:
        BadContent: trials that differ in one, or in domain, customer or budgets; or trials of one
            agent that differ in scaffold, settings or code.
    """
    found: dict[str, set[str]] = {}
    for trial in trials:
        agent = {
            "scaffold": trial.scaffold,
            "settings": trial.settings,
            "code": trial.digests.get("agent"),
        }
        shared = {
            "domain": trial.domain,
            "customer": trial.user,
            "the customer's settings": trial.user_settings,
            "budgets": trial.budgets,
            **{f"{name} of {trial.agent}": value for name, value in agent.items()},
            **{f"digest of {n}": one for n, one in trial.digests.items() if n not in OWN_DIGESTS},
        }
        for name, value in shared.items():
            found.setdefault(name, set()).add(str(value))
    for name, values in found.items():
        if len(values) > 1:
            raise BadContent(
                f"{file}: its trials were made with {len(values)} versions of {name} "
                f"({', '.join(sorted(values))}); they are never pooled: put them in files apart"
            )
    return {
        name: next(iter(values))
        for name, values in sorted(found.items())
        if name.startswith("digest of ")
    }


def _families(records: Records, tasks: Mapping[str, Task]) -> dict[str, str]:
    """Family by id of every task planned: of the plan, else of those that were tried."""
    tried = {one.task: one.family for one in records.trials}
    names = [one.id for one in records.study.tasks] if records.study else list(tried)
    return {
        name: tried.get(name) or (tasks[name].family if name in tasks else "") for name in names
    }


def _default_ks(planned: int) -> tuple[int, ...]:
    return tuple(k for k in DEFAULT_KS if k <= planned)


def _k_reason(records: Records, ks: Sequence[int] | None) -> str:
    if ks:
        return "asked for on the command line"
    return records.study.k_reason if records.study else "default: 1, 2, 4, 8 up to the trials"


def _numbers(
    results: Results, ks: Sequence[int], population: Population, level: float
) -> Reliability | None:
    if not results.passed.size:
        return None
    return reliability(results, ks=ks, population=population, level=level)


def _agent(
    trials: Sequence[Trial],
    numbers: Reliability | None,
    families: Mapping[str, str],
    tasks: Mapping[str, Task],
    planned: int,
    file: str,
    audited: tuple[int, int] | None,
) -> AgentReport:
    first = trials[0]
    lines = task_lines(trials, list(families), tasks, planned=planned, file=file)
    progress = [
        trial.grade.scores["progress"]
        for trial in trials
        if trial.grade is not None and "progress" in trial.grade.scores
    ]
    counts = tally(trials, tasks=len(families), planned=planned)
    audit = None
    if audited is not None and counts.passed:
        rate = counts.passed / counts.graded
        with collected([]):
            audit = audit_false_passes(*audited, measured_rate=rate)
    return AgentReport(
        agent=first.agent,
        scaffold=first.scaffold,
        settings=dict(first.settings),
        insider=any(trial.insider for trial in trials),
        tally=counts,
        numbers=numbers,
        progress=statistics.fmean(progress) if progress else None,
        failures=classes(trials),
        lures=lures(trials, tasks),
        customers=customers(trials, tasks),
        twins=twin_pairs(trials, tasks),
        tasks=lines,
        lengths=by_length(lines),
        spending=spending(trials),
        findings=check_independence(trials),
        hits=scan([one for one in trials if one.domain], dict(tasks)),
        audit=audit,
    )


def _versus(
    results: Mapping[str, Results], ks: Sequence[int], population: Population, level: float
) -> tuple[Versus, ...]:
    able = {n: one for n, one in results.items() if one.passed.size and not one.insider}
    made = []
    for first, second in combinations(able, 2):
        common = pair(able[first], able[second])
        for k in ks:
            if k <= common.n:
                compared = compare_agents(
                    common.passes_a,
                    common.trials_a,
                    common.passes_b,
                    common.trials_b,
                    k,
                    rng=np.random.default_rng(0),
                    population=population,
                    families=common.family,
                    tasks=common.task,
                    level=level,
                )
                made.append(Versus(first, second, compared))
    return tuple(made)


def _labels(
    records: Records,
    beside: Beside,
    families: Mapping[str, str],
    planned: int,
    agents: Sequence[AgentReport],
) -> tuple[str, ...]:
    """What a reader must see before any number; empty for the whole standard run."""
    found = []
    if beside.released and len(families) < beside.released:
        found.append(f"partial {len(families)}/{beside.released} tasks")
    places = sum(one.tally.planned for one in agents)
    graded = sum(one.tally.graded for one in agents)
    if graded < places:
        found.append(f"partial {graded}/{places} trials graded")
    if not beside.released:
        found.append("unknown tasks")
    if records.study:
        found += [one for one in records.study.labels if not one.startswith("partial")]
    elif planned < max(DEFAULT_KS):
        found.append(f"{planned} trials a task, standard is {max(DEFAULT_KS)}")
    if beside.foreign:
        found.append("not the versions installed here")
    return tuple(found)


def _protocol(records: Records) -> dict[str, str]:
    """What was set for the trials, in words."""
    first, study = records.trials[0], records.study
    budgets = study.budgets if study else first.budgets
    told = {"customer": first.user, "customer's settings": str(first.user_settings or "none")}
    if budgets is not None:
        told["steps a trial"] = f"at most {budgets.max_steps}"
        told["tokens a trial"] = str(budgets.max_tokens or "no limit")
        told["seconds a trial"] = str(budgets.max_seconds or "no limit")
    else:
        told["budgets"] = "unknown: the file does not say"
    reruns = f"up to {study.retries} times" if study else "a number of times that is not recorded"
    told["reruns"] = f"crashes {reruns}; failures never"
    if study:
        told["study seed"] = str(study.seed)
    return told
