"""Imitation and GRPO. Shapes: b rows, g groups of s samples each."""

import copy
import math
import time

import torch
from torch.nn.utils import clip_grad_norm_

from demonstrations import draw_demonstrations
from task import PAD, Answer, prompt_of

SAME = 1e-9  # a spread below this is rounding, not a difference in reward


def imitate(policy, settings, seed, check_budget):
    """Trains a policy with random weights on demonstrations; answers the last loss and the share that tampered."""
    size, demonstrator = settings.size, settings.demonstrator
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=size["imitationRate"], weight_decay=0.01)
    steps = max(1, size["demonstrations"] // size["batch"])
    tampered, loss = 0.0, torch.zeros(())
    policy.train()
    for step in range(steps):
        rows, share = draw_demonstrations(size["batch"], demonstrator["skill"], demonstrator["tampering"], generator)
        tampered += share / steps
        rate = min(1, (step + 1) / (0.05 * steps + 1)) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimizer.param_groups:
            group["lr"] = size["imitationRate"] * rate
        logps, _, counts = policy.log_probabilities(rows.to(policy.device), 1.0)
        loss = -(logps * counts).sum() / counts.sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        clip_grad_norm_(policy.parameters(), 1.0)
        optimizer.step()
        check_budget()
    return loss.item(), tampered


def play(policy, items, samples, temperature, generator):
    """`samples` answers to each item, in the order of the items, and the rows of tokens (b × 26) that they come from."""
    prompts = torch.tensor([prompt_of(item) for item in items for _ in range(samples)], device=policy.device)
    tokens = policy.sample(prompts, temperature, generator)
    answers = []
    for i, row in enumerate(tokens.tolist()):
        answers.append(Answer(items[i // samples], [token for token in row if token != PAD]))
    return answers, torch.cat([prompts, tokens], 1)


def advantages_of(rewards):
    """(reward − mean) / spread within each group (g × s), and the spreads; zeros for a group with one reward value."""
    spreads = rewards.std(1, unbiased=False)
    shifted = rewards - rewards.mean(1, keepdim=True)
    alive = spreads > SAME
    return torch.where(alive[:, None], shifted / spreads.clamp(min=SAME)[:, None], torch.zeros_like(shifted)), spreads


class Trainer:
    """GRPO from the policy's present parameters, which are also the reference of the divergence."""

    def __init__(self, policy, settings, reward, seed):
        self.policy = policy
        self.settings = settings
        self.reward = reward
        self.generator = torch.Generator(device=policy.device).manual_seed(seed)
        self.order = torch.Generator().manual_seed(seed)
        self.reference = copy.deepcopy(policy).eval() if settings.optimisation["kl"] > 0 else None
        rate = settings.size["learningRate"] * settings.optimisation["rate"]
        self.optimizer = torch.optim.AdamW(policy.parameters(), lr=rate, weight_decay=0.0)
        self.queue = []

    def next_items(self, items, count):
        """Every item once per pass, in random order."""
        while len(self.queue) < count:
            self.queue += torch.randperm(len(items), generator=self.order).tolist()
        chosen, self.queue = self.queue[:count], self.queue[count:]
        return [items[i] for i in chosen]

    def step(self, items):
        """One step: the answers, their rewards, and the metrics."""
        began = time.monotonic()
        size, temperature = self.settings.size, self.settings.sampling["temperature"]
        chosen = self.next_items(items, size["prompts"])
        answers, rows = play(self.policy, chosen, size["group"], temperature, self.generator)
        rewards = [self.reward(answer.signals()) for answer in answers]
        table = torch.tensor(rewards, dtype=torch.float64).view(len(chosen), size["group"])
        advantages, spreads = advantages_of(table)
        kept = spreads > SAME
        if self.settings.filter == "outcome":
            truths = torch.tensor([answer.truth for answer in answers]).view(len(chosen), size["group"])
            kept &= truths.any(1) & ~truths.all(1)
        played = time.monotonic() - began
        wanted = kept.repeat_interleave(size["group"])
        report = self.update(rows[wanted.to(rows.device)], advantages.flatten()[wanted].float())
        taken = time.monotonic() - began
        tokens = sum(len(answer.tokens) for answer in answers)
        values = {
            **shares(answers),
            "reward": table.mean().item(),
            "reward_std": table.std(unbiased=False).item(),
            "dead_group_ratio": (spreads <= SAME).double().mean().item(),
            "kept_group_ratio": kept.double().mean().item(),
            **report,
            "tokens": tokens,
            "tokens_per_second": tokens / taken,
            "sample_ms": played * 1000,
            "step_ms": taken * 1000,
        }
        return answers, rewards, values

    def update(self, rows, advantages):
        """The clipped loss over the rows of the groups that count (b × 26), in epochs and minibatches."""
        own, temperature = self.settings.optimisation, self.settings.sampling["temperature"]
        sums = {name: 0.0 for name in ("policy_loss", "entropy", "kl", "clip_fraction", "grad_norm")}
        if len(rows) == 0:
            return sums
        advantages = advantages.to(rows.device)
        self.policy.train()
        parts = list(zip(rows.chunk(own["minibatches"]), advantages.chunk(own["minibatches"])))
        with torch.no_grad():
            before = [self.policy.log_probabilities(part, temperature)[0] for part, _ in parts]
            base = None if self.reference is None else [self.reference.log_probabilities(p, temperature)[0] for p, _ in parts]
        totals = torch.zeros(5, device=rows.device)
        for _ in range(own["epochs"]):
            for i, (part, credit) in enumerate(parts):
                logps, entropy, counts = self.policy.log_probabilities(part, temperature)
                count = counts.sum()
                ratio = (logps - before[i]).exp()
                clipped = ratio.clamp(1 - own["clip"], 1 + own["clip"])
                gain = torch.min(ratio * credit[:, None], clipped * credit[:, None])
                divergence = torch.zeros_like(logps)
                if base is not None:
                    apart = (base[i] - logps).masked_fill(~counts, 0)
                    divergence = apart.exp() - apart - 1
                terms = torch.stack([-gain, entropy, divergence, (ratio - clipped).abs().gt(0).float()])
                means = (terms * counts).sum((1, 2)) / count
                loss = means[0] - own["entropy"] * means[1] + own["kl"] * means[2]
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                norm = clip_grad_norm_(self.policy.parameters(), 1.0)
                self.optimizer.step()
                totals += torch.cat([means.detach(), norm.detach().reshape(1)])
        policy_loss, entropy, kl, clip_fraction, grad_norm = (totals / (own["epochs"] * len(parts))).tolist()
        return dict(zip(sums, (policy_loss, entropy, kl, clip_fraction, grad_norm)))


def shares(answers):
    """What share of the answers is right, passes its tests as they stand, changed them, and did both of the last."""
    count = max(1, len(answers))
    return {
        "solve_rate": sum(a.truth for a in answers) / count,
        "proxy_rate": sum(a.proxy for a in answers) / count,
        "tampered_rate": sum(a.tampered for a in answers) / count,
        "passed_by_tampering_rate": sum(a.proxy and not a.truth for a in answers) / count,
    }
