import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import type { LedgerEntry } from "../../shared/ledger/ledger.ts";
import type { LineageVersion } from "../../shared/protocol/views/lineage.ts";
import { ledgerPath } from "../../server/src/lineage/entries/ledgerPath.ts";
import { manyVersions } from "../../test/editor/ui/lineageFixture.ts";
import { makeToyProject } from "../../test/engine/toyProject.ts";

const domain = "toy";

/**
 * A project with a ledger of `count` versions, as an evolution leaves it: one commit for what a generation proposed, one
 * for what became of it. Returns its folder, which the caller removes.
 */
export async function makeBigLedger(count: number): Promise<string> {
  const root = makeToyProject();
  const git = (...args: string[]): string =>
    execFileSync(
      "git",
      ["-C", root, "-c", "user.name=bench", "-c", "user.email=bench@example.invalid", ...args],
      {
        encoding: "utf8",
      },
    ).trim();
  const head = git("rev-parse", "HEAD");
  const child = spawn("git", ["-C", root, "fast-import", "--quiet", "--done", "--date-format=raw"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const exited = once(child, "exit");
  let at = Date.UTC(2026, 0, 1) / 1000;
  const commit = async (entries: readonly LedgerEntry[]): Promise<void> => {
    if (entries.length === 0) return;
    const files = entries.map((entry) => {
      const content = `${JSON.stringify(entry, null, 2)}\n`;
      return `M 100644 inline ${ledgerPath(entry.id)}\ndata ${Buffer.byteLength(content)}\n${content}\n`;
    });
    const text = `commit refs/heads/evotrainer/ledger\ncommitter bench <bench@example.invalid> ${at} +0000\ndata 1\n.\n${files.join("")}`;
    at += 60;
    if (!child.stdin.write(text)) await once(child.stdin, "drain");
  };
  const generations = new Map<number, LineageVersion[]>();
  for (const version of manyVersions(count)) {
    const list = generations.get(version.generation);
    if (list === undefined) generations.set(version.generation, [version]);
    else list.push(version);
  }
  for (const versions of generations.values()) {
    const when = new Date(at * 1000).toISOString();
    await commit(versions.flatMap((v) => proposed(v, head, when)));
    await commit(versions.flatMap((v) => became(v, new Date(at * 1000).toISOString())));
  }
  child.stdin.end("done\n");
  await exited;
  if (child.exitCode !== 0)
    throw new Error(`git fast-import ended with ${String(child.exitCode)}; it says above why.`);
  return root;
}

function proposed(v: LineageVersion, commit: string, at: string): LedgerEntry[] {
  const common = { at, domain, version: v.name };
  const entries: LedgerEntry[] = [
    {
      ...common,
      id: `version:${v.name}`,
      type: "version",
      commit,
      parent: v.parent,
      generation: v.generation,
      factor: v.factor as "reward" | null,
      intervention: v.parent === null ? null : "linear-shape",
      title: v.title,
    },
  ];
  if (v.parent !== null)
    entries.push({
      ...common,
      id: `hypothesis:${v.name}`,
      type: "hypothesis",
      statement: "A linear shape should decrease dead_group_ratio.",
      targets: ["dead_group_ratio"],
      predictedFixes: [],
      predictedRisks: [],
    });
  return entries;
}

function became(v: LineageVersion, at: string): LedgerEntry[] {
  if (v.decision === "pending") return [];
  const common = { at, domain, version: v.name };
  const score = (value: number, low: number, high: number) => ({
    metric: "Avg@1",
    value,
    low,
    high,
    items: 100,
    rollouts: 800,
    unknown: 0,
    bounds: [value, value] as [number, number],
  });
  return [
    {
      ...common,
      id: `job:${v.name}`,
      type: "job",
      job: `${v.name}.train.s1`,
      state: "finished",
      failure: null,
      message: "",
      seconds: 12,
    },
    {
      ...common,
      id: `evidence:${v.name}`,
      type: "evidence",
      split: "selection",
      score: v.score === null ? null : score(v.score, v.low ?? v.score, v.high ?? v.score),
      cleanScore: null,
      labels: v.labels.map(({ name, rate, alert }) => ({
        name,
        severity: "warning",
        labelled: Math.round((rate ?? 0) * 800),
        rollouts: 800,
        alert,
        invalidates: false,
      })),
      signals: { dead_group_ratio: 0.4, mean_length: 312 },
    },
    {
      ...common,
      id: `decision:${v.name}`,
      type: "decision",
      decision: v.decision,
      reason: v.reason === "" ? "Decided." : v.reason,
      comparison: null,
      evidence: [],
    },
  ];
}
