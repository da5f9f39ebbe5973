import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { HarnessError, messageOf } from "../../../server/src/base/errors.ts";
import { openStore } from "../../../server/src/evidence/archive/store.ts";
import { serviceNames } from "./ownerProcess.ts";
import type { EnginePlace } from "../../../server/src/engine/workspace/place.ts";
import { testServices } from "./services.ts";
import { keepEngine, withServices } from "../../../server/src/engine/owner/withEngine.ts";

/**
 * For tests: a process that uses an archive, as a command, as an evolution, or as a program that is not an engine. It reads
 * requests line by line and prints the results; it ends when its input ends.
 */
const Place = z.object({ root: z.string(), archive: z.string(), evidenceRoot: z.string() });
const Until = z.object({ until: z.string() });
const Text = z.object({ text: z.string() });
const Line = z.object({ id: z.int(), name: z.enum(serviceNames), params: z.unknown() });
const say = (value: object): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);
const failure = (e: unknown): object => ({
  reason: HarnessError.is(e) ? e.reason : "fault",
  message: messageOf(e),
});
const [mode = "", place = ""] = process.argv.slice(2);

async function verb(at: EnginePlace): Promise<void> {
  await withServices(testServices, at, async (engine) => {
    say({ open: true });
    const asked: Promise<void>[] = [];
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, name, params } = Line.parse(JSON.parse(line));
      const options = { progress: (): boolean => say({ id, began: true }) };
      const requests = {
        who: () => engine.request("who", {}, options),
        wait: () => engine.request("wait", Until.parse(params), options),
        waitOnce: () => engine.request("waitOnce", Until.parse(params), options),
        size: () => engine.request("size", Text.parse(params), options),
        rollouts: () => engine.request("rollouts", {}, options),
      };
      asked.push(
        requests[name]().then(
          (result) => void say({ id, result }),
          (e: unknown) => void say({ id, error: failure(e) }),
        ),
      );
    }
    await Promise.all(asked);
  });
}

async function ended(): Promise<void> {
  await once(process.stdin.resume(), "end");
}

async function main(at: EnginePlace): Promise<void> {
  if (mode === "verb") return verb(at);
  const held =
    mode === "evolve"
      ? await keepEngine(at, { role: "evolve", services: testServices })
      : await openStore({ path: at.archive, evidenceRoot: at.evidenceRoot });
  say({ open: true });
  await ended();
  await held.close();
}

main(Place.parse(JSON.parse(place))).then(
  () => void say({ done: true }),
  (e: unknown) => void say({ error: failure(e) }),
);
