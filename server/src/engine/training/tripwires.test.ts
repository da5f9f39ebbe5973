import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeWorkspace } from "../../../../test/support/evidence/evidence.ts";
import { importPaths } from "../../../../test/support/evidence/import.ts";
import { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { TripwiresSpec } from "../../../../shared/spec/tripwires.ts";
import { shippedDiagnostics } from "../../project/library.ts";
import { LiveCurves } from "../jobs/liveCurves.ts";
import { armTripwires, TripwireWatch, type Tripwire } from "./tripwires.ts";

const alarm = DiagnosticSpec.parse({
  apiVersion: "evotrainer/v1",
  kind: "Diagnostic",
  name: "low-entropy",
  over: "version",
  label: { when: 'steps("entropy") >= 3 && last("entropy") < 0.1', message: 'Entropy is {last("entropy")}.' },
});
const line = (record: Readonly<Record<string, number | null>>): string => `${JSON.stringify(record)}\n`;

describe("tripwires", () => {
  let folder = "";
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "evo-tripwires-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const metrics = (): string => join(folder, "metrics.jsonl");

  it("read on what a job writes, whole lines only, and follow a trainer that goes back to a checkpoint", async () => {
    const live = new LiveCurves(folder);
    assert.equal((await live.look())("entropy"), null);
    writeFileSync(metrics(), `${line({ step: 1, entropy: 1 })}not JSON\n{"step": 2, "entr`);
    assert.deepEqual((await live.look())("entropy")?.values, [1]);
    appendFileSync(metrics(), `opy": 0.5}\n${line({ step: 3, entropy: null, score: 0.1 })}`);
    assert.deepEqual((await live.look())("entropy")?.values, [1, 0.5]);
    appendFileSync(metrics(), line({ step: 2, entropy: 0.7 }) + line({ step: 3, entropy: 0.6 }));
    const found = (await live.look())("entropy");
    assert.deepEqual(
      [found?.steps, found?.values],
      [
        [1, 2, 3],
        [1, 0.7, 0.6],
      ],
    );
  });

  it("see a metric that is lost in the middle of a run, and one whose numbers come back", async () => {
    const live = new LiveCurves(folder);
    const rows = Array.from({ length: 12 }, (_, i) => {
      const grad = i < 8 ? "0.3" : "NaN";
      const kl = i === 4 ? "Infinity" : "0.01";
      return `{"step": ${i + 1}, "grad_norm": ${grad}, "kl": ${kl}, "score": ${i === 5 ? "null" : "0.5"}}\n`;
    });
    writeFileSync(metrics(), rows.slice(0, 10).join(""));
    assert.equal((await live.look())("grad_norm")?.lostFrom, undefined, "two steps may be nothing");
    appendFileSync(metrics(), rows.slice(10).join(""));
    const curves = await live.look();
    assert.deepEqual(
      ["grad_norm", "kl", "score"].map((name) => [
        curves(name)?.values.length,
        curves(name)?.lostFrom,
        curves(name)?.gaps,
      ]),
      [
        [8, 9, []],
        [11, undefined, [5]],
        [11, undefined, [6]],
      ],
    );
    const [notFinite] = shippedDiagnostics().flatMap(({ spec }) =>
      spec.name === "not-finite" ? [spec] : [],
    );
    assert.ok(notFinite);
    const record = {
      name: "not-finite",
      healthy: 40,
      falseAlarms: 0,
      low: 0,
      high: 0.088,
      collapsed: 0,
      early: 0,
      leadSteps: null,
    };
    const watch = new TripwireWatch([{ spec: notFinite, record }], folder, {
      stop: () => undefined,
      failed: (sentence) => assert.equal(sentence, ""),
    });
    await watch.look();
    assert.match(watch.reason ?? "", /in grad_norm from step 9\. It fired first at step 9/);
    // A trainer that goes back to a checkpoint writes the lost steps once more.
    appendFileSync(metrics(), `{"step": 9, "grad_norm": 0.4, "kl": 0.01}\n`);
    assert.equal((await live.look())("grad_norm")?.lostFrom, undefined);
  });

  it("stop a job once, and say by which record", async () => {
    const record = {
      name: "low-entropy",
      healthy: 40,
      falseAlarms: 0,
      low: 0,
      high: 0.088,
      collapsed: 3,
      early: 2,
      leadSteps: 12,
    };
    const armed: Tripwire[] = [{ spec: alarm, record }];
    let stops = 0;
    const watch = new TripwireWatch(armed, folder, {
      stop: () => stops++,
      failed: (sentence) => assert.equal(sentence, ""),
    });
    writeFileSync(metrics(), [1, 2, 3].map((step) => line({ step, entropy: 1 })).join(""));
    await watch.look();
    assert.equal(stops, 0);
    appendFileSync(metrics(), line({ step: 4, entropy: 0.05 }));
    await Promise.all([watch.look(), watch.look()]);
    await watch.look();
    assert.equal(stops, 1);
    assert.equal(
      watch.reason,
      "The tripwire low-entropy stopped it: Entropy is 0.05. It fired first at step 4. By its record it was false on 0 of 40 healthy archived runs (0 % [0.0, 8.8]), and it fired 12 steps before the collapses that it predicted.",
    );
  });

  it("are armed by archived runs, and otherwise say why not", async () => {
    const workspace = await makeWorkspace();
    try {
      const store = await workspace.open();
      const runs = join(folder, "runs");
      mkdirSync(runs);
      for (let n = 0; n < 5; n++)
        writeFileSync(
          join(runs, `run${n}.jsonl`),
          Array.from(
            { length: 30 },
            (_, i) =>
              `${JSON.stringify({ step: i + 1, data: { "critic/score/mean": i / 30, "actor/entropy": 1 } })}\n`,
          ).join(""),
        );
      await importPaths(store, [runs]);
      const arm = async (falseAlarms: number, stop: string[]) =>
        armTripwires(store, {
          spec: { metricNames: {}, tripwires: TripwiresSpec.parse({ stop, falseAlarms }) },
          diagnostics: [{ spec: alarm }],
        });
      assert.deepEqual(
        (await arm(0.5, ["low-entropy"])).armed.map(({ spec }) => spec.name),
        ["low-entropy"],
      );
      assert.deepEqual(await arm(0.1, ["low-entropy", "unknown"]), {
        armed: [],
        notes: [
          "The tripwire low-entropy stops no job yet: it was false on 0 of 5 healthy archived runs (0 % [0.0, 43.4]), and the limit is 10 %.",
          "The tripwire unknown stops no job: it is not a diagnostic over training metrics.",
        ],
      });
      assert.deepEqual(await arm(0.5, []), { armed: [], notes: [] });
    } finally {
      await workspace.remove();
    }
  });
});
