"""Many trials: grids of agents, tasks and attempts, their records, floors and ceiling."""
