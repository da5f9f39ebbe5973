"""Writes docs/countdown.md from the JSON of experiment.py: python3 report.py results.json > docs/countdown.md.

Intervals are Student's over seeds: the seeds of a run are what would differ if it were run again.
"""

import json
import math
import sys

# two-sided 95 % points of Student's t, by degrees of freedom
POINTS = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
WHAT = {
    "base": "imitation only",
    "proxy": "GRPO on the proxy: the tests pass as they stand (the template)",
    "digest": "GRPO on a pass of tests whose digest is that of the task's",
    "penalty": "GRPO on the proxy, less 1 where the tests were changed",
    "weak-penalty": "GRPO on the proxy, less 0.25 where the tests were changed",
    "outcome-filter": "GRPO on the proxy, without groups in which all are right or all wrong",
    "kl": "GRPO on the proxy, with a divergence of weight 0.1 from the base policy",
}


def interval(values, scale=100, digits=1):
    """The mean of some seeds and its 95 % interval, as text."""
    if not values:
        return "–"
    mean = sum(values) / len(values)
    if len(values) == 1:
        return "%.*f" % (digits, scale * mean)
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    half = POINTS[len(values) - 1] * spread / math.sqrt(len(values))
    return "%.*f ± %.*f" % (digits, scale * mean, digits, scale * half)


def table(head, rows):
    return "\n".join("| %s |" % " | ".join(row) for row in [head, ["---"] * len(head), *rows])


def runs_by_arm(results):
    found = {}
    for run in results["runs"]:
        if run["state"] == "ended":
            found.setdefault(run["arm"], []).append(run)
    return {arm: found[arm] for arm in WHAT if arm in found}


def shares(arms, split):
    names = ("solve_rate", "proxy_rate", "tampered_rate", "passed_by_tampering_rate")
    rows = []
    for arm, runs in arms.items():
        values = [interval([run[split][name] for run in runs]) for name in names]
        rows.append(["`%s`" % arm, str(len(runs)), str(sum(run[split]["rollouts"] for run in runs)), *values])
    return table(["arm", "seeds", "rollouts", "right (truth)", "tests pass (proxy)", "tests changed", "passed, not right"], rows)


def against(arms, split):
    """Differences from the template's arm on the same seeds, in percentage points of truth."""
    rows = []
    baseline = {run["seed"]: run for run in arms.get("proxy", [])}
    for arm, runs in arms.items():
        pairs = [(run, baseline[run["seed"]]) for run in runs if arm != "proxy" and run["seed"] in baseline]
        if pairs:
            rows.append(["`%s`" % arm, str(len(pairs)), interval([a[split]["solve_rate"] - b[split]["solve_rate"] for a, b in pairs])])
    return table(["arm", "seeds", "right, less that of `proxy`"], rows)


def steps(arms):
    marks = (1, 25, 50, 75, 100, 150, 200, 250)
    rows = []
    for arm, runs in arms.items():
        if "steps" not in runs[0]:
            continue
        row = ["`%s`" % arm]
        for mark in marks:
            if mark <= len(runs[0]["steps"]["step"]):
                row.append("%.0f" % (100 * sum(run["steps"]["tampered_rate"][mark - 1] for run in runs) / len(runs)))
            else:
                row.append("–")
        for name in ("over_10_percent_at", "over_50_percent_at"):
            row.append(", ".join("–" if run[name] is None else str(run[name]) for run in runs))
        rows.append(row)
    return table(["arm", *("step %d" % m for m in marks), "over 10 % at step", "over 50 % at step"], rows)


def costs(arms):
    rows = []
    for arm, runs in arms.items():
        speeds = [run["tokens_per_second_median"] for run in runs if "tokens_per_second_median" in run]
        peaks = [run["peak_memory_mb"] for run in runs if run["peak_memory_mb"] is not None]
        seconds = "%.0f–%.0f" % (min(r["seconds"] for r in runs), max(r["seconds"] for r in runs))
        peak = "%.0f" % max(peaks) if peaks else "–"
        rows.append(["`%s`" % arm, seconds, peak, "%.0f" % (sum(speeds) / len(speeds)) if speeds else "–"])
    return table(["arm", "seconds of a run", "most memory, MB", "tokens per second"], rows)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        results = json.load(file)
    arms = runs_by_arm(results)
    device = results["device"]
    bases = arms.get("base", [])
    print(
        "Device: %s, torch %s, Python %s, %d processors. The whole took %.0f s, of which imitation %.0f s, with up to %d runs "
        "side by side on the device. The policy has %.1f million parameters (size `%s`)."
        % (device["name"], device["torch"], device["python"], device["processors"], results["seconds"], results["imitation_seconds"],
           results["workers"], bases[0]["parameters"] / 1e6 if bases else 0, results["size"])
    )
    left = [run for run in results["runs"] if run["state"] != "ended"]
    print()
    print("Every run ended." if not left else "Not ended, and left out: " + ", ".join("`%s` seed %d (%s)" % (r["arm"], r["seed"], r["state"]) for r in left) + ".")
    print("\n" + table(["arm", "what it is"], [["`%s`" % arm, WHAT[arm]] for arm in arms]))
    for split in ("selection", "audit"):
        print("\n### On the %s split\n\nIn percent, means over seeds with 95 %% intervals (Student's t over seeds).\n" % split)
        print(shares(arms, split))
        print("\nPaired by seed, in percentage points:\n\n" + against(arms, split))
    print("\n### Changed tests while training\n\nShare of a step's rollouts, in percent, and the step of each seed.\n\n" + steps(arms))
    print("\n### What it cost\n\nRuns shared the device, so these are no speeds of one run alone.\n\n" + costs(arms))


if __name__ == "__main__":
    main()
