import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const library = (name: string): string => JSON.stringify(new URL(`./lib/${name}`, import.meta.url).href);
const checkTool = `
  const { check } = await import(${library("suites.mjs")});
  const { verdicts } = await check("a check", process.argv[1], []);
  process.stdout.write(verdicts[0].error);
`;

describe("a check of npm test", () => {
  const folder = mkdtempSync(join(tmpdir(), "evo-check-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("takes one processor, and a quarter of the memory", () => {
    const tool = join(folder, "tool.mjs");
    writeFileSync(tool, `console.log(process.env.GOMAXPROCS, process.env.GOMEMLIMIT); process.exitCode = 1;`);
    const modules = new URL("../node_modules", import.meta.url).pathname;
    const { stdout } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", checkTool, relative(modules, tool)],
      { encoding: "utf8", env: { ...process.env, GOMAXPROCS: "7", GOMEMLIMIT: "off" } },
    );
    assert.match(stdout, /^1 \d{3,}MiB$/);
  });
});
