"""Trains the policy with TRL's GRPOTrainer: the trainer of this project, started by EvoTrainer.

This file runs in any Python, so that one that is too old, or lacks TRL, is told what is missing.
"""

import sys


def missing():
    """What this Python lacks, as one sentence; None when it has all."""
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
    # This folder is among the evaluation files: a run must leave it as it is.
    sys.dont_write_bytecode = True
    problem = missing()
    if problem is not None:
        sys.exit(problem + " trainer.command of evotrainer.yaml says which Python is used.")
    from run import main

    main()
