"""The task: put yours here. An item is a line of data/*.jsonl; raw signals say how good a completion is."""

import re

SIGNALS = ("correctness", "format")


def prompt_of(item):
    """The chat that the policy gets."""
    return [
        {"role": "system", "content": "Think briefly, then give the result as `Answer: <number>`."},
        {"role": "user", "content": item["question"]},
    ]


def truth_of(item):
    return str(item["answer"])


def signals_of(completion, truth):
    """Raw signals between 0 and 1, one for each name in SIGNALS, as harness/main.reward.yaml names them."""
    said = re.findall(r"Answer:\s*(-?\d+)", completion)
    return {"correctness": float(said[-1:] == [truth]), "format": float(len(said) == 1)}


def passes(signals):
    return signals["correctness"] == 1
