import { writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Contract, TypesOf } from "../../../shared/protocol/services.ts";
import { service } from "../../../shared/protocol/services/service.ts";
import { HarnessError } from "../../../server/src/base/errors.ts";
import { exists } from "../../../server/src/base/files.ts";
import {
  serviceOf,
  type Service,
  type ServiceCall,
  type ServiceContext,
  type ServiceTable,
  type Work,
} from "../../../server/src/engine/workspace/service.ts";

/** For tests: reports that it began, and ends when the file `until` exists. */
async function waitFor(
  until: string,
  { signal, progress }: Pick<ServiceCall<never>, "signal" | "progress">,
): Promise<{ pid: number }> {
  progress({ message: "began", done: 0, total: 1 });
  while (!(await exists(until))) {
    if (signal.aborted) await writeFile(`${until}.aborted`, "");
    signal.throwIfAborted();
    await delay(10);
  }
  return { pid: process.pid };
}

const base = { says: "For tests.", editor: false } as const;
const nothing = () => z.object({});
const until = () => z.object({ until: z.string() });
const pid = () => z.object({ pid: z.number() });
const contract = {
  who: service({ ...base, params: nothing, result: pid }),
  wait: service({ ...base, params: until, result: pid }),
  waitOnce: service({ ...base, params: until, result: pid }),
  size: service({
    ...base,
    params: () => z.object({ text: z.string() }),
    result: () => z.object({ characters: z.number(), text: z.string() }),
  }),
  limit: service({
    ...base,
    params: () => z.object({ most: z.int().min(1) }),
    result: () => z.object({ most: z.number() }),
  }),
  rollouts: service({ ...base, params: nothing, result: () => z.object({ n: z.number() }) }),
  fail: service({
    ...base,
    params: () => z.object({ how: z.enum(["harness", "fault"]) }),
    result: () => z.null(),
  }),
};
export type TestTypes = TypesOf<typeof contract>;
const typed: Contract<TestTypes> = contract;

const define =
  <N extends keyof TestTypes>(name: N, work: Work<ServiceContext, TestTypes[N]>) =>
  (): Promise<Service<TestTypes[N]>> =>
    Promise.resolve(serviceOf<TestTypes, N, ServiceContext>(typed, name, work));

/** For tests: services that report which process ran them, and how. */
export const testServices: ServiceTable<TestTypes> = {
  who: define("who", { repeatable: true, run: () => Promise.resolve({ pid: process.pid }) }),
  wait: define("wait", { repeatable: true, run: (_, params, call) => waitFor(params.until, call) }),
  waitOnce: define("waitOnce", { repeatable: false, run: (_, params, call) => waitFor(params.until, call) }),
  size: define("size", {
    repeatable: true,
    run: (_, { text }) => Promise.resolve({ characters: text.length, text }),
  }),
  limit: define("limit", { repeatable: true, run: (_, { most }) => Promise.resolve({ most }) }),
  rollouts: define("rollouts", {
    repeatable: true,
    async run({ store }) {
      const rows = await store.query({ sql: "SELECT count(*)::INTEGER AS n FROM rollouts", params: [] });
      return { n: Number(rows[0]?.["n"]) };
    },
  }),
  fail: define("fail", {
    repeatable: true,
    run({ root }, { how }): Promise<null> {
      throw how === "harness"
        ? new HarnessError("notFound", `There is nothing in ${root}.`)
        : new TypeError("a fault of the service");
    },
  }),
};
