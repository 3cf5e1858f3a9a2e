"""Judges of a finished trial: pure functions of (task, transcript, outcome, domain spec).

Each returns a `Grade` with evidence; `full` puts them together. Graders read stored things only,
so any trial can be judged again, and they name no domain: all they know of one is its spec.
"""

if __name__ == "graders":
    raise ImportError("import this package as tau_env.graders; the bare name is only its folder")

from tau_env.graders.path import grade_trajectory
from tau_env.graders.state import grade_state, write_gate

__all__ = ["grade_state", "grade_trajectory", "write_gate"]
