"""The policies, one document a domain: what agents read and graders hold them to."""

if __name__ == "policies":
    raise ImportError("import this package as tau_env.policies; the bare name is only its folder")
