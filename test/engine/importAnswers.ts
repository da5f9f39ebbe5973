import assert from "node:assert/strict";
import { z } from "zod";
import type { Ran } from "./cli.ts";

const Place = z.looseObject({ path: z.string(), reason: z.string() });
export const ImportReport = z.looseObject({
  files: z.object({ read: z.number(), unchanged: z.number(), unrecognised: z.number(), refused: z.number() }),
  rollouts: z.number(),
  metrics: z.number(),
  quarantined: z.number(),
  problems: z.array(z.looseObject({ path: z.string(), line: z.number(), reason: z.string() })),
  refused: z.array(Place),
  unrecognised: z.array(Place),
  runs: z.array(
    z.object({
      run: z.string(),
      version: z.string(),
      format: z.string(),
      rollouts: z.number(),
      metricSteps: z.number(),
    }),
  ),
  coverage: z.array(
    z.looseObject({
      format: z.string(),
      rollouts: z.number(),
      unknown: z.array(z.object({ reason: z.string(), rollouts: z.number() })),
    }),
  ),
  disabled: z.array(z.object({ diagnostic: z.string(), needs: z.array(z.string()), format: z.string() })),
  lineages: z.array(z.looseObject({ lineage: z.string(), format: z.string(), versionsAdded: z.number() })),
});
export const Page = z.looseObject({
  total: z.number(),
  pass: z.number(),
  fail: z.number(),
  unknown: z.number(),
  rollouts: z.array(
    z.looseObject({
      id: z.string(),
      run: z.string(),
      group: z.string(),
      item: z.string(),
      outcome: z.string(),
      reward: z.number().nullable(),
      stop_reason: z.string().nullable(),
    }),
  ),
  next: z.string().optional(),
});
export const Shown = z.looseObject({
  rollout: z.looseObject({
    outcome: z.string(),
    reward: z.number().nullable(),
    turns: z.array(z.looseObject({ role: z.string(), text: z.string() })),
    extra: z.record(z.string(), z.unknown()),
  }),
});
export const Diagnosed = z.looseObject({
  training: z.object({
    key: z.array(
      z.looseObject({
        role: z.string(),
        name: z.string(),
        steps: z.number(),
        min: z.number().nullable(),
        max: z.number().nullable(),
      }),
    ),
  }),
  findings: z.array(z.object({ name: z.string(), severity: z.string(), message: z.string() })),
});
export const Status = z.looseObject({
  evidenceFiles: z.number(),
  versions: z.array(z.looseObject({ version: z.string(), rollouts: z.number(), trimmedTurns: z.number() })),
});

/** What a command prints with --json: one document, whatever its exit code. */
export function answer<T>(schema: z.ZodType<T>, ran: Ran, code: number): T {
  assert.equal(ran.code, code, ran.stderr);
  return schema.parse(JSON.parse(ran.stdout));
}

/** A line as verl dumps it. */
export const verlSample = (changes: object = {}): string =>
  `${JSON.stringify({ input: "user\n1+1?\nassistant\n", output: "2", gts: "2", score: 1, step: 1, ...changes })}\n`;
