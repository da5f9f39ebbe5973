import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { median, type BenchRow, type SkippedRow } from "../row.ts";
import { browserPath } from "./viewPage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const Cost = z.object({ wall: z.number(), processor: z.number() });
const Times = z.object({ ours: Cost, empty: Cost });

/** What the extension costs the editor: its activation in the real extension host over that of an empty extension, and the size of its package without the platform's database. */
export async function benchActivation({
  rounds,
}: {
  readonly rounds: number;
}): Promise<(BenchRow | SkippedRow)[]> {
  const vsix = process.env["EVOTRAINER_VSIX"] ?? join(root, "dist/evotrainer.vsix");
  const host = process.env["EVOTRAINER_EDITOR_HOST"];
  if (!existsSync(vsix))
    return [
      { name: "activation and package", skipped: "there is no dist/evotrainer.vsix; run npm run package" },
    ];
  const size = packageRow(vsix);
  if (host === undefined)
    return [
      size,
      {
        name: "activation",
        skipped: "EVOTRAINER_EDITOR_HOST is not set: npm run setup -- --editor names it",
      },
    ];
  const browser = browserPath();
  if ("skipped" in browser) return [size, { name: "activation", skipped: browser.skipped }];
  const { buildSync } = await import("esbuild");
  const suite = join(root, "out/activation-suite.cjs");
  const report = join(root, "out/activation.json");
  mkdirSync(join(root, "out/shots"), { recursive: true });
  buildSync({
    entryPoints: [join(root, "bench/views/activationSuite.ts")],
    outfile: suite,
    bundle: true,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
  });
  const times: z.infer<typeof Times>[] = [];
  for (let round = 0; round < rounds; round++) {
    rmSync(report, { force: true });
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "test/editor/launcher/inHost.ts", suite, report],
      {
        cwd: root,
        encoding: "utf8",
        env: {
          EVOTRAINER_SHOTS: join(root, "out/shots"),
          EVOTRAINER_VSIX: vsix,
          EVOTRAINER_CHROMIUM: browser.path,
          ...process.env,
          EVOTRAINER_EMPTY_WORKSPACE: "1",
        },
      },
    );
    if (status !== 0) throw new Error(`The editor did not measure: ${stderr.slice(-2000)}`);
    times.push(Times.parse(JSON.parse(readFileSync(report, "utf8"))));
  }
  const over = times.map(({ ours, empty }) => ours.wall - empty.wall);
  const processor = times.map(({ ours, empty }) => ours.processor - empty.processor);
  return [
    size,
    {
      name: "activation over that of an empty extension",
      measured: median(over),
      target: 50,
      unit: "ms",
      detail: `in the extension host when it has nothing else to do, ${rounds} starts: ${times.map(({ ours, empty }) => `${ours.wall.toFixed(0)} against ${empty.wall.toFixed(0)}`).join(", ")} ms; of the processor ${median(processor).toFixed(0)} ms`,
    },
  ];
}

/** Compressed bytes of the package's entries, but for the runtime packages: those are the database and what it needs. */
function packageRow(vsix: string): BenchRow {
  const data = readFileSync(vsix);
  let at = data.readUInt32LE(data.lastIndexOf(Buffer.from("PK\u0005\u0006", "latin1")) + 16);
  let [ours, database] = [0, 0];
  while (data.readUInt32LE(at) === 0x02014b50) {
    const length = data.readUInt16LE(at + 28);
    const name = data.toString("utf8", at + 46, at + 46 + length);
    const bytes = data.readUInt32LE(at + 20);
    if (name.includes("/node_modules/")) database += bytes;
    else ours += bytes;
    at += 46 + length + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return {
    name: "package without the platform's database, in KB",
    measured: ours / 1000,
    target: 1500,
    unit: "count",
    detail: `${(database / 1e6).toFixed(1)} MB of database besides`,
  };
}
