import assert from "node:assert/strict";
import { jobView, namedWithin } from "./jobView.ts";

const places = {
  run: "/p/.evotrainer/runs/v1.train.s1",
  checkout: "/p/.evotrainer/checkouts/v1.train.s1",
  fixed: ["/p/.evotrainer/checkouts/v1.train.s1/eval"],
  policyIn: "/p/.evotrainer/runs/v0.train.s1/policy",
  policyOut: "/p/.evotrainer/runs/v1.train.s1/policy",
  data: ["/data"],
  writable: ["~/.cache"],
};

describe("what a confined job sees", () => {
  it("is nothing of its user's keys, of what is hidden, and of git, in this order", () => {
    const steps = jobView({ steps: [{ what: "hide", path: "/p" }], needed: ["/p/.venv"] }, places);
    assert.deepEqual(
      steps.map(({ what, path }) => `${what} ${path}`),
      [
        "keep ~/.cache",
        ...["~/.ssh", "~/.gnupg", "~/.Xauthority", "~/.config/evotrainer"].map((path) => `hide ${path}`),
        ...["~/.git-credentials", "~/.config/git/credentials", "~/.config/gh", "~/.config/glab-cli"].map(
          (path) => `hide ${path}`,
        ),
        ...["~/.kube", "~/.npmrc", "~/.pypirc", "~/.password-store", "~/.local/share/keyrings"].map(
          (path) => `hide ${path}`,
        ),
        ...["~/.mozilla", "~/.config/google-chrome", "~/.config/chromium"].map((path) => `hide ${path}`),
        "hide /p",
        "show /p/.venv",
        "show /data",
        `show ${places.policyIn}`,
        `keep ${places.checkout}`,
        `hide ${places.checkout}/.git`,
        `show ${places.fixed.join()}`,
        `keep ${places.run}`,
        // What the keeper goes by can be neither replaced nor removed from within, and the first of it not written.
        ...["job", "keeper", "pid", "host.json", "slurm.job", "slurm.requeue", "ray.job"].map(
          (name) => `show ${places.run}/${name}`,
        ),
        ...["job.lock", "heartbeat", "keeper.log", "stdout.log", "stderr.log"].map(
          (name) => `keep ${places.run}/${name}`,
        ),
        ...["exit", "code", "stop", "cancel"].map((name) => `keep ${places.run}/${name}.pending`),
      ],
    );
  });

  it("is of a program that the trainer names the program, or its environment, and never the evaluation", () => {
    const named = (...words: string[]): string[] =>
      namedWithin("/p", words, ["/p/.evotrainer", "/p/eval/data.jsonl"]);
    assert.deepEqual(named("/p/.venv/bin/python", "/usr/bin/env", "train.py"), ["/p/.venv"]);
    assert.deepEqual(named("/usr/bin:/p/tools/run.sh"), ["/p/tools/run.sh"]);
    for (const word of [
      "/p",
      "/p/eval",
      "/p/eval/data.jsonl",
      "/p/.evotrainer/records",
      "/p/eval/bin/x",
      "/p/x/../eval",
    ])
      assert.deepEqual(named(word), [], word);
  });
});
