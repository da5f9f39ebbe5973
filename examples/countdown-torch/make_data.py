"""Makes the files of template/data anew, the same each time: python3 make_data.py."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "template", "trainer"))

import torch  # noqa: E402

from demonstrations import draw_problems  # noqa: E402

COUNTS = {"train": 2000, "selection": 200, "audit": 200}

if __name__ == "__main__":
    for seed, (split, count) in enumerate(COUNTS.items(), 1):
        numbers, sizes, targets, _ = draw_problems(20 * count, split, torch.Generator().manual_seed(seed))
        seen, lines = set(), []
        for row, size, target in zip(numbers.tolist(), sizes.tolist(), targets.tolist()):
            content = (tuple(sorted(row[:size])), target)
            if content in seen or len(lines) == count:
                continue
            seen.add(content)
            item = {"id": "%s-%04d" % (split, len(lines) + 1), "numbers": row[:size], "target": target}
            lines.append(json.dumps(item, separators=(",", ":")))
        with open(os.path.join(HERE, "template", "data", split + ".jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
