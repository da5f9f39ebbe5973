"""One run of the trainer contract: make or load a policy, train it with TRL if asked, save it, evaluate it."""

import os
import random
import sys

import torch
import yaml
from datasets import Dataset
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

from evidence_writer import EvidenceWriter
from policy import imitate, load_policy, new_policy, sample, save_policy
from reward_spec import composer
from task import load_items, passes, prompt_of, signals_of
from trl_evidence import TrlEvidence

SIGNALS = ("correctness", "format", "same_digits")
MAX_TOKENS = 10


def read(root, file):
    with open(os.path.join(root, file), encoding="utf-8") as text:
        value = yaml.safe_load(text)
    if not isinstance(value, dict):
        raise ValueError("%s must hold keys and values." % file)
    return value


def grpo_config(settings, output, seed):
    """harness/grpo.yaml holds keys of TRL's GRPOConfig; the trainer itself sets the paths and the seed."""
    ours = dict(output_dir=output, seed=seed, data_seed=seed, report_to=[], save_strategy="no", logging_steps=1)
    taken = sorted(set(settings) & set(ours))
    if taken:
        raise ValueError("harness/grpo.yaml: %s is set by the trainer; leave it out." % ", ".join(taken))
    known = GRPOConfig.__dataclass_fields__
    for name in settings:
        if name not in known:
            raise ValueError("harness/grpo.yaml: %s is no setting of this release of TRL's GRPOConfig." % name)
    ours.update(max_completion_length=MAX_TOKENS, bf16=False, use_cpu=not torch.cuda.is_available(), disable_tqdm=True)
    return GRPOConfig(**{**ours, **settings})


def train(model, tokenizer, items, config, reward):
    evidence = TrlEvidence(passed=passes, item=lambda row: row["id"])

    def signals(completions, digits, **_):
        return [signals_of(text, wanted) for text, wanted in zip(completions, digits)]

    rows = [{"prompt": prompt_of(item), "id": item["id"], "digits": item["digits"]} for item in items]
    GRPOTrainer(
        model=model,
        args=config,
        processing_class=tokenizer,
        train_dataset=Dataset.from_list(rows),
        reward_funcs=[evidence.composed(signals, reward)],
        callbacks=[evidence],
    ).train()


def evaluate(model, tokenizer, items, split, step, protocol, reward, evidence):
    """Writes `samples` rollouts of each item and returns the share that passes."""
    torch.manual_seed(protocol["seed"])
    device = torch.device("cpu")
    model.to(device)
    passed = 0
    for i in range(protocol["samples"]):
        made = sample(model, tokenizer, [prompt_of(item) for item in items], protocol["temperature"], MAX_TOKENS)
        for item, (text, tokens, ended) in zip(items, made):
            signals = signals_of(text, item["digits"])
            passed += passes(signals)
            evidence.rollout(
                id="%s-%d-%s-%d" % (split, step, item["id"], i),
                split=split,
                step=step,
                item=item["id"],
                group="%s/%d/%s" % (split, step, item["id"]),
                sample=i,
                outcome=passes(signals),
                reward=reward(signals),
                components=signals,
                stop_reason="eos" if ended else "max_tokens",
                turns=[{"role": "user", "text": prompt_of(item)}, {"role": "assistant", "text": text}],
                tokens=tokens,
            )
    return passed / (len(items) * protocol["samples"])


def carry_out():
    root = os.getcwd()
    run_dir = os.environ["EVO_RUN_DIR"]
    seed = int(os.environ.get("EVO_SEED") or 1)
    splits = [name for name in os.environ.get("EVO_SPLITS", "").split(",") if name]
    # Report what is wrong with the harness before training.
    config = grpo_config(read(root, "harness/grpo.yaml"), os.path.join(run_dir, "trl"), seed)
    reward = composer(read(root, "harness/main.reward.yaml"), SIGNALS)
    warmup, protocol = read(root, "harness/warmup.yaml"), read(root, "harness/evaluation.yaml")
    items = {split: load_items(root, split) for split in ("train", *splits)}
    # A tiny model is slower on several threads than on one.
    torch.set_num_threads(1)
    set_seed(seed)
    random.seed(seed)
    evidence = EvidenceWriter()
    start = os.environ.get("EVO_POLICY_IN")
    if start:
        model, tokenizer = load_policy(start)
        evidence.metrics(0, steps_total=config.max_steps)
    else:
        model, tokenizer = new_policy(seed)
        loss = imitate(model, tokenizer, items["train"], warmup, seed)
        evidence.metrics(0, warmup_loss=loss, steps_total=config.max_steps)
    set_seed(seed)
    steps = 0
    if "train" in splits:
        train(model, tokenizer, items["train"], config, reward)
        steps = config.max_steps
    if os.environ.get("EVO_POLICY_OUT"):
        save_policy(model, tokenizer, os.environ["EVO_POLICY_OUT"])
    for split in splits:
        if split == "train":
            continue
        rate = evaluate(model, tokenizer, items[split], split, steps, protocol, reward, evidence)
        print("%s solved %.3f" % (split, rate), flush=True)


def main():
    try:
        carry_out()
    except (OSError, KeyError, ValueError) as error:
        sys.exit("%s: %s" % (type(error).__name__, error))
