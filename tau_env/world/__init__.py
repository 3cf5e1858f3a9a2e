"""The simulated company: its database, its journal of changes, its tools and its rules."""
