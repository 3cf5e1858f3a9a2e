"""Sections of a report and how they become Markdown; numbers as text, never computed here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Cell = str | int | float | None


@dataclass(frozen=True)
class Section:
    """A part of a report.

    Attributes:
        title: its heading.
        lines: sentences before the table.
        rows: the table; all rows have the same columns.
        shown: rows that a terminal shows; Markdown has all of them. None shows all.
    """

    title: str
    lines: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Cell], ...] = ()
    shown: int | None = None


def percent(value: float | None) -> str:
    """A share with one decimal, or ``unknown``."""
    return "unknown" if value is None or math.isnan(value) else f"{value:.1%}"


def interval(low: float, high: float) -> str:
    """The ends of an interval, or ``none``."""
    return "none" if math.isnan(low) else f"{low:.1%} to {high:.1%}"


def dollars(value: float | None) -> str:
    """An amount, or ``unknown``: never 0 for what was not measured."""
    return "unknown" if value is None else f"${value:.4f}"


def count_of(count: int, of: int, *, none: str) -> str:
    """A count with its share, or why there is none."""
    return f"{count} of {of} ({count / of:.1%})" if of else none


def markdown(title: str, sections: Sequence[Section]) -> str:
    """A whole report as Markdown, tables in the pipe form."""
    parts = [f"# {_escaped(title)}"]
    for section in sections:
        parts.append(f"## {_escaped(section.title)}")
        parts += [_escaped(line) for line in section.lines]
        if section.rows:
            parts.append(_table(section.rows))
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Mapping[str, Cell]]) -> str:
    names = list(rows[0])
    numeric = [all(isinstance(row[name], int | float) for row in rows) for name in names]
    lines = [
        _line(names),
        _line(["---:" if right else "---" for right in numeric]),
        *(_line([_text(row[name]) for name in names]) for row in rows),
    ]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _text(value: Cell) -> str:
    if value is None:
        return "–"
    if isinstance(value, str) and value.startswith("tau-env "):
        return f"`{value}`"
    return _escaped(f"{value:.3f}" if isinstance(value, float) else str(value))


def _escaped(text: str) -> str:
    """Text that Markdown shows as it stands, on one line."""
    flat = " ".join(text.split())
    for mark in "\\`*_<>|[]":
        flat = flat.replace(mark, f"\\{mark}")
    return flat
