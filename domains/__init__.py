"""The companies: one folder a domain; this table is the only list of them.

A domain's folder has `DOMAIN`, a `tau_env.world.company.Domain`. The number is the version of its
environment id: it rises when a change can alter a grade.
"""

VERSIONS = {"retail": 1}
