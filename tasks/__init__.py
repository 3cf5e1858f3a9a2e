"""The released tasks: one folder a domain, one JSON file a family."""

if __name__ == "tasks":
    raise ImportError("import this package as tau_env.tasks; the bare name is only its folder")
