"""The reward function that verl calls: it combines the signals of task.py by harness/main.reward.yaml.

Each key that it returns becomes a field of the lines that verl dumps; run.py turns these lines into evidence. All calls
return the same keys, because verl leaves out keys that some samples lack.
"""

import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True

import yaml  # noqa: E402
from reward_spec import composer  # noqa: E402
from task import SIGNALS, passes, signals_of  # noqa: E402

with open(os.path.join(HERE, "..", "harness", "main.reward.yaml"), encoding="utf-8") as file:
    REWARD = composer(yaml.safe_load(file), SIGNALS)


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    extra = extra_info or {}
    told = {"item": str(extra.get("item", "")), "split": str(extra.get("split", "")), "grader_error": ""}
    try:
        signals = signals_of(solution_str, ground_truth)
        if not all(math.isfinite(signals[name]) for name in SIGNALS):
            raise ValueError("a signal is not finite")
        score, passed = REWARD(signals), float(passes(signals))
    except Exception as error:  # Training goes on with 0; the evidence says that nothing was judged.
        told["grader_error"] = ("%s: %s" % (type(error).__name__, error))[:200]
        signals, score, passed = dict.fromkeys(SIGNALS, 0.0), 0.0, 0.0
    told.update({"signal_" + name: float(signals[name]) for name in SIGNALS})
    return {"score": score, "acc": passed, **told}
