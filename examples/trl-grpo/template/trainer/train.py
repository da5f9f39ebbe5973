"""Trains the policy with TRL's GRPOTrainer. EvoTrainer starts this file as the project's trainer.

This file runs in any Python, so it can say what is missing if the Python is too old or lacks TRL.
"""

import sys


def missing():
    """What this Python lacks, as one sentence; None if it lacks nothing."""
    if sys.version_info < (3, 10):
        return "TRL needs Python 3.10 or newer, and this is Python %s (%s)." % (
            ".".join(str(part) for part in sys.version_info[:3]),
            sys.executable,
        )
    lacking = []
    import importlib.util

    for name in ("torch", "transformers", "trl", "datasets", "yaml"):
        if importlib.util.find_spec(name) is None:
            lacking.append(name)
    if lacking:
        return "%s has no %s: run `%s -m pip install trl torch transformers`." % (
            sys.executable,
            ", ".join(lacking),
            sys.executable,
        )
    return None


if __name__ == "__main__":
    # This folder is part of the evaluation files, so a run must not change it.
    sys.dont_write_bytecode = True
    problem = missing()
    if problem is not None:
        sys.exit(problem + " trainer.command of evotrainer.yaml says which Python is used.")
    from run import main

    main()
