"""The companies: one folder a domain; this table is the only list of them.

A domain's folder has `DOMAIN`, a `tau_env.world.company.Domain`. The number is the version of its
environment id: it rises when a change can alter a grade.
"""

if __name__ == "domains":
    raise ImportError("import this package as tau_env.domains; the bare name is only its folder")

VERSIONS = {"retail": 1, "airline": 1}
