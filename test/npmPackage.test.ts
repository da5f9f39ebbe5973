import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { skipBecause } from "./support/base/skip.ts";

const root = new URL("..", import.meta.url).pathname;
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, "package.json"), "utf8")));
const packed = join(root, `dist/evotrainer-${version}.tgz`);

describe("the npm package", function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), "evo npm "));
  const home = join(folder, "home");
  const prefix = join(folder, "prefix");
  const empty = join(folder, "empty");
  const temporary = join(folder, "tmp");
  // Nothing of the clone is reached: not its packages, not the user's settings.
  const env = {
    PATH: `${join(prefix, "bin")}:${process.env["PATH"] ?? ""}`,
    ...{ HOME: home, TMPDIR: temporary, NO_COLOR: "1" },
  };
  // npm may need more certificates than Node's own to ask its registry.
  const withNpm = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: process.env["EVOTRAINER_TEST_CERTIFICATES"],
    NO_UPDATE_NOTIFIER: "1",
  };
  const evotrainer = (...args: string[]) =>
    spawnSync(join(prefix, "bin/evotrainer"), args, { cwd: empty, env, encoding: "utf8" });

  before(function () {
    assert.ok(existsSync(packed), `${packed} is missing; run npm run package`);
    for (const made of [home, prefix, empty, temporary]) mkdirSync(made);
    // As the page says it: npm takes a path without ./ for a repository of a forge.
    const page = readFileSync(join(root, "docs/installing.md"), "utf8");
    const [, given = ""] = /^npm install --global (\S+)$/m.exec(page) ?? [];
    assert.equal(join(root, given), packed);
    const [, said = ""] = /the package itself is\s+([\d.]+)\s+MB/.exec(page) ?? [];
    const megabytes = statSync(packed).size / 1e6;
    assert.ok(Math.abs(Number(said) - megabytes) < 0.2, `The page says ${said} MB, and it is ${megabytes}.`);
    const ran = spawnSync(
      "npm",
      ["install", "--global", "--prefix", prefix, "--prefer-offline", "--no-audit", "--no-fund", given],
      { cwd: root, env: withNpm, encoding: "utf8" },
    );
    if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/.test(ran.stderr))
      skipBecause(this, "npm reaches no registry, which DuckDB's native library comes from");
    assert.equal(ran.status, 0, ran.stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("puts the command on the path, with its completion and the examples", () => {
    assert.equal(evotrainer("--version").stdout, `${version}\n`);
    assert.match(evotrainer("completion", "bash").stdout, /complete .*evotrainer/);
    const made = evotrainer("init", "swe");
    assert.equal(made.status, 0, made.stderr);
    assert.deepEqual(readdirSync(join(empty, "swe/trainer")).sort(), ["trainer.mjs", "trainer.py"]);
  });

  it("brings the skill for coding agents and the notices of what it contains", () => {
    const installed = evotrainer("agents", "install", "swe");
    assert.equal(installed.status, 0, installed.stderr);
    const skill = "skills/evotrainer/SKILL.md";
    for (const place of [".claude", ".agents"])
      assert.equal(
        readFileSync(join(empty, "swe", place, skill), "utf8"),
        readFileSync(join(root, "agents/evotrainer/SKILL.md"), "utf8"),
      );
    const installedAt = join(prefix, "lib/node_modules/evotrainer");
    // Messages send people to these pages.
    for (const file of ["THIRD-PARTY-NOTICES.txt", "docs/writing-evidence.md", "docs/mapping.md"])
      assert.ok(existsSync(join(installedAt, file)), file);
  });

  it("labels rollouts in an empty folder", () => {
    const outputs = join(empty, "outputs");
    mkdirSync(outputs);
    const rollout = (i: number) =>
      JSON.stringify({ input: `Question ${i}`, output: "I do not know.", score: 0, step: 1 });
    writeFileSync(
      join(outputs, "1.jsonl"),
      `${Array.from({ length: 40 }, (_, i) => rollout(i)).join("\n")}\n`,
    );
    const imported = evotrainer("import", "outputs", "--pass-when", "reward >= 1.0");
    assert.equal(imported.status, 0, imported.stderr);
    const diagnosed = evotrainer("diagnose", "--json");
    // Findings are no failure of the program, and have an exit code of their own.
    assert.equal(diagnosed.status, 1, diagnosed.stderr);
    assert.match(diagnosed.stdout, /nothing-solved/);
  });

  it("is what the action of a forge checks a project with", () => {
    const project = join(empty, "swe");
    const spec = join(project, "harness/diagnostics/abandon.diagnostic.yaml");
    writeFileSync(spec, readFileSync(spec, "utf8").replace("severity:", "severty:"));
    const Action = z.object({ runs: z.object({ steps: z.tuple([z.object({ run: z.string() })]) }) });
    const { runs } = Action.parse(parse(readFileSync(join(root, "action.yml"), "utf8")));
    const ran = spawnSync("bash", ["-eo", "pipefail", "-c", runs.steps[0].run], {
      cwd: project,
      env: {
        ...withNpm,
        ...{ EVOTRAINER_PACKAGE: packed, EVOTRAINER_FORMAT: "sarif", npm_config_prefer_offline: "true" },
        ...{ RUNNER_TEMP: folder, GITHUB_OUTPUT: join(folder, "output") },
      },
      encoding: "utf8",
    });
    assert.equal(ran.status, 1, ran.stderr);
    const [, file = ""] = /^sarif=(.*)\n$/.exec(readFileSync(join(folder, "output"), "utf8")) ?? [];
    const Log = z.object({
      runs: z.tuple([z.object({ results: z.array(z.object({ ruleId: z.string() })) })]),
    });
    const [{ results }] = Log.parse(JSON.parse(readFileSync(file, "utf8"))).runs;
    assert.ok(
      results.length > 0 && results.every(({ ruleId }) => ruleId === "schema"),
      JSON.stringify(results),
    );
  });

  it("brings nothing of the editor, and no other package than DuckDB's", () => {
    const listed = execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n");
    assert.deepEqual(
      listed.filter((file) => /webview|client|\.map$|\.ts$|node_modules|engine\.cache/.test(file)),
      [],
    );
    assert.deepEqual(
      readdirSync(join(prefix, "lib/node_modules/evotrainer/node_modules")).filter(
        (name) => !name.startsWith("."),
      ),
      ["@duckdb", "detect-libc"],
    );
  });

  it("leaves nothing behind when it is removed, apart from the user's folders and an empty one that the page names", () => {
    execFileSync("npm", ["uninstall", "--global", "--prefix", prefix, "evotrainer"], {
      cwd: empty,
      stdio: "pipe",
    });
    assert.deepEqual(readdirSync(join(prefix, "bin")), []);
    assert.deepEqual(
      readdirSync(join(prefix, "lib/node_modules")).filter((name) => !name.startsWith(".")),
      [],
    );
    assert.deepEqual(readdirSync(home), []);
    assert.deepEqual(readdirSync(temporary, { recursive: true }), [`evotrainer-${process.getuid?.()}`]);
    assert.match(readFileSync(join(root, "docs/installing.md"), "utf8"), /`evotrainer-<your user number>`/);
  });
});
