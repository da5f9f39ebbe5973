import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";

const runFiles = `
  const { TestProcess } = await import(${JSON.stringify(new URL("./lib/testProcess.mjs", import.meta.url).href)});
  const worker = new TestProcess();
  for (const file of process.argv.slice(1)) {
    const { verdicts } = await worker.run({ file, module: file, timeout: 300, env: {} });
    process.stdout.write(JSON.stringify(verdicts) + "\\n");
  }
  await worker.close();
`;
const Verdicts = z.array(z.object({ title: z.string(), state: z.string(), error: z.string().default("") }));

/** What is in a test file, and its verdicts: the title, how it ended, and what its error says. */
const files: [string, [RegExp, "passed" | "failed" | "skipped", RegExp][]][] = [
  [
    `it("a", () => {}); it.skip("b");`,
    [
      [/^a$/, "passed", /^$/],
      [/^b$/, "skipped", /^$/],
    ],
  ],
  [
    `it("ends it all", () => { console.error("gone"); process.exit(3); });`,
    [[/ran to its end/, "failed", /3\.\ngone/]],
  ],
  [``, [[/has tests/, "failed", /No test ran/]]],
  [`this is no JavaScript`, [[/ran to its end/, "failed", /SyntaxError/]]],
  [
    `it("hangs", () => new Promise(() => {})); it("next", () => {});`,
    [
      [/^hangs$/, "failed", /Timeout of 300ms/],
      [/^next$/, "passed", /^$/],
    ],
  ],
  [
    `before(() => { throw new Error("no room"); }); it("a", () => {});`,
    [[/before all/, "failed", /no room/]],
  ],
];
/** What a file leaves running for those that come next: it is ended once, when no more files come. */
const left = (mark: string): string => `
  import { appendFileSync, existsSync } from "node:fs";
  const mark = ${JSON.stringify(mark)};
  it("leaves something running", () => {
    const said = existsSync(mark);
    globalThis[Symbol.for("evotrainer.endOfRun")].push(async () => { appendFileSync(mark, "ended"); });
    if (said) throw new Error("ended too early");
  });`;
/** The error of the first comes before the second has begun, or while it runs: it is told with the second either way. */
const late = [
  `it("leaves", () => { setTimeout(() => { throw new Error("too late"); }, 50); });`,
  `it("waits", function (done) { this.timeout(0); setTimeout(done, 500); });`,
];

describe("a process that runs test files", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), "evo-tests-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("reports what happened to each file, even if the file hangs, ends the process or has no test", () => {
    const mark = join(folder, "mark");
    const paths = [...files.map(([text]) => text), ...late, left(mark)].map((text, i) => {
      const path = join(folder, `${i}.mjs`);
      writeFileSync(path, text);
      return path;
    });
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "-e", runFiles, ...paths],
      {
        encoding: "utf8",
        env: { ...process.env, EVOTRAINER_PATIENCE: "1" },
      },
    );
    const lines = stdout.trim().split("\n");
    assert.equal(lines.length, paths.length, stderr);
    for (const [i, [text, expected]] of files.entries()) {
      const verdicts = Verdicts.parse(JSON.parse(lines[i] ?? ""));
      assert.equal(verdicts.length, expected.length, `${text}\n${lines[i] ?? ""}`);
      for (const [at, [title, state, error]] of expected.entries()) {
        const verdict = verdicts[at];
        assert.ok(verdict);
        assert.match(verdict.title, title);
        assert.equal(verdict.state, state);
        assert.match(verdict.error, error);
      }
    }
    const last = Verdicts.parse(JSON.parse(lines.at(-2) ?? ""));
    assert.ok(
      last.some(({ state, error }) => state === "failed" && error.includes("too late")),
      lines.at(-2),
    );
    assert.deepEqual(
      Verdicts.parse(JSON.parse(lines.at(-1) ?? "")).map(({ state }) => state),
      ["passed"],
    );
    assert.equal(readFileSync(mark, "utf8"), "ended");
  });

  it("gives what tests start no certificates to read", () => {
    const path = join(folder, "certificates.mjs");
    const said = "`${process.env.NODE_EXTRA_CA_CERTS} ${process.env.EVOTRAINER_TEST_CERTIFICATES}`";
    writeFileSync(path, `it("says", () => { throw new Error(${said}); });`);
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", runFiles, path], {
      encoding: "utf8",
      env: { ...process.env, NODE_EXTRA_CA_CERTS: "a.pem" },
    });
    assert.match(stdout, /undefined a\.pem/);
  });
});
