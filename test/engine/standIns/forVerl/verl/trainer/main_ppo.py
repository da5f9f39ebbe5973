"""A stand-in for verl: reads its settings, calls the reward function and writes its files as verl@b178a3cd does.

What it "generates" is right with a chance that training raises. It says what it was started with in started.json.
"""

import argparse
import importlib.util
import json
import os
import random

parser = argparse.ArgumentParser()
parser.add_argument("--config-path")
parser.add_argument("--config-name")
args = parser.parse_args()
with open(os.path.join(args.config_path, args.config_name + ".yaml"), encoding="utf-8") as text:
    settings = json.load(text)
assert settings["defaults"] == ["ppo_trainer", "_self_"], settings["defaults"]
data, actor, trainer = settings["data"], settings["actor_rollout_ref"], settings["trainer"]
work = os.path.dirname(trainer["rollout_data_dir"])
with open(os.path.join(work, "started.json"), "w", encoding="utf-8") as out:
    json.dump({"model": actor["model"]["path"], "seed": data["seed"], "val_only": trainer["val_only"]}, out)

spec = importlib.util.spec_from_file_location("custom_module", settings["custom_reward_function"]["path"])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
compute_score = getattr(module, settings["custom_reward_function"]["name"])


def rows_of(files):
    for file in [files] if isinstance(files, str) else files:
        with open(file, encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


def skill_of(path):
    file = os.path.join(path, "config.json")
    if not os.path.isfile(file):
        return 0.3
    with open(file, encoding="utf-8") as text:
        return json.load(text)["skill"]


draw = random.Random(data["seed"])
skill = skill_of(actor["model"]["path"])
metrics = open(os.environ["VERL_FILE_LOGGER_PATH"], "wb", buffering=0)


def dump(folder, step, rows, samples, is_validation):
    os.makedirs(folder, exist_ok=True)
    lines, scores = [], []
    for row in rows:
        for _ in range(samples):
            truth = row["reward_model"]["ground_truth"]
            number = truth if draw.random() < skill else "7"
            output = "So be it. Answer: " + number if draw.random() < 0.8 else number
            told = compute_score(
                data_source=row["data_source"],
                solution_str=output,
                ground_truth=truth,
                extra_info={**row["extra_info"], "num_turns": None, "rollout_reward_scores": {}},
            )
            scores.append(told["score"])
            prompt = "".join("%s\n%s\n" % (m["role"], m["content"]) for m in row["prompt"]) + "assistant\n"
            line = {"input": prompt, "output": output, "gts": truth, "score": told["score"], "step": step}
            if is_validation:
                line["reward"] = told["score"]
            lines.append(json.dumps({**line, **told}, ensure_ascii=False))
    with open(os.path.join(folder, "%d.jsonl" % step), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    return sum(scores) / len(scores)


def log(step, values):
    metrics.write(json.dumps({"step": step, "data": values}).encode() + b"\n")


def validate(step):
    rows = rows_of(data["val_files"])
    mean = dump(trainer["validation_data_dir"], step, rows, actor["rollout"]["val_kwargs"]["n"], True)
    log(step, {"val-core/evotrainer/reward/mean@4": mean})


if trainer["val_only"]:
    assert trainer["val_before_train"]
    validate(0)
    raise SystemExit
rows = list(rows_of(data["train_files"]))
steps = trainer["total_training_steps"]
for step in range(1, steps + 1):
    skill = min(0.95, skill + 0.4 / steps)
    batch = [draw.choice(rows) for _ in range(data["train_batch_size"])]
    mean = dump(trainer["rollout_data_dir"], step, batch, actor["rollout"]["n"], False)
    is_last = step == steps
    if trainer["test_freq"] > 0 and (is_last or step % trainer["test_freq"] == 0):
        validate(step)
    if trainer["save_freq"] > 0 and (is_last or step % trainer["save_freq"] == 0):
        assert actor["actor"]["checkpoint"]["save_contents"] == ["hf_model"]
        model = os.path.join(trainer["default_local_dir"], "global_step_%d" % step, "actor", "huggingface")
        os.makedirs(model)
        with open(os.path.join(model, "config.json"), "w", encoding="utf-8") as out:
            json.dump({"skill": skill}, out)
    log(step, {"critic/score/mean": mean, "actor/entropy": 1.0 / step, "actor/pg_loss": -0.1, "training/global_step": step})
