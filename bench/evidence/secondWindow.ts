import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { EnginePlace } from "../../server/src/engine/workspace/place.ts";
import { withEngine, type Engine } from "../../server/src/engine/owner/withEngine.ts";
import { median, type BenchRow } from "../row.ts";

const Times = z.object({ pid: z.int(), ms: z.array(z.number()) });

/** What both windows ask for: a page of the rollouts that a scalar condition lets through, and how many there are. */
export async function timeQueries(engine: Engine, rounds: number): Promise<number[]> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const page = await engine.request("rollouts.list", {
      version: "bench",
      split: "train",
      where: 'reward > 0.5 && outcome != "pass"',
      limit: 50,
    });
    ms.push(performance.now() - start);
    if (page.rollouts.length !== 50)
      throw new Error(`The page has ${page.rollouts.length} rollouts, not 50.`);
  }
  return ms;
}

/**
 * T11: median time of a query that a second process asks through the owner's socket over that of the same query asked by
 * the owner itself. The two take turns on one archive.
 */
export async function benchSecondWindow(options: {
  readonly database: string;
  readonly turns: number;
  readonly rounds: number;
}): Promise<BenchRow> {
  const place: EnginePlace = {
    root: dirname(options.database),
    archive: options.database,
    evidenceRoot: "/",
  };
  return withEngine(place, async (engine) => {
    const script = fileURLToPath(new URL("./secondWindowChild.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", script, JSON.stringify(place)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const over = once(child, "close");
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const second = async (): Promise<number[]> => {
      child.stdin.write(`${options.rounds}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error("The second window ended early.");
      const { pid, ms } = Times.parse(JSON.parse(z.string().parse(line.value)));
      if (pid === process.pid) throw new Error("The second window is no other process.");
      return ms;
    };
    try {
      const [own, others]: [number[], number[]] = [[], []];
      for (let turn = 0; turn <= options.turns; turn++) {
        const times = [await timeQueries(engine, options.rounds), await second()] as const;
        if (turn === 0) continue; // The first turn reads the file and starts the child; it belongs to neither side.
        own.push(...times[0]);
        others.push(...times[1]);
      }
      const [a, b] = [median(others), median(own)];
      return {
        name: "T11 query of a second window / of the first",
        measured: a / b,
        target: 2,
        unit: "ratio",
        detail: `median ${a.toFixed(1)} ms through the socket against ${b.toFixed(1)} ms at the owner, a page of 50 and its count, ${own.length} times each`,
      };
    } finally {
      child.stdin.end();
      await over;
    }
  });
}
