"""The released tasks: one folder a domain, one JSON file a family."""
