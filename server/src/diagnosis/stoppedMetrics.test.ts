import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { importPaths } from "../../../test/support/evidence/import.ts";
import { makeWorkspace } from "../../../test/support/evidence/evidence.ts";
import { shippedDiagnostics } from "../project/library.ts";
import { diagnose } from "./diagnose.ts";

type Values = Readonly<Record<string, number>>;

/** A line per step, with what is given of it; several lists are lines of their own, in the order of `at`. */
function lines(steps: number, of: (step: number) => Values | readonly Values[]): string {
  return Array.from({ length: steps }, (_, i) => i + 1)
    .flatMap((step) => [of(step)].flat().map((values) => `${JSON.stringify({ step, ...values })}\n`))
    .join("");
}
const when = (is: boolean, values: Values): Values => (is ? values : {});
const noise = (step: number): number => ((step * 7919) % 101) / 101;
const base = (step: number): Values => ({
  "actor/grad_norm": 0.3 + noise(step) / 10,
  "critic/score/mean": 0.4 + noise(step) / 10,
});

const runs: readonly (readonly [
  what: string,
  files: Readonly<Record<string, string>>,
  said: string | undefined,
])[] = [
  [
    "one that ends with step 50 of 200",
    { "a.jsonl": lines(200, (s) => ({ ...base(s), ...when(s <= 50, { "actor/entropy": 0.5, mine: 1 }) })) },
    "actor/entropy and mine (last at step 50 of 200)",
  ],
  [
    "an evaluation every ten steps that ends with step 100",
    {
      "a.jsonl": lines(200, (s) => ({ ...base(s), ...when(s % 10 === 0 && s <= 100, { "val/mine": 0.5 }) })),
    },
    "val/mine (last at step 100 of 200)",
  ],
  [
    "many",
    {
      "a.jsonl": lines(60, (s) => ({
        ...base(s),
        ...when(s <= 20, { m1: 1, m2: 1, m3: 1, m4: 1, m5: 1 }),
        ...when(s <= 40, { n: 1 }),
      })),
    },
    "m1, m2, m3 and 2 more (last at step 20 of 60); n (last at step 40 of 60)",
  ],
  [
    "one of two runs",
    {
      "a.jsonl": lines(60, (s) => ({ ...base(s), entropy: 0.5 })),
      "b.jsonl": lines(80, (s) => ({ ...base(s), ...when(s <= 30, { entropy: 0.5 }) })),
    },
    "entropy (last at step 30 of 80 in b)",
  ],
  [
    "evaluations every ten and every fifty steps",
    {
      "a.jsonl": lines(229, (s) => ({
        ...base(s),
        ...when(s % 10 === 0, { "val/a": 0.5 }),
        ...when(s % 50 === 0, { "val/b": 0.5 }),
        ...when(s === 1, { setup: 3 }),
      })),
    },
    undefined,
  ],
  [
    "what is logged when it happens",
    {
      "a.jsonl": lines(200, (s) => ({
        ...base(s),
        ...when([3, 9, 40, 44, 90, 140].includes(s), { restarts: 1 }),
      })),
    },
    undefined,
  ],
  [
    "a run that is still being written",
    { "a.jsonl": lines(100, (s) => ({ ...base(s), ...when(s <= 96, { late: 1 }) })) },
    undefined,
  ],
  [
    "updates that are counted otherwise than steps",
    {
      "a.jsonl": lines(1000, (s) => [base(s)]).replaceAll(/(?<=\{"step":(\d+).*\n)/g, (_, step: string) =>
        Number(step) % 10 === 0 ? `${JSON.stringify({ step: Number(step) / 10, update: 1 })}\n` : "",
      ),
    },
    undefined,
  ],
];

describe("metrics that a run stops to write", () => {
  for (const [what, files, said] of runs)
    it(`${said === undefined ? "are not said of" : "are said with their last step:"} ${what}`, async () => {
      const place = await makeWorkspace();
      try {
        const store = await place.open();
        for (const [name, text] of Object.entries(files)) await writeFile(place.file(name), text);
        await importPaths(
          store,
          Object.keys(files).map((name) => place.file(name)),
          { as: "metrics-jsonl", version: "v" },
        );
        const { findings } = await diagnose(store, {
          version: "v",
          domain: "imported",
          diagnostics: shippedDiagnostics().map(({ spec }) => spec),
          aggregator: "macro",
        });
        assert.deepEqual(
          findings
            .filter(({ name }) => name === "stopped-metric")
            .map(({ severity, message }) => `${severity} ${message}`),
          said === undefined
            ? []
            : [`info The run goes on, but some of its metrics are not written any more: ${said}.`],
        );
      } finally {
        await place.remove();
      }
    });
});
