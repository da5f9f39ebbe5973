import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const Verdicts = z.array(
  z.object({
    title: z.string(),
    state: z.string(),
    error: z.string().optional(),
    first: z.string().optional(),
  }),
);
const library = (name: string): string => JSON.stringify(new URL(`./lib/${name}`, import.meta.url).href);
const repeat = `
  const { TestProcess } = await import(${library("testProcess.mjs")});
  const { repeatFailures } = await import(${library("repeats.mjs")});
  const { summarize } = await import(${library("suites.mjs")});
  const orders = process.argv.slice(1).map((file) => ({ file, order: { file, module: file, timeout: 300, env: {} } }));
  const worker = new TestProcess();
  const result = { name: "s", verdicts: [], orders };
  for (const { file, order } of orders)
    result.verdicts.push(...(await worker.run(order)).verdicts.map((verdict) => ({ file, ...verdict })));
  worker.end();
  await repeatFailures([result], () => {});
  const lines = [];
  const code = summarize([result], (line) => lines.push(line));
  process.stdout.write(JSON.stringify({ verdicts: result.verdicts, lines, code }));
`;

describe("test files in which a test failed", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), "evo-repeats-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = (texts: readonly string[]) => {
    const paths = texts.map((text, i) => {
      const path = join(folder, `${texts.length}-${i}.mjs`);
      writeFileSync(path, text);
      return path;
    });
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", repeat, ...paths], {
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    return z
      .object({ verdicts: Verdicts, lines: z.array(z.string()), code: z.number() })
      .parse(JSON.parse(stdout));
  };
  /** Throws the first time that it runs. */
  const once = (name: string): string => {
    const mark = JSON.stringify(join(folder, name));
    return `import { existsSync, writeFileSync } from "node:fs";
      const once = () => { if (existsSync(${mark})) return; writeFileSync(${mark}, ""); throw new Error("not yet"); };`;
  };

  it("run once more: what fails again has failed, and what passes then is named with its first error", () => {
    const { verdicts, lines, code } = run([
      `it("never", () => { throw new Error("no"); }); it("always", () => {});`,
      `${once("a")} it("second", once);`,
      `${once("b")} before(once); it("behind a hook", () => {});`,
    ]);
    assert.deepEqual(
      verdicts.map(({ title, state, first }) => [title, state, first?.split("\n")[0]]),
      [
        ["never", "failed", undefined],
        ["always", "passed", undefined],
        ["second", "passed", "Error: not yet"],
        ["behind a hook", "passed", "Error: not yet"],
      ],
    );
    assert.equal(lines.filter((line) => line.includes("PASSED ONLY WHEN REPEATED")).length, 2);
    assert.equal(lines.at(-1), "3 passed, 1 failed, 0 skipped");
    assert.equal(code, 1);
  });

  it("are not repeated if there are more than twelve", () => {
    const { lines } = run(Array.from({ length: 13 }, (_, i) => `${once(`many${i}`)} it("${i}", once);`));
    assert.equal(lines.at(-1), "0 passed, 14 failed, 0 skipped");
  });
});
