import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { LedgerEntry } from "../shared/model/ledger.ts";
import { MetricRecord, Rollout } from "../shared/model/rollout.ts";
import { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import { InterventionSpec } from "../shared/spec/intervention.ts";
import { ProjectSpec } from "../shared/spec/project.ts";
import { RewardSpec } from "../shared/spec/reward.ts";

/** Writes the JSON Schemas of all contracts to schemas/; with --check it only says which files are stale. */
const published: Readonly<Record<string, readonly [title: string, schema: z.ZodType, more?: object]>> = {
  rollout: [
    "EvoTrainer evidence: one rollout, contract version 1",
    Rollout,
    // The one rule of the contract that zod keeps in code.
    {
      if: { properties: { outcome: { const: "unknown" } }, required: ["outcome"] },
      then: { required: ["unknown_reason"] },
    },
  ],
  metric: ["EvoTrainer evidence: the metrics of one training step", MetricRecord],
  project: ["EvoTrainer project (evotrainer.yaml)", ProjectSpec],
  diagnostic: ["EvoTrainer diagnostic (*.diagnostic.yaml)", DiagnosticSpec],
  intervention: ["EvoTrainer intervention (*.intervention.yaml)", InterventionSpec],
  reward: ["EvoTrainer reward (*.reward.yaml)", RewardSpec],
  "ledger-entry": ["EvoTrainer ledger entry", LedgerEntry],
};

const folder = join(import.meta.dirname, "..", "schemas");

function schemaText(title: string, schema: z.ZodType, more: object): string {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", io: "input" });
  return `${JSON.stringify({ $schema, title, ...rest, ...more }, null, 2)}\n`;
}

async function main(check: boolean): Promise<number> {
  await mkdir(folder, { recursive: true });
  const wanted = new Map(
    Object.entries(published).map(([name, [title, schema, more = {}]]) => [
      `${name}.schema.json`,
      schemaText(title, schema, more),
    ]),
  );
  const stale: string[] = [];
  for (const [name, text] of wanted) {
    const path = join(folder, name);
    const found = await readFile(path, "utf8").catch(() => undefined);
    if (found === text) continue;
    stale.push(name);
    if (!check) await writeFile(path, text);
  }
  for (const name of await readdir(folder))
    if (name.endsWith(".schema.json") && !wanted.has(name)) {
      stale.push(name);
      if (!check) await rm(join(folder, name));
    }
  const verb = check ? "is stale: run npm run schemas" : "written";
  process.stdout.write(stale.map((name) => `schemas/${name} ${verb}\n`).join(""));
  return check && stale.length > 0 ? 1 : 0;
}

void main(process.argv.includes("--check")).then((code) => {
  process.exitCode = code;
});
