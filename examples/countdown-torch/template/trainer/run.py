"""One run of the trainer contract: make or load a policy, train it if asked, save it, evaluate it."""

import os
import sys
import time
import warnings
from datetime import datetime, timezone

import torch

from evidence_writer import EvidenceWriter
from learning import Trainer, imitate, play, shares
from policy import Policy, load_policy, save_policy
from reward_spec import composer
from settings import Settings, SettingsError
from task import SIGNALS, load_items

SPLITS = ("train", "selection", "audit")


class BudgetExceeded(Exception):
    """The run took longer than EVO_BUDGET_SECONDS."""


def choose_device():
    """The device that EVO_DEVICE names, or the first GPU, or the CPU."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # before CUDA starts: the same seed, the same policy
    name = os.environ.get("EVO_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        raise ValueError("torch %s cannot use %s: %s; name another device in EVO_DEVICE." % (torch.__version__, name, reason))
    if device.type == "cpu":
        torch.set_num_threads(int(os.environ.get("EVO_THREADS") or 1))
    else:
        warnings.filterwarnings("ignore", message=".*deterministic.*")
        torch.use_deterministic_algorithms(True, warn_only=True)
        if hasattr(torch.utils, "deterministic"):  # nothing here reads memory that was not written
            torch.utils.deterministic.fill_uninitialized_memory = False
    return device


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_rollouts(evidence, answers, rewards, samples, split, step, started_at, seconds):
    """Writes the answers to some items, `samples` to each."""
    for i, (answer, reward) in enumerate(zip(answers, rewards)):
        group = "%s-%d-%s" % (split, step, answer.item["id"])
        evidence.rollout(
            id="%s-%d" % (group, i % samples),
            split=split,
            step=step,
            item=answer.item["id"],
            group=group,
            sample=i % samples,
            outcome=answer.truth,
            reward=reward,
            components=answer.signals(),
            stop_reason="submitted" if answer.ended else "max_tokens",
            turns=answer.turns(),
            tokens=len(answer.tokens),
            policy="%s/step-%d" % (evidence.run, max(0, step - 1) if split == "train" else step),
            started_at=started_at,
            duration_ms=seconds * 1000 / max(1, len(answers)),
            extra={"value": answer.value, "target": answer.item["target"], "numbers": len(answer.item["numbers"])},
        )


def evaluate(policy, settings, items, split, step, reward, evidence):
    """
    Writes `samples` rollouts of each item, and answers what shares of them did what. The draws depend on the protocol alone,
    so that two versions are compared under the same ones.
    """
    protocol = settings.evaluation
    generator = torch.Generator(device=policy.device).manual_seed(protocol["seed"])
    began, started_at = time.monotonic(), now()
    answers, _ = play(policy, items, protocol["samples"], protocol["temperature"], generator)
    rewards = [reward(answer.signals()) for answer in answers]
    write_rollouts(evidence, answers, rewards, protocol["samples"], split, step, started_at, time.monotonic() - began)
    return shares(answers)


def peak_memory(device):
    """MB of the GPU's memory at their most; None on a CPU."""
    return torch.cuda.max_memory_allocated(device) / 2**20 if device.type == "cuda" else None


def carry_out():
    began = time.monotonic()
    budget = float(os.environ.get("EVO_BUDGET_SECONDS") or "inf")
    splits = [name.strip() for name in os.environ["EVO_SPLITS"].split(",")]
    for name in splits:
        if name not in SPLITS:
            raise ValueError("EVO_SPLITS names %s; use train, selection and audit." % name)
    seed = int(os.environ.get("EVO_SEED") or "1")
    root = os.getcwd()
    settings = Settings(root)
    reward = composer({"components": settings.components}, SIGNALS)
    items = {split: load_items(root, split) for split in splits}
    device = choose_device()
    evidence = EvidenceWriter()

    def check_budget():
        if time.monotonic() - began > budget:
            raise BudgetExceeded("The run took more than its budget of %g s." % budget)

    steps = settings.size["steps"]
    torch.manual_seed(seed)
    start = os.environ.get("EVO_POLICY_IN")
    if start:
        policy = load_policy(start, settings.shape, device)
        evidence.metrics(0, steps_total=steps, parameters=policy.parameters_count())
    else:
        policy = Policy(**settings.shape).to(device)
        loss, tampered = imitate(policy, settings, seed, check_budget)
        evidence.metrics(
            0,
            warmup_loss=loss,
            tampered_demonstrations=tampered,
            step_ms=(time.monotonic() - began) * 1000,
            steps_total=steps,
            parameters=policy.parameters_count(),
            peak_memory_mb=peak_memory(device),
        )
        print("imitated %d demonstrations, loss %.3f, on %s" % (settings.size["demonstrations"], loss, device), flush=True)
    if "train" in splits:
        train(policy, settings, items["train"], reward, seed, evidence, check_budget)
    if os.environ.get("EVO_POLICY_OUT"):
        save_policy(policy, os.environ["EVO_POLICY_OUT"])
    step = steps if "train" in splits else 0
    for split in splits:
        if split == "train":
            continue
        found = evaluate(policy, settings, items[split], split, step, reward, evidence)
        evidence.metrics(step, **{"%s_%s" % (split, name): value for name, value in found.items()})
        print("%s solved %.3f, tests pass %.3f" % (split, found["solve_rate"], found["proxy_rate"]), flush=True)
        check_budget()


def train(policy, settings, items, reward, seed, evidence, check_budget):
    """The steps of GRPO with their metrics, and rollouts of the first step and of every so many."""
    trainer = Trainer(policy, settings, reward, seed)
    size = settings.size
    for step in range(1, size["steps"] + 1):
        started_at = now()
        answers, rewards, values = trainer.step(items)
        if step == 1 or step % size["every"] == 0:
            write_rollouts(evidence, answers, rewards, size["group"], "train", step, started_at, values["sample_ms"] / 1000)
        evidence.metrics(step, steps_total=size["steps"], peak_memory_mb=peak_memory(policy.device), **values)
        if step % 10 == 0 or step == size["steps"]:
            told = (step, size["steps"], values["reward"], values["proxy_rate"], values["solve_rate"], values["tampered_rate"])
            print("step %d/%d reward %.3f tests pass %.3f solved %.3f tampered %.3f" % told, flush=True)
        check_budget()


def main():
    try:
        carry_out()
    except BudgetExceeded as error:
        print(error, file=sys.stderr)
        sys.exit(124)
    except SettingsError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except KeyError as error:
        sys.exit("%s is not set; EvoTrainer sets it (docs/trainer.md)." % error.args[0])
    except (OSError, ValueError) as error:
        sys.exit("%s" % error)
