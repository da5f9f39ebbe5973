"""What the two pipelines of ROLL@8eb27cc2 do with data, reward worker, tracker and checkpoints; nothing is learned."""

import importlib
import json
import os
import random
from datetime import datetime
from types import SimpleNamespace

from roll.distributed.scheduler.protocol import DataProto
from roll.utils.tracking import tracker_registry


def rows_of(files):
    for file in files:
        with open(file, encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines)


class Model:
    def __init__(self, path):
        file = os.path.join(path, "config.json")
        self.skill = 0.3
        if os.path.isfile(file):
            with open(file, encoding="utf-8") as text:
                self.skill = json.load(text)["skill"]


class StandIn:
    def __init__(self, pipeline_config):
        self.settings = pipeline_config.data
        os.environ.update(self.settings["system_envs"])
        self.random = random.Random(self.settings["seed"])
        self.model = Model(self.settings["pretrain"])
        (reward,) = self.settings["rewards"].values()
        module, name = reward["worker_cls"].rsplit(".", 1)
        worker = getattr(importlib.import_module(module), name)
        self.worker = worker(SimpleNamespace(**reward))
        self.worker.initialize(pipeline_config)
        self.tracker = tracker_registry[self.settings["track_with"]](self.settings, **self.settings["tracker_kwargs"])

    def rewarded(self, row, samples, meta_info):
        said = []
        for _ in range(samples):
            number = row["ground_truth"] if self.random.random() < self.model.skill else "7"
            said.append("Answer: " + number if self.random.random() < 0.8 else number)
        data = DataProto(
            batch={"responses": [[ord(character) for character in text] for text in said]},
            non_tensor_batch={name: [value] * samples for name, value in row.items()},
            meta_info=meta_info,
        )
        return self.worker.compute_rewards(data).batch["scores"]


class Training(StandIn):
    def run(self):
        settings = self.settings
        rows = list(rows_of(settings["actor_train"]["data_args"]["file_name"]))
        steps = settings["max_steps"]
        for step in range(steps):
            scores = []
            for row in self.random.sample(rows, settings["rollout_batch_size"]):
                scores += self.rewarded(row, settings["num_return_sequences_in_group"], {"global_step": step})
            self.model.skill = min(0.95, self.model.skill + 0.4 / steps)
            self.tracker.log(values={"critic/score/mean": sum(scores) / len(scores), "actor/entropy@mean": 1.0}, step=step)
        assert settings["save_steps"] > steps
        time = datetime.now().strftime("%Y%m%d-%H%M%S")
        folder = os.path.join(settings["checkpoint_config"]["output_dir"], time, "checkpoint-%d" % (steps - 1), "actor_train")
        os.makedirs(folder)
        with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as out:
            json.dump({"skill": self.model.skill}, out)


class Evaluation(StandIn):
    def run(self):
        validation = self.settings["validation"]
        for row in rows_of(validation["data_args"]["file_name"]):
            self.rewarded(row, validation["generating_args"]["num_return_sequences"], {})
        self.tracker.log(values={"val_correct/all/mean": 0.5}, step=0)
