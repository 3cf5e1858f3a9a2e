"""Agents that ship: the reference and its edits, baselines, a person; and what an agent is."""
