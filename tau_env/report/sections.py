"""A study's report as sections of text and tables, for terminal and Markdown alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tau_env.report.failures import by_group
from tau_env.report.layout import Cell, Section, count_of, dollars, interval, percent
from tau_env.report.reliability import KRow, Reliability
from tau_env.report.sentence import sentence
from tau_env.report.statement import Item, asked_items, result_items, span_of
from tau_env.report.study_report import AgentReport, StudyReport

View = Literal["all", "capability", "regression"]
Row = dict[str, Cell]

SHOWN = 10


def report_title(report: StudyReport) -> str:
    """The report's heading."""
    return f"{report.name or report.file}: {report.domain or 'unknown domain'}"


def report_sections(report: StudyReport, *, view: View = "all") -> tuple[Section, ...]:
    """Lay a report out.

    Args:
        report: the data.
        view: ``capability`` reads the study through its means, ``regression`` through its
            failures; ``all`` has both. Labels, scores with floors, counts and protocol stand in
            every view.
    """
    return tuple(section for section in _sections(report, view) if section.lines or section.rows)


def _sections(report: StudyReport, view: View) -> Iterator[Section]:
    yield Section("What this is", lines=tuple(_headlines(report)))
    yield Section(
        "Scores",
        lines=(
            "pass^k: all of k trials pass. pass@k: any of k passes.",
            f"Intervals: {report.level:.0%}, about {report.population}.",
        ),
        rows=tuple(row for one in report.agents for row in _score_rows(one)),
    )
    yield _beside(report)
    yield Section("Trials", rows=tuple(_tally_row(one) for one in report.agents))
    yield Section("Bounds", *_bounds(report))
    if view in ("all", "capability"):
        yield from _capability(report)
    if view in ("all", "regression"):
        yield from _regression(report)
    yield _cost(report)
    yield Section(
        "Are the trials independent and clean",
        rows=tuple(row for one in report.agents for row in _check_rows(one)),
    )
    yield Section(
        "What this result states", rows=tuple(_item_row(one) for one in result_items(report))
    )
    yield Section(
        "The four things to ask for", rows=tuple(_item_row(one) for one in asked_items(report))
    )
    yield Section(
        "Protocol",
        rows=tuple({"setting": name, "value": value} for name, value in _protocol(report).items()),
    )
    yield Section("Faults and notes", lines=(*report.problems, *_notes(report)))


def _headlines(report: StudyReport) -> Iterator[str]:
    size = f"{report.tasks} tasks, {report.trials} trials each"
    if report.labels:
        yield f"NOT A STANDARD RUN: {'; '.join(report.labels)}. {size}."
    else:
        yield f"The standard run of {report.domain}: {size}."
    for one in report.agents:
        name = _name(one)
        if one.numbers is None:
            yield f"{name}: no trial has a grade, so nothing can be said."
        elif report.labels:
            yield f"{name}: no headline for a run that is partial or not standard."
        else:
            told = sentence(one.numbers, report.ks[-1])
            yield told if one.agent in told else f"{name}: {told}"


def _name(one: AgentReport) -> str:
    return f"{one.agent} (insider)" if one.insider else one.agent


def _score_rows(one: AgentReport) -> Iterator[Row]:
    numbers = one.numbers
    if numbers is None:
        yield _score_row(one, None, None)
        return
    for row in numbers.rows:
        yield _score_row(one, row, numbers)


def _score_row(one: AgentReport, row: KRow | None, numbers: Reliability | None) -> Row:
    cost = dollars(one.spending[-1].per_trial)
    made: Row = {"agent": _name(one), "k": None, "pass^k": "not estimable: no graded trial"}
    empty: Row = dict.fromkeys(("interval", "pass@k", "plug-in (biased)", "trials"))
    if row is None or numbers is None:
        return made | empty | {"cost a trial": cost, "basis": None}
    known = row.pass_hat_k == row.pass_hat_k
    return {
        "agent": _name(one),
        "k": row.k,
        "pass^k": _of_n(row.pass_hat_k, numbers) if known else "not estimable",
        "interval": interval(row.low, row.high),
        "pass@k": percent(row.pass_at_k) if known else None,
        "plug-in (biased)": percent(row.plug_in) if known else None,
        "trials": _n(numbers),
        "cost a trial": cost,
        "basis": row.method,
    }


def _n(numbers: Reliability) -> str:
    return (
        f"n = {numbers.n}"
        if numbers.n == numbers.planned
        else f"n = {numbers.n} of {numbers.planned}"
    )


def _of_n(value: float, numbers: Reliability) -> str:
    """A share; where trials are missing never without what it stands on."""
    short = numbers.n < numbers.planned
    return f"{value:.1%} of {_n(numbers)}" if short else f"{value:.1%}"


def _number(value: float) -> str:
    return f"{value:.3f}" if value == value else "unknown"


def _beside(report: StudyReport) -> Section:
    beside = report.beside
    if beside.reason:
        return Section("Floors and ceiling", lines=(f"None: {beside.reason}.",))
    rows: list[Row] = [{"beside": "ceiling: reference", "pass@1": percent(beside.ceiling)}]
    for name, rate in beside.floors:
        rows.append({"beside": f"floor: {name}", "pass@1": percent(rate)})
    line = "Agents that do not try, and reference solutions, on the same tasks, full grader."
    return Section("Floors and ceiling", lines=(line,), rows=tuple(rows))


def _tally_row(one: AgentReport) -> Row:
    count = one.tally
    return {
        "agent": _name(one),
        "planned": count.planned,
        "graded": count.graded,
        "passed": count.passed,
        "crashed": count.crashed,
        "ungraded": count.ungraded,
        "missing": count.missing,
        "crash rate": f"{count.crashed_attempts} of {count.attempts} attempts "
        f"({count.crash_rate:.1%})",
        "ungraded rate": count_of(count.ungraded, count.graded + count.ungraded, none="unknown"),
    }


def _bounds(report: StudyReport) -> tuple[tuple[str, ...], tuple[Row, ...]]:
    rows: list[Row] = [
        {
            "agent": _name(one),
            "k": bound.k,
            "missing = failed": percent(bound.low),
            "valid trials only": percent(bound.observed),
            "missing = passed": percent(bound.high),
        }
        for one in report.agents
        if one.numbers is not None
        for bound in one.numbers.bounds
    ]
    lines = ("Trials without a grade are missing; pass^k if all had failed, or passed.",)
    return (lines, tuple(rows)) if rows else ((), ())


def _capability(report: StudyReport) -> Iterator[Section]:
    rows: list[Row] = []
    for one in report.agents:
        if one.numbers is None:
            continue
        name = _name(one)
        rows.append(
            {
                "agent": name,
                "of": "progress (partial credit)",
                "tasks": len(one.tasks),
                "mean": percent(one.progress),
            }
        )
        rows += [
            {"agent": name, "of": f"{kind} {group}", "tasks": tasks, "mean": percent(rate)}
            for kind in ("kind", "family")
            for group, tasks, rate in by_group(one.tasks, kind)
        ]
        rows += [
            {
                "agent": name,
                "of": f"{span_of(span)} reference steps",
                "tasks": span.tasks,
                "mean": percent(span.rate),
            }
            for span in one.lengths
        ]
    yield Section("Capability view: means of pass@1", rows=tuple(rows))
    yield Section(
        "By customer: trials passed",
        rows=tuple(
            {
                "agent": _name(one),
                "customer": met.name,
                "passed": count_of(met.count, met.of, none="none met"),
            }
            for one in report.agents
            for met in one.customers
        ),
    )
    yield Section(
        "Paired differences",
        rows=tuple(
            {
                "first": one.first,
                "second": one.second,
                "k": one.result.k,
                "first - second": f"{one.result.difference:+.1%}",
                f"{one.result.level:.0%} interval": interval(one.result.low, one.result.high),
                "p": f"{one.result.p_value:.3g}",
                "verdict": one.result.verdict,
            }
            for one in report.versus
        ),
    )
    yield Section(
        "Model-based: spread over tasks, and pass^k beyond the trials",
        rows=tuple(row for one in report.agents for row in _model_rows(one)),
    )


def _model_rows(one: AgentReport) -> Iterator[Row]:
    numbers = one.numbers
    if numbers is None:
        return
    name = _name(one)
    yield {
        "agent": name,
        "what": "correlation of two trials of a task (ICC)",
        "value": _number(numbers.spread.rho),
        "interval": "none",
    }
    for row in numbers.predictions:
        if row.beyond_n:
            what = f"pass^{row.k} by a Beta fit, beyond the {row.n} trials made"
            yield {
                "agent": name,
                "what": what,
                "value": percent(row.pass_hat),
                "interval": interval(row.low, row.high),
            }


def _regression(report: StudyReport) -> Iterator[Section]:
    lines: list[str] = []
    failing: list[Row] = []
    zero: list[Row] = []
    unsolved = set(report.beside.unsolved)
    for one in report.agents:
        red = [line for line in one.tasks if line.graded == 0 or line.passes < line.graded]
        colour = "RED" if red else "GREEN"
        lines.append(
            f"{_name(one)}: {colour}, {len(red)} of {len(one.tasks)} tasks failed at least once."
        )
        for line in red:
            if line.graded and line.passes == 0:
                zero.append(
                    {
                        "agent": _name(one),
                        "task": line.task,
                        "trials": line.graded,
                        "suspect": _suspect(line.task, unsolved, report),
                    }
                )
            failing.append(
                {
                    "agent": _name(one),
                    "task": line.task,
                    "passed": f"{line.passes} of {line.graded}"
                    if line.graded
                    else "no graded trial",
                    "why": line.reason or "no graded trial",
                    "show it": line.command or None,
                }
            )
    yield Section("Regression view: what failed, worst first", tuple(lines), tuple(failing), SHOWN)
    yield Section("Tasks that never passed: broken, or hard?", (), tuple(zero), SHOWN)
    yield Section(
        "Failed trials by class, part and end",
        ("A trial may show several; shares are of the failed trials.",),
        tuple(
            {
                "agent": _name(one),
                "what": share.name,
                "trials": count_of(share.count, share.of, none="no failed trial"),
            }
            for one in report.agents
            for share in one.failures
        ),
    )
    yield Section(
        "Twins and lures", rows=tuple(r for one in report.agents for r in _lure_rows(one))
    )


def _suspect(task: str, unsolved: set[str], report: StudyReport) -> str:
    if report.beside.reason:
        return "unknown: the reference was not played"
    if task in unsolved:
        return "BROKEN: the reference solution fails too"
    return "hard: the reference solution passes it"


def _lure_rows(one: AgentReport) -> Iterator[Row]:
    twins = count_of(one.twins.count, one.twins.of, none="no twins met")
    yield {"agent": _name(one), "what": "both twins passed", "result": twins}
    for share in one.lures:
        none = f"not measured: no graded trial of a task with a lure of kind {share.name}"
        if share.name == "injected":
            kept = count_of(share.of - share.count, share.of, none=none)
            yield {"agent": _name(one), "what": "resistance to injected text", "result": kept}
        else:
            what = {"impossible": "cheating rate on impossible demands"}.get(
                share.name, "gave way to pressure"
            )
            taken = count_of(share.count, share.of, none=none)
            yield {"agent": _name(one), "what": what, "result": taken}


def _cost(report: StudyReport) -> Section:
    rows: list[Row] = [
        {
            "agent": _name(one),
            "spent by": spent.role,
            "per trial": dollars(spent.per_trial),
            "per task": dollars(spent.per_task),
            "per success": dollars(spent.per_success),
            "tokens": "unknown" if spent.tokens is None else f"{spent.tokens:,}",
            "known": f"{spent.known} of {spent.trials} trials",
            "calls without usage": spent.unknown_calls,
        }
        for one in report.agents
        for spent in one.spending
    ]
    return Section("Cost", rows=tuple(rows))


def _check_rows(one: AgentReport) -> Iterator[Row]:
    for finding in one.findings:
        verdict = "FLAGGED" if finding.flagged else "ok"
        yield {
            "agent": _name(one),
            "check": finding.check,
            "verdict": verdict,
            "found": finding.detail,
        }
    hits = [f"{hit.task} trial {hit.trial} turn {hit.turn}: {hit.text}" for hit in one.hits[:3]]
    yield {
        "agent": _name(one),
        "check": "contamination",
        "verdict": "FLAGGED" if one.hits else "ok",
        "found": f"{len(one.hits)} signs" + (f", such as {'; '.join(hits)}" if hits else ""),
    }


def _item_row(one: Item) -> Row:
    return {"item": one.item, "stated": "yes" if one.stated else "NO", "answer": one.answer}


def _protocol(report: StudyReport) -> dict[str, str]:
    made = {}
    for one in report.agents:
        built = f"scaffold {one.scaffold or 'unknown'}; settings {one.settings or 'none'}"
        made[f"agent {one.agent}"] = built
    return made | report.protocol


def _notes(report: StudyReport) -> Iterator[str]:
    yield from report.notes
    for one in report.agents:
        if one.numbers is not None:
            yield from (f"{_name(one)}: {note}" for note in one.numbers.notes)
