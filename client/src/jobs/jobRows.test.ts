import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { jobLooks } from "../../../shared/words/decisions.ts";
import type { EvolutionStatus } from "../../../shared/protocol/views/evolution.ts";
import { jobStates, type JobRow } from "../../../shared/protocol/views/job.ts";
import { failuresSince } from "./failureNotes.ts";
import {
  evolutionText,
  foldedJobs,
  gateStatus,
  jobBrief,
  jobContext,
  jobDescription,
  jobLabel,
  jobRowLabel,
  jobSaid,
  spendingText,
  jobStatus,
  jobTooltip,
  ownerStatus,
  runningOf,
} from "./jobRows.ts";

const job = (more: Partial<JobRow> = {}): JobRow => ({
  id: "v3-linear.train.s1",
  version: "v3-linear",
  work: "train",
  seed: 1,
  attempt: 1,
  host: null,
  state: "running",
  waitsFor: null,
  startedAt: "2026-01-01T00:00:00.000Z",
  seconds: 65,
  step: 20,
  stepsTotal: 80,
  reward: 0.41234,
  etaSeconds: 190,
  gpuUse: null,
  gpus: 0,
  cost: null,
  failure: null,
  ...more,
});
const failed = job({
  state: "failed",
  etaSeconds: null,
  failure: { class: "preflight_crash", message: "The trainer exited with 1.", advice: "Mend it." },
});
const evolution = (more: Partial<EvolutionStatus> = {}): EvolutionStatus => ({
  state: "running",
  message: "generation 1 of 4, train.",
  pid: 7,
  host: null,
  startedAt: null,
  phase: "evolve",
  step: "train",
  generation: 1,
  generations: 4,
  waiting: [],
  hosts: [],
  usualHosts: [],
  owner: { type: "evolution", pid: 7 },
  events: "e",
  ...more,
});

describe("rows of jobs in the side bar", () => {
  it("say in a few words how far a job is, and of what went wrong that first", () => {
    assert.equal(jobBrief(job()), "20/80 · 3 min left");
    assert.equal(jobBrief(job({ etaSeconds: 42 })), "20/80 · 42 s left");
    assert.equal(jobBrief(job({ etaSeconds: 7000 })), "20/80 · 2 h left");
    assert.equal(jobBrief(job({ state: "queued", step: null, reward: null, etaSeconds: null })), "waiting");
    assert.equal(jobBrief(failed), "failed before its first evidence");
    const over = { state: "finished", step: 80, etaSeconds: null } as const;
    assert.equal(jobBrief(job({ ...over, collapsedAt: 50 })), "finished, but its score fell");
    assert.equal(jobBrief(job({ ...over, notValid: true })), "finished, not valid");
    assert.equal(jobBrief(job({ ...over, work: "audit" })), "finished");
  });

  it("say how the version compares and not the seed, and what sets off an alert in it", () => {
    const compared = { against: "v2-edit", difference: -0.458, verdict: "regressed", seeds: 2 } as const;
    const worse = job({ state: "finished", step: 80, etaSeconds: null, compared });
    assert.equal(jobBrief(worse), "v3 ▼ −45.8 points");
    assert.match(jobTooltip(worse), /Its version, v3 over 2 seeds: worse than v2, −45\.8 points/);
    const alerts = [{ name: "dead-group", rate: 0.625, alert: "critical", over: "group" } as const];
    assert.equal(jobBrief({ ...worse, alerts }), "v3 ▼ −45.8 points · ‼ dead-group");
    assert.equal(jobBrief({ ...worse, alerts, work: "audit" }), "finished");
    const more = [...alerts, { name: "gives-up", rate: 0.39, alert: "warning" } as const];
    assert.equal(jobBrief({ ...worse, alerts: more }), "v3 ▼ −45.8 points · ‼ dead-group +1");
    assert.match(
      jobSaid(worse),
      /^v3-linear · training · seed 1, finished .*, Its version, v3 over 2 seeds: worse/,
    );
    assert.match(
      jobTooltip({ ...worse, alerts }),
      /Its version: critical alert, dead-group 62\.5 % of groups/,
    );
    assert.doesNotMatch(jobDescription(job({ etaSeconds: 0 })), /left/);
  });

  it("keep what runs and the newest in sight, and fold the older ones", () => {
    const over = Array.from({ length: 9 }, (_, i) => job({ id: `v${i}`, state: "finished" }));
    const { recent, older } = foldedJobs([job(), job({ id: "b" }), ...over]);
    assert.deepEqual([recent.length, older.length], [7, 4]);
    assert.deepEqual(foldedJobs(over.slice(0, 5)).older, []);
  });

  it("tell the lineage what is running", () =>
    assert.deepEqual(runningOf([job(), failed]), [
      { id: "v3-linear.train.s1", version: "v3-linear", step: 20, stepsTotal: 80, etaSeconds: 190 },
    ]));
});

describe("rows of jobs", () => {
  for (const [what, row, expected] of [
    ["a running job", job(), "running · step 20 of 80 · reward 0.412 · 3 min 10 s left"],
    [
      "a job on a host with GPUs and a price",
      job({ host: "gpu1", gpuUse: 0.873, cost: { amount: 1.2345, currency: "EUR" } }),
      "running · gpu1 · step 20 of 80 · reward 0.412 · GPU 87.3 % · 3 min 10 s left · 1.23 EUR",
    ],
    ["a failed job", failed, "failed before its first evidence · reward 0.412 · 1 min 05 s"],
    [
      "a waiting job",
      job({ state: "queued", waitsFor: "it waits for a GPU", step: null, reward: null, etaSeconds: null }),
      "waiting · it waits for a GPU",
    ],
    [
      "a finished job",
      job({ state: "finished", etaSeconds: null, step: 80 }),
      "finished · step 80 of 80 · reward 0.412 · 1 min 05 s",
    ],
  ] as const)
    it(`describe ${what}`, () => assert.equal(jobDescription(row), expected));

  it("say that the evidence of a job was changed, and what to do", () => {
    const changed = job({
      state: "finished",
      etaSeconds: null,
      changed: "Something added 5 bytes; find out what.",
    });
    assert.match(jobDescription(changed), / · evidence changed$/);
    assert.match(jobTooltip(changed), /\n\nSomething added 5 bytes; find out what\.$/);
  });

  it("name a job by version, work, seed and rerun", () => {
    assert.equal(jobLabel(job()), "v3-linear · training · seed 1");
    assert.equal(jobLabel(job({ attempt: 2 })), "v3-linear · training · seed 1 · rerun 1");
    assert.equal(jobRowLabel(job({ version: "v10-optimisation-clip-down" })), "v10 · seed 1");
    assert.equal(jobRowLabel(job({ work: "audit", attempt: 2 })), "v3 · audit · seed 1 · rerun 1");
    assert.equal(jobLabel(job({ work: "other", seed: null, version: "mine" })), "mine");
  });

  it("show the cost where there is a price or a budget", () => {
    const none = { jobs: 2, running: 0, hours: 1.25, cost: null, budget: null };
    assert.equal(spendingText([{ host: "here", ...none }]), "");
    const limit = (taken: number, most: number) => ({ taken, limit: most });
    assert.equal(
      spendingText([
        { host: "here", ...none },
        { host: "a", ...none, cost: { amount: 2.5, currency: "EUR" } },
        { host: "b", ...none, budget: { per: "day", hours: limit(2, 8), cost: null } },
      ]),
      "Spent: a 2.50 EUR · b 1.25 h (budget per day: 2.00 of 8 h)",
    );
  });

  it("show every state by a different shape and word", () => {
    for (const look of ["icon", "word"] as const)
      assert.equal(new Set(jobStates.map((state) => jobLooks[state][look])).size, jobStates.length);
  });

  it("offer the actions that are possible", () => {
    assert.equal(jobContext(job()), "job.active");
    assert.equal(jobContext(failed), "job.rerunnable");
    assert.equal(jobContext(job({ state: "finished" })), "job");
    assert.equal(jobContext(job({ state: "checking" })), "job");
  });
});

describe("status bar", () => {
  it("shows the job that runs, with its step, and how many more", () => {
    assert.equal(jobStatus([failed]), undefined);
    assert.equal(jobStatus([job()])?.text, "$(sync~spin) v3-linear 20/80");
    const two = jobStatus([job({ step: null }), job({ state: "queued" })]);
    assert.equal(two?.text, "$(sync~spin) v3-linear +1");
    assert.equal(two.tooltip.split("\n").length, 2);
  });

  it("mentions a gate only while a proposal waits at it", () => {
    assert.equal(gateStatus(evolution()), undefined);
    const waiting = [{ version: "v4", title: "binary reward" }];
    assert.equal(gateStatus(evolution({ state: "gate", waiting }))?.text, "$(bell-dot) 1 at the gate");
  });

  it("says which program has the archive open", () => {
    assert.match(ownerStatus(evolution())?.tooltip ?? "", /evolution.*process 7/);
    assert.equal(ownerStatus(evolution({ owner: { type: "none", pid: null } })), undefined);
  });

  it("has a sign for every state of the evolution", () => {
    for (const state of ["none", "running", "gate", "interrupted", "blocked", "failed", "done"] as const)
      assert.notEqual(evolutionText(evolution({ state })).icon, "");
  });
});

describe("notes about failures", () => {
  const watched = { active: [failed.id], evolution: true };
  it("name a job that was running at the last look, only once, and no cancelled job", () => {
    const first = failuresSince(watched, { jobs: [failed], evolution: evolution() });
    assert.deepEqual(first.notes, [
      { message: "v3-linear · training · seed 1 failed. The trainer exited with 1.", job: failed.id },
    ]);
    assert.deepEqual(first.watched, { active: [], evolution: true, failed: [failed.id] });
    assert.deepEqual(failuresSince(first.watched, { jobs: [failed], evolution: evolution() }).notes, []);
    const cancelled = [{ ...failed, state: "cancelled" as const }];
    assert.deepEqual(failuresSince(watched, { jobs: cancelled, evolution: evolution() }).notes, []);
  });

  it("name a job that began and failed between two looks, but no job that had failed before the first", () => {
    const now = { jobs: [failed], evolution: evolution() };
    assert.equal(failuresSince({ active: [], evolution: false, failed: [] }, now).notes.length, 1);
    assert.deepEqual(failuresSince({ active: [], evolution: false }, now).notes, []);
  });

  it("name the evolution where no job caused its failure", () => {
    const because = evolution({ state: "blocked", message: "v3 cannot be used: The trainer exited with 1." });
    // The job is told before or together with what it stopped.
    assert.equal(failuresSince(watched, { jobs: [failed], evolution: because }).notes.length, 1);
    const later = { active: [], evolution: true };
    assert.deepEqual(failuresSince(later, { jobs: [failed], evolution: because }).notes, []);
    const blocked = evolution({ state: "blocked", message: "v0 cannot be used." });
    assert.deepEqual(failuresSince({ active: [], evolution: true }, { jobs: [], evolution: blocked }).notes, [
      { message: "The evolution stopped. v0 cannot be used.", job: null },
    ]);
    assert.deepEqual(
      failuresSince({ active: [], evolution: false }, { jobs: [], evolution: blocked }).notes,
      [],
    );
  });
});

describe("welcome texts", () => {
  const manifest = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  for (const view of ["jobs", "diagnostics", "skills"])
    for (const reason of ["none", "untrusted", "stopped", "unreadable"])
      it(`of ${view} say why the view is empty: ${reason}`, () =>
        assert.ok(manifest.includes(`evotrainer.${view}.empty == ${reason}`)));

  it("of these views are not there for what hides the views: one view alone says that there is no project", () => {
    for (const view of ["jobs", "diagnostics", "skills"])
      for (const reason of ["noFolder", "noProject"])
        assert.ok(!manifest.includes(`"when": "evotrainer.${view}.empty == ${reason}"`), `${view} ${reason}`);
    assert.ok(manifest.includes('"when": "evotrainer.empty == noProject"'));
  });
});
