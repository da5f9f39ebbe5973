import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { arms } from "../arms.ts";
import { withSettings } from "../harness.ts";
import { workFolder } from "../paths.ts";
import { searchSeeds, type Cell, type Plan } from "../plan.ts";
import { evotrainer, harnessAt, makeProject } from "../project.ts";
import type { Provenance } from "../runCell.ts";
import { Bench } from "../trainings.ts";
import { filters, phantomFile, writePhantom, type PhantomResult } from "./phantomResult.ts";

/** What is read of `evotrainer diagnose --json`. */
const Diagnosed = z.object({
  score: z.object({ value: z.number() }),
  signals: z.object({ phantom_group_ratio: z.number().nullable() }),
  findings: z.array(z.object({ name: z.string() })),
});
const Line = z.object({ split: z.string(), step: z.int() });

/** Trains math with every filter and seed that has no result yet. Says what it does. */
export function runPhantom(plan: Plan, provenance: () => Provenance, say: (line: string) => void): void {
  for (const seed of plan.seeds) {
    if (filters.every((filter) => existsSync(phantomFile(plan, { filter, seed })))) continue;
    runSeed(plan, seed, provenance, say);
  }
}

function runSeed(plan: Plan, seed: number, provenance: () => Provenance, say: (line: string) => void): void {
  const cell: Cell = { domain: "math", arm: "baseline", seed };
  const project = makeProject(plan, cell, arms.baseline, join(workFolder(plan.name), "projects", `s${seed}`));
  const bench = new Bench(plan, cell.domain, project);
  try {
    const baseline = harnessAt(project);
    const [first = 1] = searchSeeds(seed, 1);
    const base = bench.base(baseline, first);
    for (const filter of filters) {
      if (existsSync(phantomFile(plan, { filter, seed }))) continue;
      const harness = withSettings(baseline, [{ file: "main.reward", path: "filter.kind", to: filter }]);
      const { run, of } = bench.withEvidence(harness, first, base);
      const { audit, shifted } = bench.measure(harness, of);
      writePhantom(plan, {
        ...{ schema: 1, ...provenance(), filter, seed },
        ...{ steps: stepsOf(run, join(workFolder(plan.name), "steps")), selection: of.selection },
        ...{ audit: [...audit], shifted: [...shifted] },
      });
      say(`filter ${filter}, seed ${seed} done`);
    }
  } finally {
    bench.close();
  }
}

/** Asks the engine about the rollouts of each step by themselves, in a folder without a project. */
function stepsOf(run: string, folder: string): PhantomResult["steps"] {
  const by = new Map<number, string[]>();
  for (const line of readFileSync(join(run, "rollouts.jsonl"), "utf8").split("\n")) {
    if (line === "") continue;
    const { split, step } = Line.parse(JSON.parse(line));
    if (split === "train") by.set(step, [...(by.get(step) ?? []), line]);
  }
  return [...by]
    .sort(([a], [b]) => a - b)
    .map(([step, lines]) => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(join(folder, "rollouts"), { recursive: true });
      writeFileSync(join(folder, "rollouts/rollouts.jsonl"), `${lines.join("\n")}\n`);
      evotrainer(folder, ["import", "rollouts"]);
      // Exit code 1 says that something was found.
      const { score, signals, findings } = Diagnosed.parse(
        JSON.parse(evotrainer(folder, ["--json", "diagnose"], [0, 1])),
      );
      return {
        ...{ step, passed: score.value, phantom: signals.phantom_group_ratio },
        warns: findings.some(({ name }) => name === "phantom-signal"),
      };
    });
}
