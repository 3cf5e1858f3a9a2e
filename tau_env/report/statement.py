"""What a result must state, item by item: five things of a pass^k, four that a reader asks for."""

from __future__ import annotations

from dataclasses import dataclass

from tau_env.report.layout import count_of, interval, percent
from tau_env.report.study_report import AgentReport, StudyReport
from tau_env.stats.horizon import LengthBin

MISSING = "NOT STATED"


@dataclass(frozen=True)
class Item:
    """One thing that a result states, or that it does not.

    Attributes:
        item: what should be stated.
        answer: the statement.
        stated: False where the study cannot tell.
    """

    item: str
    answer: str
    stated: bool = True


def result_items(report: StudyReport) -> tuple[Item, ...]:
    """What a pass^k result should state: grader, its errors, estimator, sizes, interval."""
    agents = [one for one in report.agents if one.numbers is not None]
    methods = sorted({row.method for a in agents if a.numbers for row in a.numbers.rows})
    return (
        Item(
            "grader",
            "terminal state of the database, every cell, and on the way: facts told, path, "
            "conduct, the customer's yes; a transcript alone never passes",
        ),
        _false_passes(report),
        Item("estimator", "unbiased C(c,k)/C(n,k); plug-in (c/n)^k stands beside it for contrast"),
        Item(
            "tasks, trials, customers",
            f"M = {report.tasks} tasks, n = {report.trials} trials planned each, J = "
            f"{report.customers} distinct customers; {_who(report)}",
        ),
        Item(
            "interval", f"{'; '.join(methods) or 'none'}; about {report.population}", bool(methods)
        ),
    )


def _false_passes(report: StudyReport) -> Item:
    name = "grader's measured false-pass rate"
    audits = [(one.agent, one.audit) for one in report.agents if one.audit is not None]
    if not audits:
        return Item(
            name,
            f"{MISSING}: no audit was given; `tau-env audit` measures the graders on mistakes that "
            "are known, a sample of these passes judged by hand goes into --audited BAD/SAMPLE",
            False,
        )
    told = [
        f"{agent}: f = {percent(one.f)} ({interval(one.f_low, one.f_high)}; {one.bad} of "
        f"{one.audited} audited passes were bad)"
        for agent, one in audits
    ]
    return Item(name, "; ".join(told))


def _who(report: StudyReport) -> str:
    customer = report.protocol.get("customer", "unknown")
    alike = [
        one.agent
        for one in report.agents
        if any(finding.flagged and finding.check == "seeds" for finding in one.findings)
    ]
    if alike:
        return f"{customer} customers, the SAME for several trials of {', '.join(alike)}"
    return f"{customer} customers, a fresh one for every trial, the same for all agents"


def asked_items(report: StudyReport) -> tuple[Item, ...]:
    """The four things to ask for: pass^k at a real k, an interval, success by length, failures."""
    return (
        Item(
            "pass^k at a realistic k, beside one attempt",
            f"k = {', '.join(map(str, report.ks))} ({report.k_reason}); {_runs(report)}",
        ),
        Item("an interval, clustered, and paired differences", *_compared(report)),
        _lengths(report),
        Item("the failures", "; ".join(_failing(one) for one in report.agents)),
    )


def _runs(report: StudyReport) -> str:
    told = [f"{a.agent} {a.tally.graded} of {a.tally.planned}" for a in report.agents]
    return f"{report.trials} trials a task planned, graded trials: {', '.join(told)}"


def _compared(report: StudyReport) -> tuple[str, bool]:
    known = any(row.low == row.low for a in report.agents if a.numbers for row in a.numbers.rows)
    paired = (
        f"{len(report.versus)} paired differences"
        if report.versus
        else "no paired difference: it takes two agents that are no insiders"
    )
    return f"intervals rest on the spread over tasks, not over single trials; {paired}", known


def _lengths(report: StudyReport) -> Item:
    name = "success by task length"
    spans = next((one.lengths for one in report.agents if one.lengths), ())
    if not spans:
        return Item(name, f"{MISSING}: the tasks of these trials are not known here", False)
    told = [f"{span_of(one)} steps: {one.tasks} tasks" for one in spans]
    return Item(name, f"reference steps stand for length; {', '.join(told)}")


def span_of(span: LengthBin) -> str:
    """Ends of a span of reference steps, both inside it."""
    low, high = int(span.low), int(span.high) - 1
    return f"{low}" if low == high else f"{low} to {high}"


def _failing(one: AgentReport) -> str:
    failed = [line for line in one.tasks if line.passes < line.graded]
    zero = [line for line in failed if line.passes == 0]
    return (
        f"{one.agent}: {count_of(len(failed), len(one.tasks), none='no task')} tasks failed at "
        f"least once, {len(zero)} never passed"
    )
