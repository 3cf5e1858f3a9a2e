"""The page of field reports: every row has a test that names it, or a reason why it has none."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "field-reports.md").read_text(encoding="utf-8")
REPORTS = 142


def page_rows() -> list[tuple[str, str, str]]:
    """Row, what is tried, what shows it."""
    lines = [line for line in PAGE.splitlines() if re.match(r"\| F\d", line)]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]  # type: ignore[misc]


ROWS = page_rows()


@cache
def sources(path: str) -> dict[str, str]:
    """Test -> its source, decorators and docstring included."""
    text = (ROOT / path).read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[node.name] = "\n".join(lines[first - 1 : node.end_lineno])
    return found


def names(row: str, source: str) -> bool:
    """Whether a test names a row: ``F22``, ``test_f22_...`` or a range such as ``F20-F25``."""
    number = int(row[1:])
    if re.search(rf"(?<![a-z0-9])f0*{number}(?!\d)", source, re.IGNORECASE):
        return True
    spans = re.findall(r"\bF(\d+)-F(\d+)\b", source)
    return any(int(first) <= number <= int(last) for first, last in spans)


def test_page_has_every_row_once_and_in_order() -> None:
    assert [row for row, _, _ in ROWS] == [f"F{number + 1:02d}" for number in range(REPORTS)]


@pytest.mark.parametrize(("row", "tried", "shown"), ROWS, ids=[row for row, _, _ in ROWS])
def test_row_is_shown_by_a_test_that_names_it(row: str, tried: str, shown: str) -> None:
    assert tried
    places = re.findall(r"`([^`]+)::(\w+)`", shown)
    if not places:
        assert re.match(r"cannot apply\b.*: \w+ \w+", shown), f"{row} has neither test nor reason"
    for path, test in places:
        assert test in sources(path), f"{row}: {path} has no {test}"
        assert test.startswith("test_"), f"{row}: {test} is no test"
        assert names(row, sources(path)[test]), f"{path}::{test} does not name {row}"
