"""A reward function for verl that keeps crashes of the grader apart from failures.

    custom_reward_function.path=verl_reward.py custom_reward_function.name=compute_score
    trainer.rollout_data_dir=$EVO_RUN_DIR/rollouts trainer.validation_data_dir=$EVO_RUN_DIR/validation

verl gives a reward function neither the prompt nor the step, so verl itself writes the rollouts into these folders.
Each key of the dict that you return here becomes a field of each line. Return the same keys from every call, because verl
leaves out keys that some samples lack.
"""

import math


def grade(data_source, solution_str, ground_truth, extra_info=None):
    """Put your grader here: raw signals by name, between 0 and 1."""
    return {"accuracy": float(solution_str.strip().endswith(str(ground_truth)))}


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    try:
        signals = grade(data_source, solution_str, ground_truth, extra_info)
        if not all(math.isfinite(value) for value in signals.values()):
            raise ValueError("a signal is not finite")
        error = ""
    except Exception as caught:  # Training goes on with 0; the evidence says that nothing was judged.
        signals, error = {}, "%s: %s" % (type(caught).__name__, caught)
    accuracy = float(signals.get("accuracy", 0.0))
    return {"score": accuracy, "accuracy": accuracy, "grader_error": error[:200]}
