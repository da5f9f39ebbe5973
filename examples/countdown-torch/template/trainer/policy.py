"""A transformer with a cache of keys and values, for a CPU or a GPU. Shapes: b rows, t places, v tokens."""

import contextlib
import math
import os

import torch
from torch import nn
from torch.nn import functional as F

from task import ANSWER, ANSWER_LENGTH, END, LARGEST, PAD, PROMPT_LENGTH, START, TOKENS

PLACES = PROMPT_LENGTH + ANSWER_LENGTH


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width, bias=False)
        self.mixing = nn.Linear(width, width, bias=False)
        self.between = nn.LayerNorm(width)
        self.wide = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x, mask, cache, start):
        b, t, width = x.shape
        split = self.attention(self.before(x)).view(b, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        query, key, value = split[0], split[1], split[2]
        if cache is not None:
            cache[0][:, :, start : start + t] = key
            cache[1][:, :, start : start + t] = value
            key, value = cache[0][:, :, : start + t], cache[1][:, :, : start + t]
        # By hand: rows are short, and this gives the same numbers in every release of torch from 1.13 on.
        scores = query @ key.transpose(-1, -2) * (width // self.heads) ** -0.5
        if t > 1:
            scores = scores.masked_fill(mask, float("-inf"))
        mixed = (scores.softmax(-1).to(value.dtype) @ value).transpose(1, 2).reshape(b, t, width)
        x = x + self.mixing(mixed)
        return x + self.narrow(F.gelu(self.wide(self.between(x))))


class Policy(nn.Module):
    def __init__(self, width, layers, heads):
        super().__init__()
        self.shape = {"width": width, "layers": layers, "heads": heads}
        self.tokens = nn.Embedding(len(TOKENS), width)
        self.places = nn.Embedding(PLACES, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.head = nn.Linear(width, len(TOKENS), bias=False)
        self.register_buffer("mask", torch.ones(PLACES, PLACES, dtype=torch.bool).triu(1), persistent=False)
        # Tokens that no answer has: as good as impossible, and finite, so that the entropy stays a number.
        never = torch.zeros(len(TOKENS))
        never[[PAD, START, ANSWER]] = -1e4
        self.register_buffer("never", never, persistent=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)
        # Numbers start as points on circles of several lengths, so that near numbers, and equal last digits, look alike.
        turns = torch.arange(LARGEST + 1)[:, None] * 2 * math.pi / torch.tensor([2, 3, 5, 10, 20, 50, 100, 200.0])
        circles = torch.cat([turns.cos(), turns.sin()], 1)
        with torch.no_grad():
            self.tokens.weight[: LARGEST + 1, : circles.shape[1]] += 0.1 * circles[:, :width]
            self.head.weight.copy_(self.tokens.weight)
        for block in self.blocks:
            for layer in (block.mixing, block.narrow):
                nn.init.normal_(layer.weight, std=0.02 / (2 * layers) ** 0.5)

    def forward(self, tokens, cache=None, start=0):
        """Logits (b × t × v) of the tokens that follow."""
        t = tokens.shape[1]
        x = self.tokens(tokens) + self.places.weight[start : start + t]
        for i, block in enumerate(self.blocks):
            x = block(x, self.mask[:t, :t], None if cache is None else cache[i], start)
        return self.head(self.last(x)).float() + self.never

    @property
    def device(self):
        return self.head.weight.device

    def parameters_count(self):
        return sum(p.numel() for p in self.parameters())

    def fast(self):
        """bf16 where the policy is on a GPU that has it, else as it is."""
        if self.device.type == "cuda":
            return torch.autocast("cuda", dtype=torch.bfloat16)
        return contextlib.nullcontext()

    @torch.no_grad()
    def sample(self, prompts, temperature, generator):
        """Answers to prompts (b × 7): rows of tokens (b × 19), PAD after the end."""
        self.eval()
        b = prompts.shape[0]
        width, heads = self.shape["width"], self.shape["heads"]
        kind = torch.bfloat16 if self.device.type == "cuda" else self.head.weight.dtype
        shape = (b, heads, PLACES, width // heads)
        cache = [[torch.zeros(shape, dtype=kind, device=self.device) for _ in range(2)] for _ in self.blocks]
        answers = torch.full((b, ANSWER_LENGTH), PAD, device=self.device)
        over = torch.zeros(b, dtype=torch.bool, device=self.device)
        given, start = prompts, 0
        with self.fast():
            for i in range(ANSWER_LENGTH):
                logits = self(given, cache, start)[:, -1] / temperature
                start += given.shape[1]
                drawn = torch.multinomial(logits.softmax(-1), 1, generator=generator)
                given = drawn.masked_fill(over[:, None], PAD)
                answers[:, i] = given[:, 0]
                over |= given[:, 0] == END
                # Asking costs a wait for the GPU, so not each time.
                if i % 4 == 3 and bool(over.all()):
                    break
        return answers

    def log_probabilities(self, rows, temperature):
        """Log-probability of each answer token (b × 19), the entropy there, and which places count."""
        with self.fast():
            logits = self(rows[:, :-1])[:, PROMPT_LENGTH - 1 :]
        every = (logits / temperature).log_softmax(-1)
        wanted = rows[:, PROMPT_LENGTH:]
        entropy = -(every.exp() * every).sum(-1)
        return every.gather(-1, wanted[..., None])[..., 0], entropy, wanted != PAD


MARK = "countdown-torch-1"


def save_policy(policy, path):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    state = {name: value.cpu() for name, value in policy.state_dict().items()}
    torch.save({"mark": MARK, "shape": policy.shape, "state": state}, path)


def load_policy(path, shape, device):
    """A policy from a file. Raises ValueError if it is none, or has another size."""
    try:
        held = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise ValueError("EVO_POLICY_IN is %s, which cannot be read as a policy: %s" % (path, str(error).split("\n")[0]))
    if not isinstance(held, dict) or held.get("mark") != MARK:
        raise ValueError("EVO_POLICY_IN is %s, which is no policy of this trainer." % path)
    if held["shape"] != shape:
        raise ValueError("EVO_POLICY_IN is a policy of %s, and harness/train.yaml asks for %s." % (held["shape"], shape))
    policy = Policy(**shape)
    policy.load_state_dict(held["state"])
    return policy.to(device)
