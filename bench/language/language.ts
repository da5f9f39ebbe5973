import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LanguageClient } from "./languageClient.ts";
import { longDiagnostic, smallProject } from "./languageSpecs.ts";
import { benchValidation } from "./languageValidation.ts";
import { least, median, quantile, type BenchRow, type SkippedRow } from "../row.ts";
import { ensureYamlServer } from "./yamlServer.ts";

const bundle = fileURLToPath(new URL("../../dist/server.cjs", import.meta.url));

/**
 * T9: from a keystroke in a spec of 200 lines to its findings, over that of yaml-language-server as it is shipped, with
 * our JSON Schema. Both over standard input and output, in turns; each keystroke makes or mends one mistake.
 */
export async function benchLanguage(options: {
  readonly rounds: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const server = ensureYamlServer();
  if ("skipped" in server)
    return ["T9 keystroke to findings", "T9b validation"].map((name) => ({ name, skipped: server.skipped }));
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-bench-"));
  try {
    const text = longDiagnostic();
    await writeFile(join(folder, "evotrainer.yaml"), smallProject);
    await writeFile(join(folder, "long.diagnostic.yaml"), text);
    const schema = await readFile(new URL("../../schemas/diagnostic.schema.json", import.meta.url), "utf8");
    await writeFile(join(folder, "diagnostic.schema.json"), schema);
    const [ours, theirs] = [
      new LanguageClient(bundle),
      new LanguageClient(join(server.modules, "yaml-language-server/out/server/src/server.js")),
    ];
    const schemas = { [pathToFileURL(join(folder, "diagnostic.schema.json")).href]: "*.diagnostic.yaml" };
    await ours.start(folder);
    await theirs.start(folder, {
      yaml: {
        validate: true,
        schemas,
        schemaStore: { enable: false },
        kubernetesCRDStore: { enable: false },
      },
    });
    const uri = pathToFileURL(join(folder, "long.diagnostic.yaml")).href;
    const line = text.split("\n").indexOf("  severity: warning");
    const times: [number[], number[]] = [[], []];
    for (const client of [ours, theirs]) {
      await client.open(uri, text, "yaml");
      await client.until(() => client.count(uri) === 18);
    }
    for (let round = -6; round < options.rounds; round++)
      for (const [i, client] of [ours, theirs].entries()) {
        // `severity` loses its last letter, and gets it back.
        const isBroken = round % 2 === 0;
        const start = performance.now();
        await client.replace(
          uri,
          round + 10,
          isBroken ? { line, from: 9, to: 10, text: "" } : { line, from: 9, to: 9, text: "y" },
        );
        await client.until(() => client.count(uri) === (isBroken ? 19 : 18));
        if (round >= 0) times[i]?.push(performance.now() - start);
      }
    await Promise.all([ours.stop(), theirs.stop()]);
    const keystroke: BenchRow = {
      name: "T9 keystroke to findings / yaml-language-server's",
      measured: least(times[0]) / least(times[1]),
      target: 0.05,
      unit: "ratio",
      detail: `least ${least(times[0]).toFixed(1)} (median ${median(times[0]).toFixed(1)}, p95 ${quantile(times[0], 0.95).toFixed(1)}) against ${least(times[1]).toFixed(1)} ms (${median(times[1]).toFixed(1)}, ${quantile(times[1], 0.95).toFixed(1)}), of which it waits 200 ms`,
    };
    return [keystroke, await benchValidation({ modules: server.modules, rounds: 5 * options.rounds })];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
