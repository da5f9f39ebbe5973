"""The task: put some digits into order. Raw signals say how good a completion is, and the reward is made of them."""

import json
import os
import random

OPEN, CLOSE = "<answer>", "</answer>"


def load_items(root, split):
    """The items of a split: dicts with id and digits."""
    path = os.path.join(root, "data", split + ".jsonl")
    with open(path, encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines if line.strip()]
    if not items:
        raise ValueError("data/%s.jsonl has no items." % split)
    return items


def prompt_of(item):
    return "sort " + " ".join(str(digit) for digit in item["digits"]) + " :"


def answer_of(item):
    return " ".join([OPEN, *(str(digit) for digit in sorted(item["digits"])), CLOSE])


def signals_of(completion, digits):
    """Raw signals between 0 and 1 by name, as harness/main.reward.yaml names them."""
    words = completion.split()
    opened = bool(words) and words[0] == OPEN
    closed = bool(words) and words[-1] == CLOSE
    inside = words[1:-1] if opened and closed else words[1:] if opened else []
    wanted = [str(digit) for digit in sorted(digits)]
    right = sum(a == b for a, b in zip(inside, wanted)) / max(len(inside), len(wanted))
    kept = sum(min(inside.count(d), wanted.count(d)) for d in set(wanted)) / len(wanted)
    return {
        "correctness": right if opened and closed else 0.0,
        "format": 1.0 if opened and closed and all(word.isdigit() for word in inside) else 0.0,
        "same_digits": kept,
    }


def passes(signals):
    return signals["correctness"] == 1


def demonstrations(items, count, skill, seed):
    """What a mediocre demonstrator writes: the right order now and then, any order otherwise, and not always the tags."""
    draw = random.Random(seed)
    pairs = []
    for _ in range(count):
        item = draw.choice(items)
        digits = sorted(item["digits"])
        if draw.random() >= skill:
            draw.shuffle(digits)
        words = [str(digit) for digit in digits]
        if draw.random() < 0.9:
            words = [OPEN, *words, CLOSE]
        pairs.append((prompt_of(item), " ".join(words)))
    return pairs
