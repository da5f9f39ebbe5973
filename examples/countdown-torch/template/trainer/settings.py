"""Reads the settings in harness/. Python brings no YAML, so these files keep to blocks of `key: value` and comments."""

import os

# keys of harness/train.yaml and harness/evaluation.yaml, with the least and the most that each may be
OPTIMISATION = {"rate": (0, 100), "clip": (0, 1), "kl": (0, 10), "entropy": (0, 1), "epochs": (1, 8), "minibatches": (1, 16)}
SAMPLING = {"temperature": (0.05, 10)}
SIZE = {
    "width": (8, 4096),
    "layers": (1, 64),
    "heads": (1, 64),
    "demonstrations": (64, 1e9),
    "batch": (8, 65536),
    "imitationRate": (0, 1),
    "steps": (1, 1e6),
    "prompts": (1, 4096),
    "group": (2, 256),
    "learningRate": (0, 1),
    "every": (1, 1e6),
}
DEMONSTRATOR = {"skill": (0, 1), "tampering": (0, 1)}
EVALUATION = {"samples": (1, 64), "temperature": (0.05, 10), "seed": (0, 2**31)}


class SettingsError(ValueError):
    """A settings file that cannot be used; the message names the file and the key."""


def read_yaml(path):
    """Nested dicts of the numbers and texts in a file. Raises SettingsError with the line."""
    root = {}
    open_blocks = [(-1, root)]
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            text = line.split(" #")[0].rstrip()
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            indent = len(text) - len(text.lstrip(" "))
            key, colon, value = text.strip().partition(":")
            while indent <= open_blocks[-1][0]:
                open_blocks.pop()
            if not colon or key in open_blocks[-1][1] or "\t" in line or value.strip()[:1] in ("[", "{", "|", ">", "&", "*"):
                raise SettingsError("%s, line %d: it must be a new key, a colon and a number or a word." % (path, number))
            if value.strip():
                open_blocks[-1][1][key] = scalar(value.strip())
            else:
                block = {}
                open_blocks[-1][1][key] = block
                open_blocks.append((indent, block))
    return root


def scalar(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text.strip("\"'"))


def checked(values, wanted, where):
    """The numbers of a block, each within its bounds. Raises SettingsError."""
    if not isinstance(values, dict):
        raise SettingsError("%s must have the keys %s." % (where, ", ".join(wanted)))
    for key in values:
        if key not in wanted:
            raise SettingsError("%s.%s is no key here; there are %s." % (where, key, ", ".join(wanted)))
    for key, (least, most) in wanted.items():
        value = values.get(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
            raise SettingsError("%s.%s must be a number from %g to %g, not %s." % (where, key, least, most, value))
    return values


class Settings:
    """All settings of a version: size, optimisation, sampling, demonstrator, evaluation, reward, filter."""

    def __init__(self, root):
        harness = os.path.join(root, "harness")
        train = read_yaml(os.path.join(harness, "train.yaml"))
        sizes = read_yaml(os.path.join(harness, "sizes.yaml"))
        self.size_name = train.get("size")
        if self.size_name not in sizes:
            raise SettingsError("harness/train.yaml: size must be %s, not %s." % (" or ".join(sizes), self.size_name))
        self.size = checked(sizes[self.size_name], SIZE, "harness/sizes.yaml: %s" % self.size_name)
        if self.size["width"] % self.size["heads"]:
            raise SettingsError("harness/sizes.yaml: %s.width must be a multiple of heads." % self.size_name)
        self.optimisation = checked(train.get("optimisation"), OPTIMISATION, "harness/train.yaml: optimisation")
        self.sampling = checked(train.get("sampling"), SAMPLING, "harness/train.yaml: sampling")
        self.demonstrator = checked(train.get("demonstrator"), DEMONSTRATOR, "harness/train.yaml: demonstrator")
        self.evaluation = checked(read_yaml(os.path.join(harness, "evaluation.yaml")), EVALUATION, "harness/evaluation.yaml")
        reward = read_yaml(os.path.join(harness, "main.reward.yaml"))
        self.components = reward.get("components") or {}
        self.filter = (reward.get("filter") or {}).get("kind", "none")
        if self.filter not in ("none", "outcome"):
            raise SettingsError("harness/main.reward.yaml: filter.kind must be none or outcome here, not %s." % self.filter)

    @property
    def shape(self):
        return {name: self.size[name] for name in ("width", "layers", "heads")}
