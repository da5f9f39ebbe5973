import assert from "node:assert/strict";
import { curvesOf } from "../server/src/diagnosis/alarms/archivedRuns.ts";
import { metricsOfCondition } from "../server/src/diagnosis/curves.ts";
import { shippedDiagnostics } from "../server/src/project/library.ts";
import { leadsOf } from "./accuracyLeads.ts";

const alarms = shippedDiagnostics()
  .map(({ spec }) => spec)
  .filter((spec) => spec.over === "version" && metricsOfCondition(spec).length > 0);

const runOf = (run: string, score: (step: number) => number) => {
  const steps = Array.from({ length: 60 }, (_, i) => i + 1);
  return { run, curves: curvesOf(new Map([["score", { steps, values: steps.map(score) }]])) };
};
const wave = (step: number): number => ((step * 7) % 5) / 100;

describe("the table of how early alarms on curves fire", () => {
  it("says of each alarm the step, the steps left, and when the score had lost half", () => {
    const rising = runOf("rising", (step) => step / 100 + wave(step));
    const falling = runOf(
      "falling",
      (step) => (step <= 30 ? 0.5 : Math.max(0, 0.5 - (step - 30) / 20)) + wave(step),
    );
    const flat = runOf("flat", () => 0);
    const { note, rows } = leadsOf([rising, falling, flat], alarms);
    assert.match(note, /^3 training runs, each .* In 2 of them .* and in 1 none did;/);
    const [dropped] = rows.filter((row) => row.startsWith("| falling | `score-drop`"));
    const cells = dropped?.split(" | ") ?? [];
    const fired = Number(cells[3]);
    assert.ok(fired > 30 && fired < 60, dropped);
    assert.equal(cells[4], `${60 - fired} of 60`);
    assert.match(cells[5] ?? "", /^3\d, (\d+ steps? (before|later)|the same step) \|$/);
    assert.ok(
      rows.some(
        (row) => row.startsWith("| flat | `constant-score`") && row.includes("one value from the first step"),
      ),
    );
    assert.ok(!rows.some((row) => row.startsWith("| rising")));
  });
});
