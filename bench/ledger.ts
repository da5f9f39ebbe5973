import { rmSync } from "node:fs";
import { openLedger } from "../server/src/lineage/ledger.ts";
import { openRepository } from "../server/src/lineage/repository.ts";
import { makeBigLedger } from "./bigLedger.ts";
import type { BenchRow } from "./row.ts";

/** Time in which a process reads a long ledger that an earlier one has read, over the time of that one. */
export async function benchLedger({ versions }: { readonly versions: number }): Promise<BenchRow> {
  const root = await makeBigLedger(versions);
  try {
    const repository = await openRepository(root);
    const time = async (): Promise<{ readonly ms: number; readonly entries: number }> => {
      const start = performance.now();
      const { entries } = await openLedger(repository).read();
      return { ms: performance.now() - start, entries: entries.length };
    };
    const first = await time();
    const second = await time();
    if (first.entries !== second.entries) throw new Error("What was kept is not what was read.");
    return {
      name: "ledger, read again by another process / the first reading",
      measured: second.ms / first.ms,
      target: 0.2,
      unit: "ratio",
      detail: `${versions} versions, ${first.entries} entries: ${second.ms.toFixed(0)} against ${first.ms.toFixed(0)} ms`,
    };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
