import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { resolve } from "node:path";
import { z } from "zod";
import { makeToyProject, toyFiles } from "./toyProject.ts";

const cli = resolve(import.meta.dirname, "../../dist/cli.cjs");

/** The program of docs/diagnostics.md, in the language that runs here. */
const program = `
for await (const line of require("node:readline").createInterface({ input: process.stdin })) {
  const { run, id, turns } = JSON.parse(line);
  const shown = turns.flatMap((turn, i) => (turn.tool === "history" ? [i] : []));
  console.log(JSON.stringify({ run, id, label: shown.length > 0, turns: shown }));
}
`
  .replace("for await", "(async () => { for await")
  .replace(/}\n$/, "} })();\n");

const project = (url: string): Record<string, string> => ({
  "evotrainer.yaml": `${toyFiles["evotrainer.yaml"] ?? ""}library: { use: none }
models:
  small: { url: ${url}, model: tiny, keyFrom: TOY_MODEL_KEY }
`,
  "harness/analyzers/history.cjs": program,
  "harness/diagnostics/reads-history.diagnostic.yaml": `apiVersion: evotrainer/v1
kind: Diagnostic
name: reads-history
label:
  analyzer:
    command: [node, harness/analyzers/history.cjs]
    files: [harness/analyzers/history.cjs]
    reads: [turns]
alert: { above: 0.1 }
`,
  "harness/diagnostics/gives-up.diagnostic.yaml": `apiVersion: evotrainer/v1
kind: Diagnostic
name: gives-up
label:
  judge:
    rubric: Does the policy give up before it tried?
    model: small
    sample: 10
alert: { above: 0.5 }
`,
});

const Report = z.looseObject({
  labels: z.array(z.looseObject({ name: z.string(), labelled: z.number(), rollouts: z.number() })),
  judged: z.array(
    z.looseObject({
      name: z.string(),
      asked: z.number(),
      of: z.number(),
      cached: z.number(),
      labelled: z.number(),
      rate: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
      agreement: z.looseObject({ rollouts: z.number(), tooFew: z.boolean() }).nullable(),
    }),
  ),
  notRun: z.array(z.object({ name: z.string(), message: z.string() })),
});
const Page = z.looseObject({ rollouts: z.array(z.looseObject({ run: z.string(), id: z.string() })) });

describe("programs and judges, on the command line", function () {
  this.timeout(240_000);
  let root = "";
  let server: Server;
  let questions = 0;
  const keys = new Set<string | undefined>();

  /** The server answers in this process, so that it must not wait for the command line. */
  const evotrainer = (...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((done, failed) => {
      const child = spawn(process.execPath, [cli, ...args], {
        cwd: root,
        env: { ...process.env, TOY_MODEL_KEY: "k" },
      });
      let [stdout, stderr] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.on("error", failed);
      child.on("close", (code) => done({ code, stdout, stderr }));
    });
  const ask = async <T>(schema: z.ZodType<T>, ...args: string[]): Promise<T> => {
    const ran = await evotrainer("--json", ...args);
    assert.notEqual(ran.stdout, "", ran.stderr);
    return schema.parse(JSON.parse(ran.stdout));
  };

  before(async () => {
    server = createServer((request, response) => {
      keys.add(request.headers.authorization);
      request.resume().on("end", () => {
        questions++;
        const content = JSON.stringify({
          label: questions % 2 === 0,
          turns: [0],
          reason: "It stops at once.",
        });
        response.end(JSON.stringify({ choices: [{ message: { content } }] }));
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    root = makeToyProject(project(`http://127.0.0.1:${port}/v1`));
    const ran = await evotrainer("evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
  });
  after(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    rmSync(root, { recursive: true, force: true });
  });

  it("label every rollout with the program, and estimate a rate from a sample with the model", async () => {
    const report = await ask(Report, "diagnose", "v0");
    assert.deepEqual(report.notRun, []);
    const own = report.labels.find((l) => l.name === "reads-history");
    assert.deepEqual([own?.labelled, own?.rollouts], [0, 240]);
    const [judged] = report.judged;
    assert.deepEqual([judged?.name, judged?.asked, judged?.of], ["gives-up", 10, 240]);
    assert.ok(judged?.rate && judged.rate.low < judged.rate.value && judged.rate.value < judged.rate.high);
    assert.equal(judged.agreement, null);
    assert.deepEqual([...keys], ["Bearer k"]);
  });

  it("ask nothing twice", async () => {
    const before = questions;
    const report = await ask(Report, "diagnose", "v0");
    assert.equal(report.judged[0]?.cached, 10);
    assert.equal(questions, before);
  });

  it("compare the judge with people's labels", async () => {
    const { rollouts } = await ask(Page, "rollouts", "v0", "--limit", "3");
    for (const { run, id } of rollouts) {
      const said = await evotrainer("label", "v0", `${run}/${id}`, "gives-up", "yes", "--note", "It did.");
      assert.equal(said.code, 0, said.stderr);
      assert.match(said.stdout, /^Recorded: .* says that .* of v0 shows gives-up\./);
    }
    const report = await ask(Report, "diagnose", "v0");
    assert.deepEqual([report.judged[0]?.agreement?.rollouts, report.judged[0]?.agreement?.tooFew], [3, true]);
    const { stdout } = await evotrainer("diagnose", "v0");
    assert.match(stdout, /gives-up: about \d+\.\d % \[.*\]: \d+ of 10 asked, of 240 rollouts; tiny, seed 1/);
    assert.match(stdout, /It agrees with people on .* of 3 rollouts: too few to say/);
  });

  it("refuse an unknown label, an unknown rollout and an invalid answer", async () => {
    const { rollouts } = await ask(Page, "rollouts", "v0", "--limit", "1");
    const name = `${rollouts[0]?.run ?? ""}/${rollouts[0]?.id ?? ""}`;
    for (const [args, message] of [
      [["v0", name, "give-up", "yes"], /There is no label give-up: .*Did you mean gives-up\?/],
      [["v0", "x/y", "gives-up", "yes"], /There is no rollout x\/y/],
      [["v1", name, "gives-up", "yes"], /belongs to v0, not to v1/],
      [["v0", name, "gives-up", "perhaps"], /yes or no, not perhaps/],
    ] as const) {
      const { code, stderr } = await evotrainer("label", ...args);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    }
  });
});
