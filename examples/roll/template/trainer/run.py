"""One run of the trainer contract with ROLL's RLVR pipeline: trains, then evaluates with its rollout pipeline.

reward_worker.py and tracker.py write the evidence, inside ROLL.
"""

import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from evidence_writer import EvidenceWriter  # noqa: E402
from run_files import model_of, point_to, read_items, read_settings, require  # noqa: E402
from task import prompt_of, truth_of  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
NEVER = 1_000_000_000
DOMAIN = "evotrainer"


def write_data(root, splits, path):
    """Items in ROLL's format; the reward worker gets the other keys of a row back."""
    with open(path, "w", encoding="utf-8") as out:
        for split in splits:
            for item in read_items(root, split):
                row = {
                    "id": item["id"],
                    "split": split,
                    "tag": DOMAIN,
                    "domain": DOMAIN,
                    "messages": json.dumps(prompt_of(item)),
                    "ground_truth": truth_of(item),
                }
                out.write(json.dumps(row) + "\n")


def at(settings, *names):
    for name in names:
        settings = settings.setdefault(name, {})
    return settings


def complete(settings, run, phase, step):
    """The project's settings, and what the trainer sets itself: data, paths, the seed, the reward worker and the tracker."""
    folder = os.path.join(run["work"], phase)
    paths = [HERE, os.environ.get("PYTHONPATH", "")]
    envs = {name: value for name, value in os.environ.items() if name.startswith("EVO_")}
    envs.update(EVO_PHASE=phase, EVO_STEP=str(step), PYTHONPATH=os.pathsep.join(path for path in paths if path))
    envs["PYTHONDONTWRITEBYTECODE"] = "1"
    evaluation = settings.pop("validation")
    settings.update(
        exp_name=phase,
        seed=run["seed"],
        pretrain=run["model"],
        reward_pretrain=run["model"],
        output_dir=folder,
        logging_dir=os.path.join(folder, "logs"),
        checkpoint_config={"type": "file_system", "output_dir": os.path.join(folder, "checkpoints")},
        resume_from_checkpoint=False,
        # The last step is always saved.
        save_steps=NEVER,
        eval_steps=NEVER,
        track_with="evotrainer",
        tracker_kwargs={},
        system_envs={**settings.get("system_envs", {}), **envs},
        rewards={
            DOMAIN: {
                "worker_cls": "reward_worker.EvidenceRewardWorker",
                "tag_included": [DOMAIN],
                "model_args": {"model_name_or_path": run["model"]},
                "data_args": {"template": settings["actor_infer"]["data_args"]["template"]},
                # One worker counts the samples of a group.
                "world_size": 1,
                "infer_batch_size": 1,
                "system_envs": envs,
            }
        },
    )
    at(settings, "actor_train", "data_args").update(
        file_name=[os.path.join(run["work"], "train.jsonl")], domain_interleave_probs={DOMAIN: 1.0}, messages="messages"
    )
    if phase == "evaluation":
        at(evaluation, "data_args").update(file_name=[os.path.join(run["work"], "evaluation.jsonl")])
        settings["validation"] = evaluation
    return settings


def start(settings, run, phase):
    path = os.path.join(run["work"], phase + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(settings, out, indent=1)
    env = {**os.environ, **settings["system_envs"]}
    code = subprocess.call([sys.executable, os.path.join(HERE, "start.py"), phase, path], env=env)
    if code != 0:
        sys.exit("ROLL's %s ended with %d." % (phase, code))


def trained_model(folder):
    """The model of the last checkpoint: its folder holds a config.json in the Hugging Face format."""
    found = []
    for place, _, files in os.walk(os.path.join(folder, "checkpoints")):
        step = re.search(r"checkpoint-(\d+)", place)
        if step and "config.json" in files:
            found.append((int(step.group(1)), place))
    if not found:
        sys.exit("ROLL left no model in %s; its training strategy has to save one as Hugging Face does." % folder)
    return max(found)[1]


def main():
    require("roll", "ROLL")
    root, run_dir = os.getcwd(), os.environ["EVO_RUN_DIR"]
    splits = [name for name in os.environ.get("EVO_SPLITS", "").split(",") if name]
    evaluated = [split for split in splits if split != "train"]
    settings_file = os.path.join(root, "harness", "roll.yaml")
    settings = read_settings(settings_file)
    given, out = os.environ.get("EVO_POLICY_IN"), os.environ.get("EVO_POLICY_OUT")
    run = {
        "seed": int(os.environ.get("EVO_SEED") or 1),
        "work": os.path.join(run_dir, "roll"),
        "model": model_of(given) if given else settings["pretrain"],
    }
    os.makedirs(run["work"], exist_ok=True)
    write_data(root, ["train"], os.path.join(run["work"], "train.jsonl"))
    step = settings["max_steps"] if "train" in splits else 0
    with EvidenceWriter() as evidence:
        evidence.metrics(0, steps_total=settings["max_steps"])
    if "train" in splits:
        start(complete(settings, run, "training", 0), run, "training")
        run["model"] = trained_model(os.path.join(run["work"], "training"))
        if out:
            shutil.copytree(run["model"], out, dirs_exist_ok=True)
    elif out:
        point_to(run["model"], out)
    if evaluated:
        write_data(root, evaluated, os.path.join(run["work"], "evaluation.jsonl"))
        start(complete(read_settings(settings_file), run, "evaluation", step), run, "evaluation")


if __name__ == "__main__":
    main()
