"""Trains the policy with torch. EvoTrainer starts this file as the project's trainer.

This file runs in any Python 3, so it can say what is missing if the Python is too old or lacks torch.
"""

import sys


def missing():
    """What this Python lacks, as one sentence; None if it lacks nothing."""
    if sys.version_info < (3, 8):
        found = ".".join(str(part) for part in sys.version_info[:3])
        return "The trainer needs Python 3.8 or newer, and this is Python %s (%s)." % (found, sys.executable)
    import importlib.util

    if importlib.util.find_spec("torch") is None:
        return "%s has no torch: run `%s -m pip install torch`." % (sys.executable, sys.executable)
    return None


if __name__ == "__main__":
    # This folder is part of the evaluation files, so a run must not change it.
    sys.dont_write_bytecode = True
    problem = missing()
    if problem is not None:
        sys.exit(problem + " trainer.command of evotrainer.yaml says which Python is used.")
    import warnings

    warnings.filterwarnings("ignore", message=".*NumPy.*")  # torch works without it
    from run import main

    main()
