import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { makeWorkspace, type Workspace } from "../../../../test/support/evidence/evidence.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import {
  archiveAs,
  simulatedRollouts,
  type SimulatedRun,
} from "../../../../test/support/diagnosis/simulatedRollouts.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { curveAlarms, factsOf } from "../curves.ts";
import { diagnose } from "../diagnose.ts";
import { foldFindings } from "../foldFindings.ts";
import { bySeverity, type Finding } from "../rules.ts";
import { metricsNamed } from "../training.ts";
import { findingOf } from "../versionRules.ts";

const diagnostics = shippedDiagnostics()
  .map(({ spec }) => spec)
  .filter(({ over }) => over === "version");
const base = { seed: 1, steps: 40, groups: 4, perGroup: 4 };
const riseAndFall = (t: number): number => (t < 0.6 ? 0.3 + 0.5 * Math.min(1, t / 0.4) : 0.05);

describe("curves that are computed from rollouts", function () {
  this.timeout(60_000);
  let workspace: Workspace;
  let store: Store;
  let count = 0;
  before(async () => {
    workspace = await makeWorkspace();
    store = await workspace.open();
  });
  after(() => workspace.remove());

  async function findingsOf(...runs: readonly SimulatedRun[]): Promise<Finding[]> {
    const version = `v${count++}`;
    await archiveAs(workspace, store, version, runs.flatMap(simulatedRollouts));
    return ofVersion(version);
  }
  /** The alarms about curves, each failure once. */
  async function ofVersion(version: string): Promise<Finding[]> {
    const asked = ["score", "reward", "response_length", "truncated"];
    const metrics = await metricsNamed(store, version, asked);
    const facts = factsOf((name) => metrics.get(name) ?? null);
    const found = curveAlarms(diagnostics).flatMap((spec) => findingOf(spec, facts) ?? []);
    return foldFindings(bySeverity(found), diagnostics, []).filter(({ under }) => under === undefined);
  }
  const alarms = (findings: readonly Finding[]): string[] =>
    findings.filter(({ severity }) => severity !== "info").map(({ severity, name }) => `${severity} ${name}`);

  it("raise the alarm about a score that falls, and say what they were computed from", async () => {
    const findings = await findingsOf({ ...base, passes: riseAndFall });
    assert.deepEqual(alarms(findings), ["critical score-drop"]);
    assert.match(
      findings[0]?.message ?? "",
      /^pass rate of the rollouts fell from its best, .* The run logs no such metric: this was computed from 640 rollouts, at 40 points of about 16\. It fired first at step (2[5-9]|3\d), with pass rate of the rollouts at /,
    );
  });

  it("are shown by diagnose, which lists nothing that they answer as lacking", async () => {
    const version = `v${count++}`;
    const rollouts = simulatedRollouts({ ...base, passes: riseAndFall });
    // As an import that does not know what the rollouts were for.
    await archiveAs(
      workspace,
      store,
      version,
      rollouts.map((r) => ({ ...r, split: "selection" })),
    );
    const path = workspace.file("entropy.jsonl");
    await writeFile(path, Array.from({ length: 40 }, (_, i) => `{"step":${i + 1},"entropy":0.4}\n`).join(""));
    const asked = {
      version,
      domain: "imported",
      diagnostics,
      aggregator: "macro",
      scope: { split: "selection" },
    } as const;
    const alone = await diagnose(store, asked);
    assert.deepEqual(
      alone.training.key.map(({ role, name, steps }) => [role, name, steps]),
      [
        ["score", "pass rate of the rollouts", 40],
        ["reward", "mean reward of the rollouts", 40],
        ["response_length", "mean length of the rollouts", 40],
      ],
    );
    assert.deepEqual(alarms(alone.findings.filter(({ under }) => under === undefined)), [
      "critical score-drop",
    ]);
    assert.deepEqual(alone.training.lacking, []);
    await importPaths(store, [path], { version });
    const { training } = await diagnose(store, asked);
    const lacking = training.lacking.map(({ metric }) => metric);
    assert.ok(
      lacking.includes("kl") && !lacking.includes("score") && !lacking.includes("response_length"),
      lacking.join(),
    );
  });

  it("are of the rewards where no outcome is known, and of text where nobody counted tokens, as in verl's dumps", async () => {
    const folder = workspace.file("dump");
    await mkdir(folder);
    for (let step = 1; step <= 30; step++)
      await writeFile(
        `${folder}/${step}.jsonl`,
        Array.from({ length: 16 }, (_, i) => {
          const score = step < 16 ? ((i * 7 + step * 3) % 10 < 7 ? 1 : 0) : (i + step) % 16 === 0 ? 1 : 0;
          const output = "word ".repeat(step < 16 ? 100 + ((i * 13) % 40) : 4 + (i % 3));
          return `${JSON.stringify({ input: `user\nproblem ${step} ${i >> 2}\nassistant\n`, output, score, step })}\n`;
        }).join(""),
      );
    await importPaths(store, [folder], { version: "dump" });
    const findings = await ofVersion("dump");
    assert.deepEqual(alarms(findings), ["critical length-collapse", "critical score-drop"]);
    assert.match(findings[0]?.message ?? "", /^mean length of the rollouts fell from 6\d\d/);
    assert.match(findings[1]?.message ?? "", /^mean reward of the rollouts fell from its best/);
  });

  it("raise the alarm about responses that reach their limit", async () => {
    const found = await findingsOf({
      ...base,
      passes: () => 0.4,
      tokens: (t) => 200 + 2000 * t,
      limit: 1024,
    });
    assert.deepEqual(alarms(found), ["critical truncation"]);
  });

  it("give way to what the run logs", async () => {
    const version = `v${count++}`;
    await archiveAs(workspace, store, version, simulatedRollouts({ ...base, passes: riseAndFall }));
    const path = workspace.file("metrics.jsonl");
    await writeFile(
      path,
      Array.from(
        { length: 40 },
        (_, i) => `{"step":${i + 1},"reward":${0.4 + 0.1 * Math.sin(7 * i)}}\n`,
      ).join(""),
    );
    await importPaths(store, [path], { version });
    assert.deepEqual(alarms(await ofVersion(version)), []);
  });

  it("know by the number of rollouts how far the mean of few of them varies", async () => {
    // 16 rollouts at each step of the first half, two in the second: some steps of the second half have no pass by chance.
    const seen: string[] = [];
    for (let seed = 1; seed <= 20; seed++)
      seen.push(
        ...alarms(
          await findingsOf({
            ...base,
            seed,
            steps: 30,
            passes: () => 0.3,
            keeps: (step) => (step < 12 ? 16 : 2),
          }),
        ),
      );
    assert.deepEqual(seen, []);
  });

  it("see a score that falls where each step has one group of eight, or few rollouts", async () => {
    const [groups, singles] = [
      { steps: 50, groups: 1, perGroup: 8 },
      { steps: 150, groups: 1, perGroup: 1 },
    ];
    for (const of of [groups, singles]) {
      let seen = 0;
      for (let seed = 1; seed <= 10; seed++)
        seen += (await findingsOf({ ...of, seed, passes: riseAndFall })).filter(
          ({ name }) => name === "score-drop",
        ).length;
      assert.ok(seen >= 7, `${seen} of 10`);
    }
  });

  it("leave out a last step that is still being written", async () => {
    const few = { ...base, passes: () => 0.6, keeps: (step: number) => (step === 40 ? 2 : 16) };
    assert.deepEqual(alarms(await findingsOf(few)), []);
    const score = (await metricsNamed(store, `v${count - 1}`, ["score"])).get("score");
    assert.deepEqual([score?.steps.length, score?.steps.at(-1), score?.rollouts], [39, 39, 39 * 16]);
    assert.ok(score?.errors?.every((error) => error > 0.1 && error < 0.3));
  });

  it("leave out rollouts whose sandbox failed, although they count as failures", async () => {
    const version = `v${count++}`;
    const rollouts = simulatedRollouts({ ...base, passes: () => 0.6 });
    const broken = { outcome: "fail", reward: 0, stop_reason: "sandbox_error" } as const;
    await archiveAs(
      workspace,
      store,
      version,
      rollouts.map((r) => (r.step > 30 ? { ...r, ...broken } : r)),
    );
    assert.deepEqual(alarms(await ofVersion(version)), []);
  });

  it("end with the shorter of two seeds, and go on over a run that was resumed", async () => {
    const good = { ...base, seed: 3, passes: () => 0.9, difficulty: 0.5, run: "a", steps: 30 };
    const bad = { ...base, seed: 4, passes: () => 0.15, difficulty: 0.5, run: "b", steps: 60 };
    assert.deepEqual(alarms(await findingsOf(good, bad)), []);
    const resumed = { ...bad, steps: 30, firstStep: 31 };
    assert.deepEqual(alarms(await findingsOf(good, resumed)), ["critical score-drop"]);
  });

  it("are none where there are few steps, and none that never varies", async () => {
    assert.deepEqual(await findingsOf({ ...base, steps: 9, passes: (t) => 0.9 - 0.9 * t }), []);
    assert.deepEqual(await findingsOf({ ...base, steps: 12, passes: () => 0 }), []);
  });

  it("raise no alarm on healthy runs of few rollouts", async () => {
    const seen: string[] = [];
    let seed = 100;
    for (const [groups, perGroup] of [
      [1, 1],
      [2, 1],
      [1, 8],
      [4, 4],
    ] as const)
      for (const passes of [() => 0.1, () => 0.5, () => 0.95, (t: number) => 0.2 + 0.5 * t])
        for (const steps of [20, 60])
          seen.push(...alarms(await findingsOf({ seed: seed++, steps, groups, perGroup, passes })));
    assert.deepEqual(seen, []);
  });
});
