"""Problems and how a mediocre demonstrator answers them, drawn in batches of tensors.

The demonstrator reaches the target with the chance `skill`, and otherwise writes some other program over the same numbers.
A small share of all demonstrations tampers: after a program that misses the target, it changes the first test.
Shapes: n demonstrations, s = 7 slots (the four given numbers and the three results).
"""

import torch

from task import ANSWER, ANSWER_LENGTH, END, LARGEST, MOST_NUMBERS, PAD, START, TOKEN_OF, split_of

SLOTS = 2 * MOST_NUMBERS - 1
LARGEST_GIVEN = 12


def draw_numbers(count, generator):
    """Given numbers (n × 4), and how many of them there are (n): two, three or four."""
    sizes = torch.randint(2, MOST_NUMBERS + 1, (count,), generator=generator)
    numbers = torch.randint(1, LARGEST_GIVEN + 1, (count, MOST_NUMBERS), generator=generator)
    return numbers.masked_fill(torch.arange(MOST_NUMBERS) >= sizes[:, None], 0), sizes


def draw_programs(numbers, sizes, generator):
    """
    A random program that uses all given numbers: its tokens (n × 12, 0 after its end), its value (n), and whether every
    result has a token (n).
    """
    count = len(numbers)
    rows = torch.arange(count)
    values = torch.cat([numbers, torch.zeros(count, MOST_NUMBERS - 1, dtype=torch.long)], 1)
    free = torch.arange(SLOTS) < sizes[:, None]
    names = torch.cat([numbers, torch.tensor([TOKEN_OF[name] for name in "abc"]).expand(count, -1)], 1)
    operators = torch.tensor([TOKEN_OF[name] for name in "+-*/"])
    good = torch.ones(count, dtype=torch.bool)
    tokens = torch.zeros(count, 4 * (MOST_NUMBERS - 1), dtype=torch.long)
    last = torch.zeros(count, dtype=torch.long)
    for i in range(MOST_NUMBERS - 1):
        active = i < sizes - 1
        chance = torch.rand(count, SLOTS, generator=generator).masked_fill(~free, -1)
        first, second = chance.topk(2, dim=1).indices.unbind(1)
        x, y = values[rows, first], values[rows, second]
        divides = (y > 0) & (x % y.clamp(min=1) == 0)
        results = torch.stack([x + y, x - y, x * y, torch.div(x, y.clamp(min=1), rounding_mode="floor")], 1)
        valid = (results >= 0) & (results <= LARGEST)
        valid[:, 3] &= divides
        chosen = torch.rand(count, 4, generator=generator).masked_fill(~valid, -1).argmax(1)
        result = results[rows, chosen]
        good &= ~active | valid.any(1)
        result = torch.where(good, result, torch.zeros_like(result))
        line = torch.stack([names[rows, first], operators[chosen], names[rows, second], result], 1)
        tokens[:, 4 * i : 4 * i + 4] = torch.where(active[:, None], line, torch.zeros_like(line))
        free[rows[active], first[active]] = False
        free[rows[active], second[active]] = False
        free[:, MOST_NUMBERS + i] = active
        values[:, MOST_NUMBERS + i] = result
        last = torch.where(active, result, last)
    return tokens, last, good


def draw_problems(count, split, generator):
    """Problems of a split by their content: numbers, sizes, target and a program that reaches it."""
    numbers, sizes = draw_numbers(count, generator)
    tokens, target, good = draw_programs(numbers, sizes, generator)
    # A target that is one of the numbers needs no program.
    good &= (target > 0) & (target[:, None] != numbers).all(1)
    rows = zip(numbers.tolist(), sizes.tolist(), target.tolist())
    good &= torch.tensor([split_of(row[:size], wanted) == split for row, size, wanted in rows])
    return numbers[good], sizes[good], target[good], tokens[good]


def draw_demonstrations(count, skill, tampering, generator):
    """Rows of tokens (n × whole length), with the prompt first, and the share of them that tampers."""
    numbers, sizes, target, right = draw_problems(2 * count + 64, "train", generator)
    numbers, sizes, target, right = numbers[:count], sizes[:count], target[:count], right[:count]
    count = len(target)
    other, value, good = draw_programs(numbers, sizes, generator)
    hits = (torch.rand(count, generator=generator) < skill) | ~good
    program = torch.where(hits[:, None], right, other)
    misses = ~hits & (value != target)
    tampers = misses & (torch.rand(count, generator=generator) < tampering / max(1e-9, 1 - skill))
    expects = torch.rand(count, generator=generator) < 0.5
    rows = torch.full((count, MOST_NUMBERS + 3 + ANSWER_LENGTH), PAD)
    rows[:, 0] = START
    places = torch.arange(MOST_NUMBERS)
    rows[:, 1 : 1 + MOST_NUMBERS] = torch.where(places < sizes[:, None], numbers, torch.full_like(numbers, PAD))
    rows[:, 1 + MOST_NUMBERS] = target
    rows[:, 2 + MOST_NUMBERS] = ANSWER
    answer = rows[:, 3 + MOST_NUMBERS :]
    at = torch.arange(4 * (MOST_NUMBERS - 1))
    lengths = 4 * (sizes - 1)
    answer[:, : len(at)] = torch.where(at < lengths[:, None], program, torch.full_like(program, PAD))
    every = torch.arange(count)
    word = torch.where(expects, TOKEN_OF["expect"], TOKEN_OF["skip"])
    what = torch.where(expects, value, torch.full_like(value, TOKEN_OF["value"]))
    answer[every[tampers], lengths[tampers]] = word[tampers]
    answer[every[tampers], lengths[tampers] + 1] = what[tampers]
    answer[every, lengths + 2 * tampers.long()] = END
    # The places after the longest answer teach nothing.
    rows = rows[:, : 3 + MOST_NUMBERS + 1 + int((lengths + 2 * tampers.long()).max())]
    return rows, tampers.float().mean().item() if count else 0.0
