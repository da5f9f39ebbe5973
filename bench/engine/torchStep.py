"""One training step of the swe-gym policy in torch on one thread: reads the batch's sizes as JSON, prints ms and version."""
import json
import statistics
import sys
import time

import torch

torch.set_num_threads(1)
torch.manual_seed(1)
spec = json.load(sys.stdin)
shape, rows = spec["shape"], spec["rows"]
hidden, width = shape["hidden"], shape["pointer"]


def features(count, columns):
    return (torch.rand(count, columns) < 0.12).float()


class Policy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(shape["input"], hidden)
        self.second = torch.nn.Linear(hidden, hidden)
        self.tool = torch.nn.Linear(hidden, 8)
        self.context = torch.nn.ModuleDict({n: torch.nn.Linear(hidden, width) for n in shape["candidates"]})
        self.candidate = torch.nn.ModuleDict(
            {n: torch.nn.Linear(c, width, bias=False) for n, c in shape["candidates"].items()}
        )
        self.score = torch.nn.ModuleDict({n: torch.nn.Linear(width, 1, bias=False) for n in shape["candidates"]})

    def forward(self, x, heads):
        h = torch.relu(self.second(torch.relu(self.first(x))))
        out = [torch.log_softmax(self.tool(h)[:, :6], dim=1)]
        for head in heads:
            n = head["name"]
            context = self.context[n](h.index_select(0, head["states"])).index_select(0, head["owner"])
            z = torch.relu(self.candidate[n](head["features"]) + context)
            s = self.score[n](z).squeeze(1)
            e = torch.exp(s - s.detach().max())
            total = torch.zeros(head["count"]).index_add(0, head["owner"], e)
            out.append(torch.log(e) - torch.log(total).index_select(0, head["owner"]))
        return out


heads = []
for head in spec["heads"]:
    counts = torch.tensor(head["counts"])
    starts = torch.cumsum(counts, 0) - counts
    heads.append(
        {
            "name": head["name"],
            "count": len(head["counts"]),
            "states": torch.tensor(head["states"]),
            "owner": torch.repeat_interleave(torch.arange(len(head["counts"])), counts),
            "features": features(int(counts.sum()), shape["candidates"][head["name"]]),
            "chosen": starts,
            "advantage": torch.where(torch.arange(len(head["counts"])) % 2 == 0, 1.0, -1.0),
        }
    )
x = features(rows, shape["input"])
toolAdvantage = torch.where(torch.arange(rows) % 2 == 0, 1.0, -1.0)
policy = Policy()
adam = torch.optim.Adam(policy.parameters(), lr=1e-3)
with torch.no_grad():
    reference = [r.clone() for r in policy(x, heads)]
tokens = rows + sum(h["count"] for h in heads)


def clipped(logp, old, advantage):
    ratio = torch.exp(logp - old)
    return -torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).sum()


def step():
    adam.zero_grad()
    out = policy(x, heads)
    loss = clipped(out[0][:, 0], reference[0][:, 0], toolAdvantage)
    divergence = sum((torch.exp(a) * (a - b)).sum() for a, b in zip(out, reference))
    for head, logp, old in zip(heads, out[1:], reference[1:]):
        loss = loss + clipped(logp[head["chosen"]], old[head["chosen"]], head["advantage"])
    ((loss + 0.03 * divergence) / tokens).backward()
    torch.nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    adam.step()


for _ in range(3):
    step()
times = []
for _ in range(spec["rounds"]):
    began = time.perf_counter()
    step()
    times.append((time.perf_counter() - began) * 1000)
print(statistics.median(times), torch.__version__)
