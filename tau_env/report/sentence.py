"""One sentence about a run that may be put on a slide, or the reason why there is none.

A sentence names the metric in words, the point with its interval, the population, and what it
stands on. There is none where the file has faults, the agent is an insider, or the interval is
unknown.
"""

from __future__ import annotations

import math

from tau_env.errors import BadArgument
from tau_env.report.reliability import Reliability


def sentence(found: Reliability, k: int) -> str:
    """The reliability of a run at one k, in words.

    Args:
        found: the run's numbers.
        k: the repeats to speak of, one of those in ``found.rows``.

    Returns:
        The sentence, or ``No sentence`` and the reason.

    Raises:
        BadArgument: no row of that k.
    """
    row = next((row for row in found.rows if row.k == k), None)
    if row is None:
        known = ", ".join(str(row.k) for row in found.rows)
        raise BadArgument(f"k = {k} was not asked for; there are rows for k = {known}.")
    if found.problems:
        kinds = ", ".join(sorted({problem.kind for problem in found.problems}))
        return (
            f"No sentence: the file has {len(found.problems)} faults ({kinds}); mend or explain "
            "them first."
        )
    if found.insider:
        return "No sentence: the agent is an insider, which had the task in hand."
    if math.isnan(row.low):
        return f"No sentence for pass^{k} ({row.method})."
    who = f"{found.agent} passes" if found.agent else "The agent passes"
    what = "a single trial" if k == 1 else f"all of {k} trials"
    careful = "conservative " if "conservative" in row.method else ""
    trials = f"{found.n}" if found.n == found.planned else f"{found.n} to {found.planned}"
    return (
        f"{who} {what} on {row.pass_hat_k:.0%} of tasks ({careful}{found.level:.0%} interval "
        f"{row.low:.0%} to {row.high:.0%}, {row.population}; unbiased pass^{k} from {trials} "
        f"trials of each of {found.M} tasks)."
    )
