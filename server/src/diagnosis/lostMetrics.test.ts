import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { importPaths } from "../../../test/support/evidence/import.ts";
import { makeWorkspace } from "../../../test/support/evidence/evidence.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { archivedRuns } from "./alarms/archivedRuns.ts";
import { firingOf } from "./firing.ts";
import { diagnose } from "./diagnose.ts";
import { metricsNamed } from "./training.ts";

const [notFinite] = shippedDiagnostics().flatMap(({ spec }) => (spec.name === "not-finite" ? [spec] : []));
assert.ok(notFinite);

describe("metrics that a run loses", () => {
  it("are known by their first step without a number, those that are logged now and then are not lost", async () => {
    const place = await makeWorkspace();
    try {
      const store = await place.open();
      // As verl writes them; JSON has no word for NaN.
      const lines = Array.from({ length: 20 }, (_, i) => {
        const grad = i < 12 ? "0.3" : "NaN";
        const kl = i === 5 ? "Infinity" : "0.01";
        const validation = i % 6 === 0 ? "0.5" : "null";
        const entropy = i < 18 ? "0.4" : "NaN";
        return `{"step": ${i + 1}, "data": {"actor/grad_norm": ${grad}, "actor/kl_loss": ${kl}, "actor/entropy": ${entropy}, "eval_reward": ${validation}}}\n`;
      });
      await writeFile(place.file("a.jsonl"), lines.join(""));
      await importPaths(store, [place.file("a.jsonl")], { as: "verl-metrics", version: "v" });
      const found = await metricsNamed(store, "v", ["grad_norm", "kl", "entropy", "validation"]);
      assert.deepEqual(
        [...found].map(([name, { lostFrom, values }]) => [name, lostFrom, values.length]),
        [
          ["grad_norm", 13, 12],
          ["kl", undefined, 19],
          // Two steps may be a line that is still being written.
          ["entropy", undefined, 18],
          ["validation", undefined, 4],
        ],
      );
      assert.deepEqual(
        [...found].map(([name, { gaps = [] }]) => [name, gaps.length]),
        [
          ["grad_norm", 0],
          ["kl", 1],
          ["entropy", 0],
          ["validation", 15],
        ],
      );
      const [run] = await archivedRuns(store, [notFinite]);
      assert.ok(run);
      assert.deepEqual(
        ["grad_norm", "entropy"].map((name) => run.curves(name)?.lostFrom),
        [13, undefined],
      );
      assert.equal(firingOf(notFinite, run.curves)?.step, 13, "the record of tripwires sees it");
    } finally {
      await place.remove();
    }
  });

  it("are information where numbers came back", async () => {
    const place = await makeWorkspace();
    try {
      const store = await place.open();
      const lines = Array.from({ length: 30 }, (_, i) => {
        const grad = i > 11 && i < 15 ? "NaN" : "0.3";
        const loss = i === 3 || i === 20 ? "Infinity" : `${0.01 * (i % 5)}`;
        return `{"step": ${i + 1}, "data": {"actor/grad_norm": ${grad}, "actor/pg_loss": ${loss}}}\n`;
      });
      await writeFile(place.file("a.jsonl"), lines.join(""));
      await importPaths(store, [place.file("a.jsonl")], { as: "verl-metrics", version: "v" });
      const diagnostics = shippedDiagnostics().map(({ spec }) => spec);
      const { findings } = await diagnose(store, {
        version: "v",
        domain: "imported",
        diagnostics,
        aggregator: "macro",
      });
      assert.deepEqual(
        findings.map(({ severity, name, message }) => `${severity} ${name}: ${message}`),
        [
          "info not-finite-steps: At some steps NaN, infinity or nothing stood in place of a number, and numbers came back, in actor/grad_norm from step 13 to 15, in actor/pg_loss 2 times between step 4 and 21. It fired first at step 6.",
        ],
      );
      const [run] = await archivedRuns(store, diagnostics);
      assert.deepEqual(run?.curves("grad_norm")?.gaps, [13, 14, 15]);
    } finally {
      await place.remove();
    }
  });
});
