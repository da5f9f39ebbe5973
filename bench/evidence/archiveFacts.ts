import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { withEngine } from "../../server/src/engine/owner/withEngine.ts";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { LanguageClient } from "../language/languageClient.ts";
import { longDiagnostic, smallProject } from "../language/languageSpecs.ts";
import { quantile, type BenchRow } from "../row.ts";

const bundle = fileURLToPath(new URL("../../dist/server.cjs", import.meta.url));

/**
 * Completion and hover from the moment at which a spec is opened in a trusted workspace: while the server asks the archive
 * what it holds, and once it knows. And what that question costs the engine.
 */
export async function benchArchiveFacts(options: {
  readonly folder: string;
  readonly database: string;
  readonly rows: number;
  readonly rounds: number;
}): Promise<BenchRow[]> {
  const root = await mkdtemp(join(options.folder, "facts-"));
  try {
    const place = placeOf(root);
    await mkdir(dirname(place.archive), { recursive: true });
    await copyFile(options.database, place.archive);
    await writeFile(join(root, "evotrainer.yaml"), smallProject);
    const text = longDiagnostic();
    const uri = pathToFileURL(join(root, "long.diagnostic.yaml")).href;
    const client = new LanguageClient(bundle);
    await client.start(root, {}, { trusted: true });
    await client.open(uri, text, "evotrainer-spec");
    const lines = text.split("\n");
    const ask = async (method: string, word: string): Promise<{ ms: number; answer: string }> => {
      const line = lines.findIndex((one) => one.includes(word));
      const position = { line, character: (lines[line]?.indexOf(word) ?? 0) + word.length - 1 };
      const start = performance.now();
      const answer = await client.connection.sendRequest(method, { textDocument: { uri }, position });
      return { ms: performance.now() - start, answer: JSON.stringify(answer) };
    };
    const times = { before: [] as number[], after: [] as number[] };
    const start = performance.now();
    let known: number | undefined;
    while (times.after.length < 2 * options.rounds) {
      const hover = await ask("textDocument/hover", "outcome");
      if (hover.answer.includes("The archive as of")) known ??= performance.now() - start;
      const completion = await ask("textDocument/completion", "outcome");
      times[known === undefined ? "before" : "after"].push(hover.ms, completion.ms);
      if (performance.now() - start > 60_000) throw new Error("The archive did not answer in a minute.");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await client.stop();
    const cpu = await withEngine(place, async (engine) => {
      const began = process.cpuUsage();
      await engine.request("archive.facts", {});
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    });
    const shown = (list: readonly number[]) =>
      list.length === 0
        ? "none"
        : `${list.length} p50 ${quantile(list, 0.5).toFixed(1)}, p95 ${quantile(list, 0.95).toFixed(1)} ms`;
    return [
      {
        name: `completion and hover with an archive of ${options.rows.toLocaleString("en")}, p95`,
        measured: quantile([...times.before, ...times.after], 0.95),
        target: 20,
        unit: "ms",
        detail: `while it is asked ${shown(times.before)}, once it is known, after ${(known ?? 0).toFixed(0)} ms, ${shown(times.after)}`,
      },
      {
        name: "what an archive holds, processor time",
        measured: cpu,
        target: 2000,
        unit: "ms",
        detail: `${options.rows.toLocaleString("en")} rollouts, asked once, opening not included`,
      },
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
