"""The simulated customer: scripted, replayed or human; it sees no database and no tool call."""
