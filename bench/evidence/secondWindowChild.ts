import { createInterface } from "node:readline";
import { z } from "zod";
import { withEngine } from "../../server/src/engine/owner/withEngine.ts";
import { timeQueries } from "./secondWindow.ts";

/** The second window: for each number that it reads it times so many queries. */
const Place = z.object({ root: z.string(), archive: z.string(), evidenceRoot: z.string() });

await withEngine(Place.parse(JSON.parse(process.argv[2] ?? "")), async (engine) => {
  for await (const line of createInterface({ input: process.stdin })) {
    const ms = await timeQueries(engine, Number(line));
    process.stdout.write(`${JSON.stringify({ pid: process.pid, ms })}\n`);
  }
});
