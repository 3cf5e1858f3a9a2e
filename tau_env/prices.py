"""What tokens cost, from a small table file that the user gives; without one, costs are unknown.

The file is JSON: ``{"model": {"input": 0.15, "output": 0.6, "cached": 0.075}}``, in US dollars per
million tokens. ``cached`` may be left out: input read from a provider's cache then costs what other
input costs.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tau_env.errors import BadArgument

MILLION = 1_000_000
FORM = '{"input": 0.15, "output": 0.6}, US dollars per million tokens'


@dataclass(frozen=True, kw_only=True)
class Prices:
    """US dollars per million tokens of one model.

    Attributes:
        input: tokens sent.
        output: tokens received, those of reasoning included.
        cached: tokens sent that the provider had in its cache; None: as `input`.
    """

    input: float
    output: float
    cached: float | None = None

    def cost(self, *, sent: int, received: int, cached: int = 0) -> float:
        """The price of one call in US dollars.

        Args:
            sent: all tokens sent, those from the cache included.
            received: all tokens received.
            cached: how many of those sent came from the cache.
        """
        known = min(cached, sent)
        rate = self.input if self.cached is None else self.cached
        total = (sent - known) * self.input + known * rate + received * self.output
        return total / MILLION

    def row(self) -> dict[str, float]:
        """As a row of the table file."""
        found = {"input": self.input, "output": self.output}
        return found if self.cached is None else found | {"cached": self.cached}


def prices_of(row: Any, *, model: str) -> Prices:
    """Prices from a row of the table.

    Args:
        row: a mapping with ``input``, ``output`` and perhaps ``cached``.
        model: for the error.

    Raises:
        BadArgument: a name is missing or unknown, or a number is below 0 or none.
    """
    names = set(row) if isinstance(row, Mapping) else set()
    if not {"input", "output"} <= names <= {"input", "output", "cached"}:
        raise BadArgument(f"the price of {model!r} is written {FORM}, not {row!r:.80}")
    for name, value in row.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and math.isfinite(value) and value >= 0):
            raise BadArgument(f"the price of {model!r}, {name}: {value!r:.80} is no number from 0")
    return Prices(**{name: float(value) for name, value in row.items()})


def read_prices(path: str | os.PathLike[str]) -> dict[str, Prices]:
    """The table of a file, by model.

    Raises:
        BadArgument: no such file, no JSON, or a row that is none.
    """
    try:
        table = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadArgument(f"cannot read prices from {path}: {error.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadArgument(f"{path} is no JSON ({error}); write {{model: {FORM}}}") from None
    if not isinstance(table, dict):
        raise BadArgument(f"{path} holds no table; write {{model: {FORM}}}")
    return {model: prices_of(row, model=model) for model, row in table.items()}
