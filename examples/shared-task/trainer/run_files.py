"""What a run reads from the project, and the policy that it writes if it trained none."""

import importlib.util
import json
import os
import sys

POINTER = "model.json"


def require(package, name):
    """Ends the run if the framework is not installed: started without it, it would complain about one of its modules."""
    if importlib.util.find_spec(package) is None:
        sys.exit(
            "%s is not installed for %s. Install it there, or name a Python that has it in trainer.command of evotrainer.yaml."
            % (name, sys.executable)
        )


def read_settings(path):
    import yaml

    with open(path, encoding="utf-8") as text:
        return yaml.safe_load(text)


def read_items(root, split):
    with open(os.path.join(root, "data", split + ".jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def model_of(folder):
    """The model of a policy folder: the folder itself, or the one that it points to."""
    pointer = os.path.join(folder, POINTER)
    if os.path.isfile(pointer):
        with open(pointer, encoding="utf-8") as text:
            return json.load(text)["model"]
    return folder


def point_to(model, folder):
    """A policy that was not trained points to the model that it started from."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, POINTER), "w", encoding="utf-8") as text:
        json.dump({"model": model}, text)
