"""One run of the trainer contract with verl: it takes verl's settings from the harness, and turns verl's dumps into evidence while verl writes them."""

import json
import os
import shutil
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

from evidence_writer import EvidenceWriter  # noqa: E402
from run_files import model_of, point_to, read_items, read_settings, require  # noqa: E402
from task import SIGNALS, prompt_of, truth_of  # noqa: E402

NEVER = 1_000_000_000


def write_data(root, split, items, path):
    """Items in verl's format. The reward function gets `extra_info` back."""
    with open(path, "w", encoding="utf-8") as out:
        for i, item in enumerate(items):
            row = {
                "data_source": "evotrainer",
                "prompt": prompt_of(item),
                "reward_model": {"style": "rule", "ground_truth": truth_of(item)},
                "extra_info": {"index": i, "item": item["id"], "split": split},
            }
            out.write(json.dumps(row) + "\n")


def at(settings, path):
    """The dict at a dotted path, made where it is missing."""
    for name in path.split("."):
        settings = settings.setdefault(name, {})
    return settings


def complete(settings, run):
    """The project's settings, and what the trainer sets itself: data, paths, the seed, when to evaluate and save."""
    model = at(settings, "actor_rollout_ref.model")
    if run["policy_in"]:
        model["path"] = model_of(run["policy_in"])
    at(settings, "data").update(train_files=run["train"], val_files=run["evaluate"], seed=run["seed"])
    at(settings, "actor_rollout_ref.actor").update(data_loader_seed=run["seed"])
    at(settings, "actor_rollout_ref.actor.checkpoint").update(save_contents=["hf_model"])
    at(settings, "custom_reward_function").update(path=run["reward"], name="compute_score")
    at(settings, "trainer").update(
        rollout_data_dir=os.path.join(run["work"], "rollouts"),
        validation_data_dir=os.path.join(run["work"], "validation"),
        default_local_dir=os.path.join(run["work"], "checkpoints"),
        logger=["console", "file"],
        project_name="evotrainer",
        experiment_name=run["name"],
        resume_mode="disable",
        # verl always evaluates and saves the last step; if it does not train, it evaluates at once.
        test_freq=NEVER if run["evaluates"] else -1,
        save_freq=NEVER if run["trains"] else -1,
        val_before_train=not run["trains"],
        val_only=not run["trains"],
    )
    return {"hydra": {"searchpath": ["pkg://verl.trainer.config"]}, "defaults": ["ppo_trainer", "_self_"], **settings}


class Dumps:
    """Follows the files that verl writes: reads each line once, as soon as it is complete."""

    def __init__(self, work, items, evidence):
        self._work, self._items, self._evidence = work, items, evidence
        self._offsets, self._samples = {}, {}

    def take(self):
        for folder in ("rollouts", "validation"):
            place = os.path.join(self._work, folder)
            steps = os.listdir(place) if os.path.isdir(place) else []
            for name in sorted((n for n in steps if n.endswith(".jsonl")), key=lambda n: int(n[:-6])):
                for line in self._lines(os.path.join(place, name)):
                    self._rollout(json.loads(line))
        for line in self._lines(os.path.join(self._work, "metrics.jsonl")):
            told = json.loads(line)
            numbers = {name: value for name, value in told["data"].items() if isinstance(value, (int, float))}
            self._evidence.metrics(told["step"], **numbers)

    def _lines(self, path):
        if not os.path.isfile(path):
            return []
        with open(path, "rb") as file:
            file.seek(self._offsets.get(path, 0))
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offsets[path] = self._offsets.get(path, 0) + len(whole)
        return whole.splitlines()

    def _rollout(self, told):
        split, item, step = told["split"], told["item"], told["step"]
        group = "%s/%d/%s" % (split, step, item)
        sample = self._samples[group] = self._samples.get(group, -1) + 1
        error = told["grader_error"]
        prompt = [{"role": m["role"], "text": m["content"]} for m in prompt_of(self._items[item])]
        self._evidence.rollout(
            id="%s-%d" % (group, sample),
            split=split,
            step=step,
            item=item,
            group=group,
            sample=sample,
            outcome=None if error else told["acc"] == 1,
            unknown_reason=error or None,
            reward=None if error else told["score"],
            components={} if error else {name: told["signal_" + name] for name in SIGNALS},
            turns=[*prompt, {"role": "assistant", "text": told["output"]}],
        )


def save_policy(run, base):
    """verl saves the model of its last step in the Hugging Face format; for a policy that was not trained, this writes a pointer to it."""
    out = run["policy_out"]
    if not out:
        return
    checkpoints = os.path.join(run["work"], "checkpoints")
    steps = [n for n in (os.listdir(checkpoints) if os.path.isdir(checkpoints) else []) if n.startswith("global_step_")]
    if not run["trains"]:
        return point_to(base, out)
    if not steps:
        sys.exit("verl left no checkpoint in %s." % checkpoints)
    last = max(steps, key=lambda name: int(name.rsplit("_", 1)[1]))
    shutil.copytree(os.path.join(checkpoints, last, "actor", "huggingface"), out, dirs_exist_ok=True)


def main():
    require("verl", "verl")
    root, run_dir = os.getcwd(), os.environ["EVO_RUN_DIR"]
    splits = [name for name in os.environ.get("EVO_SPLITS", "").split(",") if name]
    work = os.path.join(run_dir, "verl")
    os.makedirs(work, exist_ok=True)
    evaluated = [split for split in splits if split != "train"]
    items = {}
    for split in ("train", *evaluated):
        found = read_items(root, split)
        items.update((item["id"], item) for item in found)
        write_data(root, split, found, os.path.join(work, split + ".json"))
    run = {
        "name": os.environ.get("EVO_RUN_ID", "run"),
        "seed": int(os.environ.get("EVO_SEED") or 1),
        "work": work,
        "train": os.path.join(work, "train.json"),
        # verl always wants validation files.
        "evaluate": [os.path.join(work, split + ".json") for split in evaluated or ["train"]],
        "reward": os.path.join(os.path.dirname(os.path.abspath(__file__)), "reward_function.py"),
        "trains": "train" in splits,
        "evaluates": bool(evaluated),
        "policy_in": os.environ.get("EVO_POLICY_IN"),
        "policy_out": os.environ.get("EVO_POLICY_OUT"),
    }
    settings = complete(read_settings(os.path.join(root, "harness", "verl.yaml")), run)
    with open(os.path.join(work, "settings.yaml"), "w", encoding="utf-8") as out:
        json.dump(settings, out, indent=1)  # JSON is YAML
    command = ["-m", "verl.trainer.main_ppo", "--config-path", work, "--config-name", "settings"]
    env = {**os.environ, "VERL_FILE_LOGGER_PATH": os.path.join(work, "metrics.jsonl"), "PYTHONDONTWRITEBYTECODE": "1"}
    with EvidenceWriter() as evidence:
        dumps = Dumps(work, items, evidence)
        evidence.metrics(0, steps_total=settings["trainer"]["total_training_steps"])
        verl = subprocess.Popen([sys.executable, *command], env=env)
        ended = threading.Event()
        watcher = threading.Thread(target=lambda: (verl.wait(), ended.set()), daemon=True)
        watcher.start()
        while not ended.wait(1):
            dumps.take()
        dumps.take()
    if verl.returncode != 0:
        sys.exit("verl ended with %d." % verl.returncode)
    save_policy(run, at(settings, "actor_rollout_ref.model")["path"])


if __name__ == "__main__":
    main()
