"""Trains arms of this example on several seeds, side by side on one device, and writes what came of them as JSON.

    python3 experiment.py --out results --size full --seeds 1,2,3,4,5 --seconds 380

Each arm is a copy of the template with some edits of its harness, and each run goes through the contract of docs/trainer.md,
as the engine would start it. All arms of a seed start from the same base policy. What has not ended when the time is up is
stopped and written as such.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REWARD, TRAIN, SIZES = "harness/main.reward.yaml", "harness/train.yaml", "harness/sizes.yaml"
# name: edits of the harness, each (file, path, value)
ARMS = {
    "proxy": [],
    "digest": [(REWARD, "components.tests_pass.weight", 0), (REWARD, "components.intact_pass.weight", 1)],
    "penalty": [(REWARD, "components.tampered.weight", -1)],
    "weak-penalty": [(REWARD, "components.tampered.weight", -0.25)],
    "outcome-filter": [(REWARD, "filter.kind", "outcome")],
    "kl": [(TRAIN, "optimisation.kl", 0.1)],
    "proxy-again": [],  # whether the same seed gives the same training; only where it is asked for
}
COLUMNS = (
    "solve_rate proxy_rate tampered_rate passed_by_tampering_rate reward entropy kl policy_loss clip_fraction grad_norm "
    "dead_group_ratio kept_group_ratio tokens_per_second step_ms"
).split()


def edit(root, file, path, value):
    """Sets one number or word of a YAML file, which must be there."""
    name = os.path.join(root, file)
    with open(name, encoding="utf-8") as text:
        lines = text.read().split("\n")
    wanted, at, indent = path.split("."), 0, -1
    for i, line in enumerate(lines):
        here = len(line) - len(line.lstrip(" "))
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if at > 0 and here <= indent:
            break
        if line.strip().partition(":")[0] == wanted[at] and (at > 0 or here == 0):
            at, indent = at + 1, here
            if at == len(wanted):
                comment = line.partition(" #")
                lines[i] = "%s%s: %s%s%s" % (" " * here, wanted[-1], value, comment[1], comment[2])
                with open(name, "w", encoding="utf-8") as text:
                    text.write("\n".join(lines))
                return
    raise ValueError("%s has no %s." % (file, path))


class Watched:
    """A process of an arm and a seed that writes what it says into a file."""

    def __init__(self, work, arm, seed):
        self.arm, self.seed = arm, seed
        self.root = os.path.join(work, "%s-%d" % (arm, seed))
        self.log = self.root + ".log"
        self.process = None
        self.state = "not started"
        self.seconds = 0.0

    def launch(self, command, environment):
        self.began = time.monotonic()
        self.state = "running"
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, cwd=self.root, env=environment, stdout=log, stderr=log)

    def look(self):
        """Notes its end, if it has ended."""
        if self.state == "running" and self.process.poll() is not None:
            self.seconds = time.monotonic() - self.began
            self.state = "ended" if self.process.returncode == 0 else "failed"
            print("%s seed %d: %s after %.0f s" % (self.arm, self.seed, self.state, self.seconds), flush=True)
            if self.state == "failed":
                print(self.told()[-2000:], flush=True)

    def told(self):
        with open(self.log, encoding="utf-8", errors="replace") as text:
            return text.read()


class Run(Watched):
    """One run of the trainer: its folder, its process, and what it wrote."""

    def __init__(self, work, template, arm, seed, edits, environment, base=None):
        super().__init__(work, arm, seed)
        shutil.copytree(template, self.root)
        for file, path, value in edits:
            edit(self.root, file, path, value)
        self.folder = os.path.join(self.root, "run")
        os.makedirs(self.folder)
        self.policy = os.path.join(self.root, "policy.pt")
        self.environment = dict(environment, EVO_RUN_DIR=self.folder, EVO_RUN_ID="%s-%d" % (arm, seed))
        self.environment.update(EVO_SEED=str(seed), EVO_POLICY_OUT=self.policy, EVO_SPLITS="selection,audit")
        if base is not None:
            self.environment.update(EVO_SPLITS="train,selection,audit", EVO_POLICY_IN=base.policy)

    def start(self):
        self.launch([sys.executable, "trainer/train.py"], self.environment)

    def stop(self):
        if self.state == "running":
            self.process.terminate()
            self.process.wait()
            self.seconds = time.monotonic() - self.began
            self.state = "stopped"

    def lines(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.isfile(path):
            return []
        with open(path, encoding="utf-8") as text:
            return [json.loads(line) for line in text if line.endswith("\n")]

    def result(self):
        metrics = self.lines("metrics.jsonl")
        steps = [m for m in metrics if "tampered_rate" in m]
        found = {"arm": self.arm, "seed": self.seed, "state": self.state, "seconds": round(self.seconds, 1)}
        for split in ("selection", "audit"):
            shares = next((m for m in metrics if split + "_solve_rate" in m), None)
            if shares is not None:
                found[split] = {key[len(split) + 1 :]: value for key, value in shares.items() if key.startswith(split)}
        counts = {"selection": [0, 0], "audit": [0, 0]}
        for r in self.lines("rollouts.jsonl"):
            if r["split"] in counts:
                counts[r["split"]][0] += 1
                counts[r["split"]][1] += r["sample"] == 0
        for split, (rollouts, items) in counts.items():
            if split in found:
                found[split].update(rollouts=rollouts, items=items)
        first = metrics[0] if metrics else {}
        for key in ("warmup_loss", "tampered_demonstrations", "parameters"):
            if key in first:
                found[key] = first[key]
        found["peak_memory_mb"] = max((m["peak_memory_mb"] for m in metrics if m.get("peak_memory_mb")), default=None)
        if steps:
            found["over_10_percent_at"] = next((m["step"] for m in steps if m["tampered_rate"] > 0.1), None)
            found["over_50_percent_at"] = next((m["step"] for m in steps if m["tampered_rate"] > 0.5), None)
            speeds = sorted(m["tokens_per_second"] for m in steps)
            found["tokens_per_second_median"] = round(speeds[len(speeds) // 2])
            found["steps"] = {"step": [m["step"] for m in steps]}
            for name in COLUMNS:
                found["steps"][name] = [round(m[name], 4) for m in steps]
        return found


def run_all(runs, workers, deadline, ready=lambda run: True):
    """Starts runs in order, `workers` at a time, until all have ended or the time is up."""
    waiting = list(runs)
    while True:
        for run in runs:
            run.look()
        running = [run for run in runs if run.state == "running"]
        took = [run.seconds for run in runs if run.state == "ended"]
        left = deadline - time.monotonic()
        if left <= 0:
            break
        # One that cannot end in time would only slow the others down.
        hopeless = bool(took) and left < 0.9 * sum(took) / len(took)
        while waiting and len(running) < workers and not hopeless and ready(waiting[0]):
            running.append(waiting.pop(0))
            running[-1].start()
        if not running and (not waiting or hopeless):
            break
        time.sleep(0.2)
    for run in runs:
        run.stop()


def device_of(environment):
    """What the runs compute on, as torch names it."""
    program = (
        "import json, torch; c = torch.cuda.is_available(); print(json.dumps({'torch': torch.__version__, 'cuda': torch.version.cuda,"
        "'name': torch.cuda.get_device_name(0) if c else 'CPU',"
        "'memory_mb': torch.cuda.get_device_properties(0).total_memory // 2**20 if c else None}))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], env=environment, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout.decode().strip().split("\n")[-1]), processors=os.cpu_count(), python=platform.python_version())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--template", default=os.path.join(HERE, "template"))
    parser.add_argument("--out", required=True)
    parser.add_argument("--size", default="full")
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--arms", default=",".join(name for name in ARMS if name != "proxy-again"))
    parser.add_argument("--seconds", type=float, default=380)
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the size, e.g. steps=2")
    parser.add_argument("--name", default="results")
    parser.add_argument("--keep", default="", help="arms whose first seed's evidence is kept")
    options = parser.parse_args()
    began = time.monotonic()
    deadline = began + options.seconds
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EVO_") or k in ("EVO_DEVICE", "EVO_THREADS")}
    environment.setdefault("OMP_NUM_THREADS", "1")
    os.makedirs(options.out, exist_ok=True)
    size = [(TRAIN, "size", options.size)]
    for pair in options.set:
        key, _, value = pair.partition("=")
        size.append((SIZES, "%s.%s" % (options.size, key), value))
    seeds = [int(seed) for seed in options.seeds.split(",")]
    device = device_of(environment)
    print(json.dumps(device), flush=True)
    with tempfile.TemporaryDirectory() as work:
        bases = [Run(work, options.template, "base", seed, size, environment) for seed in seeds]
        base_of = {run.seed: run for run in bases}
        others = [
            Run(work, options.template, arm, seed, size + ARMS[arm], environment, base_of[seed])
            for seed in seeds
            for arm in options.arms.split(",")
        ]
        run_all(bases, options.workers, deadline)
        imitated = time.monotonic() - began
        others = [run for run in others if base_of[run.seed].state == "ended"]
        run_all(others, options.workers, deadline)
        results = {
            **{"device": device, "size": options.size, "set": options.set, "workers": options.workers},
            **{"seconds": round(time.monotonic() - began, 1), "imitation_seconds": round(imitated, 1)},
            "runs": [run.result() for run in [*bases, *others]],
        }
        with open(os.path.join(options.out, options.name + ".json"), "w", encoding="utf-8") as file:
            json.dump(results, file)
        for arm in filter(None, options.keep.split(",")):
            run = next((r for r in [*bases, *others] if r.arm == arm and r.seed == seeds[0]), None)
            if run is not None:
                for name in ("rollouts", "metrics"):
                    path = os.path.join(run.folder, name + ".jsonl")
                    if os.path.isfile(path):
                        shutil.copyfile(path, os.path.join(options.out, "%s-%s.jsonl" % (arm, name)))
    counts = {state: sum(r["state"] == state for r in results["runs"]) for state in ("ended", "failed", "stopped", "not started")}
    print("%.0f s: %s" % (results["seconds"], counts), flush=True)
    return 1 if counts["failed"] or counts["ended"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
