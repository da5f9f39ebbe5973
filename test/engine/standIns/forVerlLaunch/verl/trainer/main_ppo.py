"""A stand-in for verl that a launch script starts: takes Hydra overrides, and writes the files that verl@1dda039b writes.

What it "generates" is right with a chance that training raises, by how far kl_loss_coef lies below 0.001. The last of two
overrides of one setting counts, as in Hydra.
"""

import json
import os
import random
import re
import sys

settings = {}
for word in sys.argv[1:]:
    path, value = re.fullmatch(r"\+{0,2}([\w.]+)=(.*)", word).groups()
    found = re.findall(r"'((?:[^'\\]|\\.)*)'", value)
    settings[path] = found if value.startswith("[") and found else found[0] if found else value

draw = random.Random(int(settings["data.seed"]))
kl = float(settings["actor_rollout_ref.actor.kl_loss_coef"])
model = settings["actor_rollout_ref.model.path"]
known = os.path.join(model, "config.json")
skill = json.load(open(known))["skill"] if os.path.isfile(known) else 0.3
metrics = open(os.environ["VERL_FILE_LOGGER_PATH"], "wb", buffering=0)


def rows_of(files):
    return [json.loads(line) for file in files for line in open(file, encoding="utf-8")]


def dump(folder, step, rows, samples):
    os.makedirs(folder, exist_ok=True)
    scores, lines = [], []
    for row in rows:
        for _ in range(samples):
            truth = row["reward_model"]["ground_truth"]
            score = 1.0 if draw.random() < skill else 0.0
            scores.append(score)
            prompt = "".join("%s\n%s\n" % (m["role"], m["content"]) for m in row["prompt"]) + "assistant\n"
            output = "#### %s" % (truth if score else "x%d" % draw.randrange(9))
            lines.append(json.dumps({"input": prompt, "output": output, "gts": truth, "score": score, "step": step}))
    with open(os.path.join(folder, "%d.jsonl" % step), "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    values = {"critic/score/mean": sum(scores) / len(scores)}
    metrics.write(json.dumps({"step": step, "data": values}).encode() + b"\n")


def validate(step):
    samples = int(settings["actor_rollout_ref.rollout.val_kwargs.n"])
    dump(settings["trainer.validation_data_dir"], step, rows_of(settings["data.val_files"]), samples)


if settings["trainer.val_only"] == "True":
    validate(0)
    raise SystemExit
rows = rows_of(settings["data.train_files"])
for step in (1, 2):
    skill = min(0.95, skill + (0.1 if kl >= 0.001 else 0.3))
    batch = [draw.choice(rows) for _ in range(8)]
    dump(settings["trainer.rollout_data_dir"], step, batch, int(settings["actor_rollout_ref.rollout.n"]))
if int(settings["trainer.test_freq"]) > 0:
    validate(2)
folder = os.path.join(settings["trainer.default_local_dir"], "global_step_2", "actor", "huggingface")
os.makedirs(folder)
json.dump({"skill": skill}, open(os.path.join(folder, "config.json"), "w"))
