"""Runs a launch script of verl as one run of EvoTrainer, and turns what verl dumps into evidence while verl writes it.

python3 trainer/verl_launch.py run_grpo.sh --pass-score 1

The script is started as it is, with settings after its own: the data, where to dump, the seed, the policy to start from,
when to evaluate and save. So its command has to end with "$@". Every other setting is the script's.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

from evidence_writer import EvidenceWriter  # noqa: E402

NEVER = 1_000_000_000
POINTER = "model.json"
NOT_NUMBERS = ("input", "output", "gts", "step", "request_id")


def read_items(split):
    with open(os.path.join("data", split + ".jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def write_data(split, items, path):
    """The rows as verl reads them: JSON lines with verl's columns."""
    with open(path, "w", encoding="utf-8") as out:
        for item in items:
            out.write(json.dumps({key: value for key, value in item.items() if key != "id"}) + "\n")


def plain(text):
    return " ".join(str(text).split())


class Items:
    """Finds the item of a prompt: verl dumps the text of the prompt, without its id."""

    def __init__(self, items_of_splits):
        self._items, self._found = [], {}
        for split, items in items_of_splits.items():
            for item in items:
                messages = item.get("prompt") or []
                texts = [messages] if isinstance(messages, str) else [m["content"] for m in messages]
                truth = (item.get("reward_model") or {}).get("ground_truth")
                self._items.append((split, item["id"], [plain(text) for text in texts], truth))

    def of(self, prompt, truth):
        """Split and id of the item whose messages all stand in the prompt, the longest first; None without one."""
        key = (prompt, str(truth))
        if key not in self._found:
            text = plain(prompt)
            fits = [one for one in self._items if all(part in text for part in one[2])]
            same = [one for one in fits if truth is not None and str(one[3]) == str(truth)] or fits
            best = max(same, key=lambda one: sum(map(len, one[2])), default=None)
            self._found[key] = None if best is None else best[:2]
        return self._found[key]


def roles_of(text):
    """The chat template without its special tokens leaves the role alone on a line."""
    turns = []
    for line in text.split("\n"):
        if re.fullmatch("system|user|assistant|tool", line):
            turns.append([line, []])
        elif not turns:
            turns.append(["user", [line]])
        else:
            turns[-1][1].append(line)
    return [{"role": role, "text": "\n".join(lines).rstrip("\n")} for role, lines in turns]


def calls_in(text):
    for body in re.findall(r"<tool_call>([\s\S]*?)</tool_call>", text):
        try:
            call = json.loads(body)
            args = call.get("arguments")
            if isinstance(args, str):
                args = json.loads(args)
            known = {"args": args} if isinstance(args, dict) else {}
            yield {"tool": call.get("name") or "unreadable", **known}
        except (ValueError, AttributeError):
            yield {"tool": "unreadable", "args": {"input": body.strip()}, "ok": False}


def answered(output):
    """The turns of a completion: only an answer to a call opens one; any other name of a role was written by the policy."""
    turns = [["assistant", []]]
    lines = output.split("\n")
    for i, line in enumerate(lines):
        role, said = turns[-1]
        last = next((one.strip() for one in reversed(said) if one.strip()), "")
        if opens_turn(line, "".join(lines[i + 1 : i + 2]), last, role):
            turns.append([line, []])
        else:
            said.append(line)
    return [{"role": role, "text": "\n".join(said).rstrip("\n")} for role, said in turns]


def opens_turn(line, following, last, speaker):
    """Whether a line is the template's; `last` is the last line with words that the speaker has so far."""
    if speaker == "assistant":
        is_answer = line == "tool" or (line == "user" and following.startswith("<tool_response>"))
        return is_answer and last.endswith("</tool_call>")
    if speaker == "user":
        return line == "assistant" and last.endswith("</tool_response>")
    return line in ("assistant", "tool")


def turns_of(prompt, output):
    """As `evotrainer import` cuts them, so that imported runs and trained versions are labelled alike."""
    turns = roles_of(prompt)
    if turns[-1]["role"] == "assistant" and not turns[-1]["text"].strip():
        turns = turns[:-1]
    if "<tool_call>" not in output:
        return [*turns, {"role": "assistant", "text": output}]
    for turn in answered(output):
        if turn["role"] == "assistant":
            calls = list(calls_in(turn["text"]))
            turns += [{"role": "assistant", "text": turn["text"] if i == 0 else "", **c} for i, c in enumerate(calls or [{}])]
            continue
        answers = re.findall(r"<tool_response>\n?([\s\S]*?)(?:\n?</tool_response>|$)", turn["text"])
        turns += [{"role": "tool", "text": text} for text in answers] or [turn]
    return turns


def outcome_of(told, passes_at):
    """What the reward function says itself, in acc or correct; otherwise whether the score reaches --pass-score."""
    for name in ("acc", "correct"):
        if told.get(name) in (0, 1):
            return bool(told[name]), None
    if not isinstance(told.get("score"), (int, float)):
        return None, "the reward function gave no score"
    if passes_at is None:
        return None, "verl writes a score, and no --pass-score says from which score on a rollout is solved"
    return told["score"] >= passes_at, None


class Dumps:
    """Follows the files that verl writes: reads each line once, as soon as it is complete."""

    def __init__(self, work, items, evidence, passes_at):
        self._work, self._items, self._evidence, self._passes_at = work, items, evidence, passes_at
        self._offsets, self._samples = {}, {}
        self.unknown = []

    def take(self):
        for folder in ("rollouts", "validation"):
            place = os.path.join(self._work, folder)
            names = os.listdir(place) if os.path.isdir(place) else []
            for name in sorted((n for n in names if re.fullmatch(r"\d+\.jsonl", n)), key=lambda n: int(n[:-6])):
                for line in self._lines(os.path.join(place, name)):
                    self._rollout(json.loads(line), "train" if folder == "rollouts" else None)
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

    def _rollout(self, told, split):
        found = self._items.of(told["input"], told.get("gts"))
        if found is None or (split or found[0]) != found[0]:
            self.unknown.append(told["input"])
            return
        split, item = found
        group = "%s/%d/%s" % (split, told["step"], item)
        sample = self._samples[group] = self._samples.get(group, -1) + 1
        outcome, why = outcome_of(told, self._passes_at)
        numbers = {k: v for k, v in told.items() if k not in NOT_NUMBERS and isinstance(v, (bool, int, float))}
        self._evidence.rollout(
            id="%s-%d" % (group, sample),
            split=split,
            step=told["step"],
            item=item,
            group=group,
            sample=sample,
            outcome=outcome,
            unknown_reason=why,
            reward=told.get("score"),
            components={name: float(value) for name, value in numbers.items()},
            turns=turns_of(told["input"], told["output"]),
        )


def hydra(value):
    if isinstance(value, list):
        return "[%s]" % ",".join(hydra(one) for one in value)
    if isinstance(value, bool):
        return str(value)
    return "'%s'" % value.replace("\\", "\\\\").replace("'", "\\'") if isinstance(value, str) else str(value)


def settings_of(run):
    """What comes after the script's own settings. With ++ a setting may be there or not."""
    work = run["work"]
    settings = {
        "data.train_files": [run["train"]],
        "data.val_files": run["evaluate"],
        "data.seed": run["seed"],
        "actor_rollout_ref.actor.data_loader_seed": run["seed"],
        "actor_rollout_ref.actor.checkpoint.save_contents": ["hf_model"],
        "trainer.rollout_data_dir": os.path.join(work, "rollouts"),
        "trainer.validation_data_dir": os.path.join(work, "validation"),
        "trainer.default_local_dir": os.path.join(work, "checkpoints"),
        "trainer.logger": ["console", "file"],
        "trainer.project_name": "evotrainer",
        "trainer.experiment_name": run["name"],
        "trainer.resume_mode": "disable",
        # verl evaluates and saves the last step in any case; if it does not train, it evaluates at once.
        "trainer.test_freq": NEVER if run["evaluates"] else -1,
        "trainer.save_freq": NEVER if run["trains"] else -1,
        "trainer.val_before_train": not run["trains"],
        "trainer.val_only": not run["trains"],
    }
    model = model_of(run["policy_in"])
    if model:
        settings["actor_rollout_ref.model.path"] = model
    return ["++%s=%s" % (path, hydra(value)) for path, value in settings.items()]


def model_of(folder):
    """The model of a policy; None for the one that the script names."""
    if not folder:
        return None
    pointer = os.path.join(folder, POINTER)
    if os.path.isfile(pointer):
        with open(pointer, encoding="utf-8") as text:
            return json.load(text)["model"]
    return folder


def save_policy(run):
    """verl saves the model of its last step in the Hugging Face format. A policy that was not trained is a pointer."""
    out = run["policy_out"]
    if not out:
        return
    if not run["trains"]:
        os.makedirs(out, exist_ok=True)
        with open(os.path.join(out, POINTER), "w", encoding="utf-8") as text:
            json.dump({"model": model_of(run["policy_in"])}, text)
        return
    checkpoints = os.path.join(run["work"], "checkpoints")
    steps = [n for n in (os.listdir(checkpoints) if os.path.isdir(checkpoints) else []) if n.startswith("global_step_")]
    if not steps:
        sys.exit("verl left no checkpoint in %s." % checkpoints)
    last = max(steps, key=lambda name: int(name.rsplit("_", 1)[1]))
    shutil.copytree(os.path.join(checkpoints, last, "actor", "huggingface"), out, dirs_exist_ok=True)


def check_script(script):
    with open(script, encoding="utf-8") as file:
        text = file.read()
    if not re.search(r"\$(@|\{@\}|\*)", text):
        sys.exit('%s takes no further settings: write "$@" at the end of the command that starts verl.' % script)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("script", help="your launch script; its command ends with \"$@\"")
    parser.add_argument("--pass-score", type=float, help="from this score on a rollout is solved")
    given = parser.parse_args()
    script = given.script
    check_script(script)
    run_dir = os.environ["EVO_RUN_DIR"]
    splits = [name for name in os.environ.get("EVO_SPLITS", "").split(",") if name]
    work = os.path.join(run_dir, "verl")
    os.makedirs(work, exist_ok=True)
    evaluated = [split for split in splits if split != "train"]
    items = {split: read_items(split) for split in ("train", *evaluated)}
    for split, found in items.items():
        write_data(split, found, os.path.join(work, split + ".json"))
    run = {
        "name": os.environ.get("EVO_RUN_ID", "run"),
        "seed": int(os.environ.get("EVO_SEED") or 1),
        "work": work,
        "train": os.path.join(work, "train.json"),
        # verl always wants validation files.
        "evaluate": [os.path.join(work, split + ".json") for split in evaluated or ["train"]],
        "trains": "train" in splits,
        "evaluates": bool(evaluated),
        "policy_in": os.environ.get("EVO_POLICY_IN"),
        "policy_out": os.environ.get("EVO_POLICY_OUT"),
    }
    environment = dict(os.environ, VERL_FILE_LOGGER_PATH=os.path.join(work, "metrics.jsonl"))
    with EvidenceWriter() as evidence:
        dumps = Dumps(work, Items(items), evidence, given.pass_score)
        process = subprocess.Popen(["bash", script, *settings_of(run)], env=environment)
        code = None
        while code is None:
            try:
                code = process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                pass
            dumps.take()
    if code != 0:
        sys.exit("%s ended with %d. If verl is not on this machine, run the script of this version where it is, follow "
                 "it with `evotrainer attach <folder>`, and see what came of it with `evotrainer compare`" % (script, code))
    if dumps.unknown:
        sys.exit("%s of no item in data/*.jsonl; the first prompt begins: %r" % (
            "1 rollout is" if len(dumps.unknown) == 1 else "%d rollouts are" % len(dumps.unknown), dumps.unknown[0][:200]))
    save_policy(run)


if __name__ == "__main__":
    main()
