"""Lets EvoTrainer search for changes of this example on one device, several searches side by side, and writes what came of them.

    python3 search.py --cli ../../dist/cli.cjs --out results --size full --set steps=100 --seeds 1,2,3 --generations 6 --seconds 480

Each search is a project of its own that `evotrainer init --template countdown` made and `evotrainer evolve` ran. The arms differ
in what the search may use, as those of the headline experiment do (docs/experiment-plan.md). A search that has not ended when
the time is up is interrupted, and written as such with what it had decided until then.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from experiment import SIZES, TRAIN, Watched, device_of, edit

PLAIN = ["diagnostics: [harness/none]", "library: { use: none }"]
# name: what the search ranks by, and lines of evotrainer.yaml in place of those of the template
ARMS = {
    "evotrainer": (None, []),
    "score": ("score", PLAIN),
    "random": ("random", PLAIN),
}


def settings(text, arm, seed, generations):
    """The project file of the template with the settings of a search."""
    ranking, lines = ARMS[arm]
    kept = text[: text.index("gates:\n")].replace("  seeds: [1]\n", "  seeds: [%d]\n" % (1000 * seed + 1))
    kept = kept.replace("command: [python3, ", "command: [%s, " % json.dumps(sys.executable))
    if lines:
        kept = kept.replace("diagnostics: [harness/diagnostics]\n", "")
    return kept + "\n".join(
        [
            *lines,
            "testing: { seeds: 2, calibrationSeeds: 2, errorRate: 0.2, racing: false }",
            "search: { costs: off%s }" % ("" if ranking is None else ", ranking: %s" % ranking),
            "gates:",
            *["  autonomy: full", "  firstVersionsGated: 0", "  escalateAfterFailures: 1000"],
            *([] if ranking is None else ["  questionAfterFailures: 1000"]),
            "budgets:",
            *["  generations: %d" % generations, "  variantsPerGeneration: 1", "  parallelJobs: 1", ""],
        ]
    )


def share(rows, holds):
    return round(sum(1 for row in rows if holds(row)) / len(rows), 4) if rows else None


class Search(Watched):
    """One search: its project, its process, and what it decided."""

    def __init__(self, work, cli, arm, seed):
        super().__init__(work, arm, seed)
        self.cli = cli

    def engine(self, *args):
        done = subprocess.run(["node", self.cli, *args], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.stdout.decode(), done.stderr.decode(), done.returncode

    def make(self, changes, generations):
        os.makedirs(self.root)
        _, said, code = self.engine("init", ".", "--template", "countdown")
        if code != 0:
            raise RuntimeError("evotrainer init failed: %s" % said)
        for file, path, value in changes:
            edit(self.root, file, path, value)
        name = os.path.join(self.root, "evotrainer.yaml")
        with open(name, encoding="utf-8") as file:
            text = file.read()
        with open(name, "w", encoding="utf-8") as file:
            file.write(settings(text, self.arm, self.seed, generations))
        for command in (["add", "-A"], ["commit", "-qm", "The search %s, seed %d" % (self.arm, self.seed)]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def start(self, environment):
        self.launch(["node", self.cli, "evolve", "--autonomy", "full", "--approve"], environment)

    def interrupt(self):
        if self.state == "running":
            self.process.send_signal(signal.SIGINT)

    def wait(self):
        if self.state == "running":
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
            self.seconds, self.state = time.monotonic() - self.began, "interrupted"

    def shares(self):
        """Of each job's selection and audit rollouts, counted in the trainer's own lines: right, passed, tests changed."""
        runs = os.path.join(self.root, ".evotrainer", "runs")
        found = {}
        for run in sorted(os.listdir(runs)) if os.path.isdir(runs) else []:
            path = os.path.join(runs, run, "rollouts.jsonl")
            if not os.path.isfile(path):
                continue
            with open(path, encoding="utf-8") as text:
                rows = [json.loads(line) for line in text if line.endswith("\n")]
            for split in ("selection", "audit"):
                of = [row for row in rows if row["split"] == split]
                if of:
                    found["%s %s" % (run, split)] = {
                        "rollouts": len(of),
                        "right": share(of, lambda row: row["outcome"] == "pass"),
                        "passed": share(of, lambda row: row["components"]["tests_pass"] == 1),
                        "changed": share(of, lambda row: row["components"]["tampered"] == 1),
                    }
        return found

    def result(self):
        out, said, code = self.engine("--json", "lineage")
        versions = json.loads(out)["versions"] if code == 0 else []
        state = os.path.join(self.root, ".evotrainer", "loop.json")
        loop = {}
        if os.path.isfile(state):
            with open(state, encoding="utf-8") as text:
                loop = json.load(text)
        wanted = ("name", "parent", "factor", "intervention", "title", "decision", "stage", "score", "audit", "reason")
        return {
            **{"arm": self.arm, "seed": self.seed, "state": self.state, "seconds": round(self.seconds, 1)},
            **{"champion": loop.get("champion"), "baseline": loop.get("baseline")},
            "versions": [
                {
                    **{key: version.get(key) for key in wanted},
                    "seeds": (version.get("trial") or {}).get("seeds"),
                    "comparison": {
                        key: (version.get("comparison") or {}).get(key) for key in ("difference", "low", "high", "verdict")
                    },
                }
                for version in versions
            ],
            "jobs": self.shares(),
            "said": said[-500:] if code != 0 else "",
            "log": self.told()[-6000:] if os.path.isfile(self.log) else "",
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cli", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--size", default="full")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the size, e.g. steps=100")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--name", default="search")
    options = parser.parse_args()
    began = time.monotonic()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EVO_")}
    environment.setdefault("OMP_NUM_THREADS", "1")
    changes = [(TRAIN, "size", options.size)]
    for pair in options.set:
        key, _, value = pair.partition("=")
        changes.append((SIZES, "%s.%s" % (options.size, key), value))
    os.makedirs(options.out, exist_ok=True)
    device = device_of(environment)
    print(json.dumps(device), flush=True)
    with tempfile.TemporaryDirectory() as work:
        cli = os.path.abspath(options.cli)
        seeds = [int(seed) for seed in options.seeds.split(",")]
        searches = [Search(work, cli, arm, seed) for seed in seeds for arm in options.arms.split(",")]
        for search in searches:
            search.make(changes, options.generations)
            search.start(environment)
        while any(search.state == "running" for search in searches) and time.monotonic() - began < options.seconds:
            for search in searches:
                search.look()
            time.sleep(0.5)
        for search in searches:
            search.interrupt()
        for search in searches:
            search.wait()
        results = {
            **{"device": device, "size": options.size, "set": options.set, "generations": options.generations},
            "seconds": round(time.monotonic() - began, 1),
            "searches": [search.result() for search in searches],
        }
        with open(os.path.join(options.out, options.name + ".json"), "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    states = [search.state for search in searches]
    print("%.0f s: %s" % (results["seconds"], {state: states.count(state) for state in sorted(set(states))}), flush=True)
    return 1 if "failed" in states else 0


if __name__ == "__main__":
    sys.exit(main())
