import { existsSync } from "node:fs";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { draftGaps } from "../../server/src/engine/gaps/draftGaps.ts";
import { gapEvidence } from "../../server/src/engine/gaps/gapEvidence.ts";
import type { BenchRow } from "../row.ts";

/** Drafts of diagnostics from the training rollouts of an archive: read, induced and judged, on two threads. */
export async function benchGaps({ database }: { readonly database: string }): Promise<BenchRow> {
  if (!existsSync(database)) throw new Error(`There is no archive at ${database}.`);
  const store = await openStore({ path: database, evidenceRoot: "/", threads: 2 });
  try {
    const scope = { split: "train" } as const;
    const start = performance.now();
    const evidence = await gapEvidence(store, [scope]);
    const drafted = await draftGaps(store, {
      ...{ evidence, scopes: [scope], inForce: [], withheld: [], taken: [], domain: "bench", seed: 1 },
      onRollouts: () => undefined,
    });
    return {
      name: `drafts of diagnostics from ${evidence.rollouts.length.toLocaleString("en")} rollouts`,
      measured: performance.now() - start,
      target: 20_000,
      unit: "ms",
      detail: `made from ${drafted.from}, judged on ${drafted.judgedOn}: ${drafted.tried} tried, ${drafted.drafts.length} kept`,
    };
  } finally {
    await store.close();
  }
}
