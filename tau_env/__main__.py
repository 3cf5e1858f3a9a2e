"""`python -m tau_env` is `tau-env`."""

from tau_env.cli.main import main

main()
