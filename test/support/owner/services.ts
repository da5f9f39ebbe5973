import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { HarnessError } from "../../../server/src/base/errors.ts";
import { exists } from "../../../server/src/base/files.ts";
import { defineService, type ServiceCall } from "../../../server/src/engine/workspace/service.ts";

/** For tests: reports that it began, and ends when the file `until` is there. */
async function waitFor(until: string, { signal, progress }: ServiceCall): Promise<{ pid: number }> {
  progress({ message: "began", done: 0, total: 1 });
  while (!(await exists(until))) {
    if (signal.aborted) await writeFile(`${until}.aborted`, "");
    signal.throwIfAborted();
    await delay(10);
  }
  return { pid: process.pid };
}

const until = z.object({ until: z.string() });

/** For tests: services that show which process ran them, and how. */
export const testServices = {
  who: () =>
    Promise.resolve(
      defineService({
        name: "who",
        repeatable: true,
        params: z.object({}),
        run: () => Promise.resolve({ pid: process.pid }),
      }),
    ),
  wait: () =>
    Promise.resolve(
      defineService({
        name: "wait",
        repeatable: true,
        params: until,
        run: (_, params, call) => waitFor(params.until, call),
      }),
    ),
  waitOnce: () =>
    Promise.resolve(
      defineService({
        name: "waitOnce",
        repeatable: false,
        params: until,
        run: (_, params, call) => waitFor(params.until, call),
      }),
    ),
  size: () =>
    Promise.resolve(
      defineService({
        name: "size",
        repeatable: true,
        params: z.object({ text: z.string() }),
        run: (_, { text }) => Promise.resolve({ characters: text.length, text }),
      }),
    ),
  limit: () =>
    Promise.resolve(
      defineService({
        name: "limit",
        repeatable: true,
        params: z.object({ most: z.int().min(1) }),
        run: (_, { most }) => Promise.resolve({ most }),
      }),
    ),
  rollouts: () =>
    Promise.resolve(
      defineService({
        name: "rollouts",
        repeatable: true,
        params: z.object({}),
        async run({ store }) {
          const rows = await store.query({ sql: "SELECT count(*)::INTEGER AS n FROM rollouts", params: [] });
          return { n: Number(rows[0]?.["n"]) };
        },
      }),
    ),
  fail: () =>
    Promise.resolve(
      defineService({
        name: "fail",
        repeatable: true,
        params: z.object({ how: z.enum(["harness", "fault"]) }),
        run({ root }, { how }): Promise<null> {
          throw how === "harness"
            ? new HarnessError("notFound", `There is nothing in ${root}.`)
            : new TypeError("a fault of the service");
        },
      }),
    ),
};
export type TestServices = typeof testServices;
