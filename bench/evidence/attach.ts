import { spawn } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { generateRollouts, writeSynthetic } from "../generate.ts";
import { median, type BenchRow } from "../row.ts";

const cli = fileURLToPath(new URL("../../dist/cli.cjs", import.meta.url));
const Said = z.object({ rollouts: z.number(), isBehind: z.boolean() });

/**
 * Attach: from the moment at which the last line of a training step of 256 rollouts is written until `evotrainer attach`, as
 * it is built, says how the run stands with their labels. The run has so many rollouts already; nine of ten are of training.
 */
export async function benchAttach(options: {
  readonly folder: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow> {
  const { rows, rounds } = options;
  const folder = mkdtempSync(join(options.folder, "attach-"));
  const [run, here] = [join(folder, "run"), join(folder, "here")];
  for (const path of [run, here]) mkdirSync(path);
  const file = join(run, "rollouts.jsonl");
  await writeSynthetic(file, { rows, textBytes: 150, exchanges: 1, seed: 1 });
  const child = spawn(process.execPath, [cli, "attach", run, "--json"], {
    cwd: here,
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const lines: AsyncIterator<string, undefined> = createInterface({ input: child.stdout })[
      Symbol.asyncIterator
    ]();
    const until = async (fits: (said: z.infer<typeof Said>) => boolean): Promise<number> => {
      for (;;) {
        const { value } = await lines.next();
        if (value === undefined)
          throw new Error("evotrainer attach ended before it had labelled new rollouts.");
        const said = Said.parse(JSON.parse(value));
        if (fits(said)) return said.rollouts;
      }
    };
    let now = await until(({ rollouts }) => rollouts > 0);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const texts = stepTexts(rows + round);
      appendFileSync(file, texts.join(""));
      const start = performance.now();
      now = await until(({ rollouts }) => rollouts === now + texts.length);
      times.push(performance.now() - start);
      await until(({ isBehind }) => !isBehind);
    }
    return {
      name: "attach: a written line to its label, at 100,000 rollouts",
      measured: median(times),
      target: 5000,
      unit: "ms",
      detail: `${now} rollouts of training, 256 more each time, ${rounds} times: ${times.map((ms) => (ms / 1000).toFixed(1)).join(", ")} s`,
    };
  } finally {
    child.kill("SIGINT");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of a training step that no other round has. */
function stepTexts(step: number): string[] {
  const texts: string[] = [];
  for (const rollout of generateRollouts({ rows: 300, textBytes: 150, exchanges: 1, seed: step }))
    if (rollout.split === "train" && texts.length < 256)
      texts.push(
        `${JSON.stringify({ ...rollout, id: `${step}-${rollout.id}`, step, group: `${step}-${rollout.group}` })}\n`,
      );
  return texts;
}
