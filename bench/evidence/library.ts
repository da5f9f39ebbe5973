import type { DiagnosticSpec } from "../../shared/spec/diagnostic.ts";
import { labelDiagnostics } from "../../server/src/diagnosis/labelDiagnostics.ts";
import { ensureDerived } from "../../server/src/evidence/store/derived.ts";
import { openStore } from "../../server/src/evidence/archive/store.ts";
import { shippedDiagnostics } from "../../server/src/project/library.ts";
import { least, type BenchRow } from "../row.ts";
import { forget } from "./forget.ts";

const scope = { split: "train" } as const;

/**
 * Time of labelling an archive by all diagnostics of the library over rollouts and groups, over that by the slowest of them
 * alone. Least times.
 */
export async function benchLibrary(options: {
  readonly database: string;
  /** What the rollouts are, for the name of the row: by it the ratio differs most. */
  readonly shape: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow> {
  const store = await openStore({ path: options.database, evidenceRoot: "/", threads: 2 });
  try {
    for (const table of ["features", "actions"] as const) await ensureDerived(store, table);
    const all = shippedDiagnostics()
      .map(({ spec }) => spec)
      .filter((spec) => spec.over !== "version");
    const time = async (specs: readonly DiagnosticSpec[]): Promise<number> => {
      await forget(store);
      const start = performance.now();
      await labelDiagnostics(store, specs, { rollouts: scope, groups: scope });
      return performance.now() - start;
    };
    // The first round reads the file; it belongs to neither side.
    await time(all);
    const together: number[] = [];
    const alone = new Map<string, number[]>();
    for (let round = 0; round < options.rounds; round++) {
      together.push(await time(all));
      for (const spec of all) alone.set(spec.name, [...(alone.get(spec.name) ?? []), await time([spec])]);
    }
    const singles = [...alone]
      .map(([name, times]) => ({ name, ms: least(times) }))
      .sort((a, b) => b.ms - a.ms);
    const slowest = singles[0]?.ms ?? NaN;
    return {
      name: `all diagnostics of the library in one pass / the slowest of them, ${options.shape}`,
      measured: least(together) / slowest,
      target: 3,
      unit: "ratio",
      detail: `${options.rows} rollouts, ${all.length} diagnostics: ${least(together).toFixed(0)} ms; alone ${singles
        .slice(0, 3)
        .map(({ name, ms }) => `${name} ${ms.toFixed(0)} ms`)
        .join(", ")}, all of them ${singles.reduce((sum, { ms }) => sum + ms, 0).toFixed(0)} ms`,
    };
  } finally {
    await store.close();
  }
}
