import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rollout } from "../../../shared/model/rollout.ts";
import { HarnessError } from "../base/errors.ts";
import { makeRollout } from "../../../test/support/evidence/evidence.ts";
import { runAnalyzer, type Analyzer, type Verdict } from "./analyzer.ts";
import { patience } from "../../../test/support/base/patience.ts";

/** A program in JavaScript that gets `rollouts`, parsed, and `say`, which writes a line. */
const program = (body: string): readonly [string, ...string[]] => [
  process.execPath,
  "-e",
  `const rollouts = []; const say = (x) => console.log(typeof x === "string" ? x : JSON.stringify(x));
   require("node:readline").createInterface({ input: process.stdin })
     .on("line", (l) => rollouts.push(JSON.parse(l))).on("close", () => { ${body} });`,
];

async function* many(count: number, text = "hello"): AsyncGenerator<Rollout> {
  await Promise.resolve();
  for (let i = 0; i < count; i++)
    yield makeRollout({ id: `r-${i}`, turns: [{ role: "assistant", text: `${text} ${i}` }] });
}

describe("an analyzer", () => {
  let cwd = "";
  before(async () => {
    cwd = await mkdtemp(join(tmpdir(), "evotrainer-analyzer-"));
  });
  after(() => rm(cwd, { recursive: true, force: true }));

  const run = (
    command: Analyzer["command"],
    more: Partial<Analyzer> = {},
    rollouts = many(3),
  ): Promise<Verdict[]> =>
    runAnalyzer({ command, cwd, timeoutSeconds: 30, maxOutputBytes: 1 << 20, ...more }, rollouts);
  const refused = async (
    promise: Promise<unknown>,
    reason: "jobFailed" | "cancelled",
    message: RegExp,
  ): Promise<void> => assert.rejects(promise, (e) => HarnessError.is(e, reason) && message.test(e.message));

  it("gets rollouts and answers with verdicts and the turns that show them; a rollout without an answer has no verdict", async () => {
    const verdicts = await run(
      program(
        `for (const { run, id, turns } of rollouts.slice(0, 2)) say({ run, id, label: turns[0].text.endsWith("1"), turns: [0] })`,
      ),
    );
    assert.deepEqual(verdicts, [
      { run: "run-1", id: "r-0", label: false, turns: [0] },
      { run: "run-1", id: "r-1", label: true, turns: [0] },
    ]);
  });

  it("takes more rollouts than fit into a pipe", async () => {
    const verdicts = await run(
      program(`for (const { run, id } of rollouts) say({ run, id, label: null })`),
      {},
      many(2000, "x".repeat(2000)),
    );
    assert.equal(verdicts.length, 2000);
  });

  it("may close its input before it has read everything", async () => {
    const verdicts = await run(
      [process.execPath, "-e", `process.stdin.destroy(); console.log('{"run":"a","id":"b","label":true}')`],
      {},
      many(2000, "x".repeat(2000)),
    );
    assert.deepEqual(verdicts, [{ run: "a", id: "b", label: true, turns: [] }]);
  });

  it("gets only the environment variables that a program needs", async () => {
    process.env["EVOTRAINER_TEST_SECRET"] = "key";
    const [verdict] = await run(
      program(
        `say({ run: String(process.env.EVOTRAINER_TEST_SECRET), id: process.env.PATH ? "path" : "", label: null })`,
      ),
    );
    delete process.env["EVOTRAINER_TEST_SECRET"];
    assert.deepEqual([verdict?.run, verdict?.id], ["undefined", "path"]);
  });

  for (const [what, body, message] of [
    ["fails", `console.error("no such model"); process.exitCode = 3`, /ended with 3: no such model/],
    ["prints something else", `say("hello")`, /something other than a verdict in line 1/],
    ["answers a number", `say({ run: "a", id: "b", label: 1 })`, /line 1: label: /],
    [
      "answers twice",
      `say({ run: "a", id: "b", label: true }); say({ run: "a", id: "b", label: false })`,
      /a\/b twice.*line 2/,
    ],
    [
      "prints without end",
      `for (;;) require("node:fs").writeSync(1, '{"run":"a","id":"' + Math.random() + '","label":true}\\n')`,
      /more than 1048576 bytes/,
    ],
  ] as const)
    it(`that ${what} sets no label`, () => refused(run(program(body)), "jobFailed", message));

  it("that does not exist is reported", () =>
    refused(run(["no-such-program-here"]), "jobFailed", /no-such-program-here cannot be started/));

  it("is stopped at its time limit, with every process that it started", async () => {
    const marker = join(cwd, "pid");
    const body = `const c = require("node:child_process").spawn("sleep", ["600"]); require("node:fs").writeFileSync(${JSON.stringify(marker)}, String(c.pid)); setInterval(() => {}, 1000)`;
    await refused(run(program(body), { timeoutSeconds: 3 }), "jobFailed", /longer than 3 s/);
    const pid = Number(await readFile(marker, "utf8"));
    const deadline = Date.now() + 10_000 * patience;
    while (isRunning(pid) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isRunning(pid), false);
  });

  it("can be cancelled before it starts and while it runs", async () => {
    await refused(
      run(program("setInterval(() => {}, 1000)"), { signal: AbortSignal.abort() }),
      "cancelled",
      /was cancelled/,
    );
    await refused(
      run(program("setInterval(() => {}, 1000)"), { signal: AbortSignal.timeout(300) }),
      "cancelled",
      /was cancelled/,
    );
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
