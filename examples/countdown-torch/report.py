"""Writes the tables of docs/countdown.md from the JSON of experiment.py and search.py.

    python3 examples/countdown-torch/report.py                      those of data/h200.json and data/search.json, into the page
    python3 examples/countdown-torch/report.py results/results.json   those of another run, to the terminal

Intervals are Student's over seeds: the seeds of a run are what would differ if it were run again.
"""

import json
import math
import os
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


def report(results):
    """The measured part of the page."""
    arms = runs_by_arm(results)
    device = results["device"]
    bases = arms.get("base", [])
    left = [run for run in results["runs"] if run["state"] != "ended"]
    named = ", ".join("`%s` seed %d (%s)" % (r["arm"], r["seed"], r["state"]) for r in left)
    parts = [
        "Device: %s, torch %s, Python %s, %d processors. The whole took %.0f s, of which imitation %.0f s, with up to %d runs "
        "side by side on the device. The policy has %.1f million parameters (size `%s`). %s"
        % (
            *(device[name] for name in ("name", "torch", "python", "processors")),
            *(results[name] for name in ("seconds", "imitation_seconds", "workers")),
            bases[0]["parameters"] / 1e6 if bases else 0,
            results["size"],
            "Not ended, and left out: %s." % named if left else "Every run ended.",
        ),
        table(["arm", "what it is"], [["`%s`" % arm, WHAT[arm]] for arm in arms]),
    ]
    for split in ("selection", "audit"):
        parts += [
            "### On the %s split" % split,
            "In percent, means over seeds with 95 % intervals (Student's t over seeds).",
            shares(arms, split),
            "Paired by seed, in percentage points, with 95 % intervals:",
            against(arms, split),
        ]
    parts += ["### Changed tests while training", "Share of a step's rollouts, in percent, and the step of each seed.", steps(arms)]
    parts += ["### What it cost", "Runs shared the device, so these are no speeds of one run alone.", costs(arms)]
    return "\n\n".join(parts)


def jobs_of(search, version):
    """What the selection rollouts of a version show, the mean of its seeds: right, passed, tests changed."""
    # A job that only measures again repeats what the training job measured.
    trained = [name for name in search["jobs"] if name.startswith(version + ".train.") and name.endswith(" selection")]
    measured = [name for name in search["jobs"] if name.startswith(version + ".selection.")]
    rows = [search["jobs"][name] for name in measured or trained]
    return [sum(row[key] for row in rows) / len(rows) for key in ("right", "passed", "changed")] if rows else [0.0, 0.0, 0.0]


def percent(values):
    return ["%.1f" % (100 * value) for value in values]


def searches(results):
    """What searches decided: one row for each, and the changes that they kept."""
    device = results["device"]
    settings = ", ".join(["size `%s`" % results["size"], *("`%s`" % pair for pair in results["set"])])
    states = [search["state"] for search in results["searches"]]
    ended = "%d of %d searches ended; the others were interrupted." % (states.count("ended"), len(states))
    rows, kept = [], []
    for search in sorted(results["searches"], key=lambda one: (one["arm"], one["seed"])):
        names = {version["name"]: version for version in search["versions"]}
        tried = [v for v in search["versions"] if v["intervention"] and v["decision"] in ("keep", "reject", "invalid")]
        changes = [v for v in tried if v["decision"] == "keep"]
        chosen = names.get(search["champion"])
        rows.append(
            [
                *("`%s`" % search["arm"], str(search["seed"]), str(len(tried)), str(len(changes))),
                *percent(jobs_of(search, search["baseline"])),
                *percent(jobs_of(search, search["champion"])),
                chosen["title"] if chosen and chosen["intervention"] else "the baseline",
            ]
        )
        for v in changes:
            gain = tuple(100 * v["comparison"][key] for key in ("difference", "low", "high"))
            row = ["`%s`" % search["arm"], str(search["seed"]), v["title"], "%+.1f [%+.1f, %+.1f]" % gain]
            kept.append([*row, str(len(v["seeds"] or []))])
    head = ["arm", "seed", "decided", "kept", *("baseline: " + n for n in ("right", "passed", "changed"))]
    return "\n\n".join(
        [
            "Device: %s, torch %s, %d processors; %s. The whole took %.0f s, with %d searches side by side. %s"
            % (
                *(device[name] for name in ("name", "torch", "processors")),
                *(settings, results["seconds"], len(states), ended),
            ),
            "Shares of the selection rollouts in percent, counted in the lines of the trainer; right is the truth, passed the proxy.",
            table([*head, *("chosen: " + n for n in ("right", "passed", "changed")), "chosen"], rows),
            "Kept changes, in percentage points of right answers against the parent, with the interval of the decision:",
            table(["arm", "seed", "change", "gain", "seeds"], kept) if kept else "No search kept a change.",
        ]
    )


HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "countdown.md")
# By the data file: what its tables are made by, and the marks between which they stand in the page.
PARTS = {
    "h200.json": (report, "<!-- results: written by examples/countdown-torch/report.py -->", "<!-- /results -->"),
    "search.json": (searches, "<!-- searches: written by examples/countdown-torch/report.py -->", "<!-- /searches -->"),
}


def main():
    if sys.argv[1:]:
        with open(sys.argv[1], encoding="utf-8") as file:
            results = json.load(file)
        print(searches(results) if "searches" in results else report(results))
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for name, (tables, start, stop) in PARTS.items():
        with open(os.path.join(HERE, "data", name), encoding="utf-8") as file:
            text = tables(json.load(file))
        before, rest = page.split(start)
        page = "\n\n".join([before + start, text, stop + rest.split(stop)[1]])
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
