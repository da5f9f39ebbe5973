import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

const root = new URL("..", import.meta.url).pathname;
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const Step = z.object({ run: z.string().optional(), uses: z.string().optional() });
const Workflow = z.object({
  permissions: z.record(z.string(), z.enum(["read", "write", "none"])),
  jobs: z.record(z.string(), z.object({ "timeout-minutes": z.number(), steps: z.array(Step) })),
});
const Action = z.object({ runs: z.object({ steps: z.array(Step) }) });
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read("package.json")));

/** Files that a script starts, and scripts of package.json that it asks npm for, which are not there. */
function missing(run: string): string[] {
  const npm = [...run.matchAll(/npm (?:run )?(test|(?<=run )[\w:]+)/g)].map(([, name = ""]) => name);
  const files = [...run.matchAll(/(?:^|\s)(?:node )?((?:\.ci|test|scripts)\/[\w./]+)/g)].map(
    ([, file = ""]) => file,
  );
  return [
    ...npm.filter((name) => scripts[name] === undefined),
    ...files.filter((file) => !existsSync(join(root, file))),
  ];
}

describe("workflows of a forge", () => {
  const steps = new Map<string, readonly z.infer<typeof Step>[]>([
    ...readdirSync(join(root, ".github/workflows")).map((name): [string, z.infer<typeof Step>[]] => {
      const path = `.github/workflows/${name}`;
      return [path, Object.values(Workflow.parse(parse(read(path))).jobs).flatMap((job) => job.steps)];
    }),
    ["action.yml", Action.parse(parse(read("action.yml"))).runs.steps],
  ]);

  for (const [path, all] of steps) {
    it(`${path} runs what is there`, () => {
      const runs = all.flatMap(({ run }) => (run === undefined ? [] : [run]));
      assert.ok(runs.length > 0);
      assert.deepEqual(runs.flatMap(missing), []);
    });
    it(`${path} writes nothing into a script that somebody else may choose, and pins its actions`, () => {
      assert.deepEqual(
        all.flatMap(({ run = "" }) => (run.includes("${{") ? [run] : [])),
        [],
      );
      assert.deepEqual(
        all.flatMap(({ uses }) => (uses === undefined || /^actions\/[\w-]+@v\d+$/.test(uses) ? [] : [uses])),
        [],
      );
    });
  }

  it("test the oldest editor that package.json supports", () => {
    const { engines } = z
      .object({ engines: z.object({ vscode: z.string() }) })
      .parse(JSON.parse(read("package.json")));
    const oldest = engines.vscode.replace("^", "");
    assert.ok(read(".github/workflows/test.yml").includes(`vscode: ["${oldest}", stable]`), oldest);
    assert.match(read(".github/workflows/test.yml"), /node test\/editor\/oldest\.mjs/);
    // As a server, which can be had without a forge; code-server has the minor number of the editor that it is.
    const { dependencies } = z
      .object({ dependencies: z.object({ "code-server": z.string() }) })
      .parse(JSON.parse(read("test/editor/oldestHost/package.json")));
    assert.equal(dependencies["code-server"].split(".")[1], oldest.split(".")[1]);
  });

  it("make of a version with an odd minor number a draft that is marked as a pre-release", () => {
    const [channel, draft] = ["GITHUB_OUTPUT", "gh release create"].map((what) =>
      steps.get(".github/workflows/release.yml")?.find(({ run = "" }) => run.includes(what)),
    );
    assert.match(draft?.run ?? "", / --draft \$RELEASE /);
    const folder = mkdtempSync(join(tmpdir(), "evo-channel-"));
    try {
      const env = { ...process.env, GITHUB_OUTPUT: join(folder, "output") };
      for (const [version, said] of [
        ["0.1.0", "option=--pre-release\nrelease=--prerelease\n"],
        ["1.2.0", "option=\nrelease=\n"],
      ] as const) {
        writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
        writeFileSync(env.GITHUB_OUTPUT, "");
        execFileSync("bash", ["-e", "-c", channel?.run ?? "false"], { cwd: folder, env });
        assert.equal(readFileSync(env.GITHUB_OUTPUT, "utf8"), said);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("are reported if they name something that does not exist", () => {
    assert.deepEqual(missing("npm run nothing && node test/gone.mjs"), ["nothing", "test/gone.mjs"]);
    assert.deepEqual(missing("npm test -- --only unit"), []);
  });
});
