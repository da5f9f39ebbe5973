import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { makeRollout } from "../support/evidence/evidence.ts";
import { evotrainer, runEvotrainer } from "./cli.ts";

const Body = z.object({ messages: z.array(z.object({ content: z.string() })) });

const items = 16;
/** One rollout of each item passes and one fails; every second failure hides that it gave up. */
const rollouts = Array.from({ length: items }, (_, i) =>
  [true, false].map((passed) =>
    makeRollout({
      ...{ id: `${passed ? "pass" : "fail"}-${i}`, run: "one", item: `item-${i}`, group: `g-${i}` },
      ...{ split: "selection" as const, outcome: passed ? ("pass" as const) : ("fail" as const) },
      turns: [
        { role: "user", text: `Task ${i}.` },
        {
          role: "assistant",
          text: passed ? `Done with ${i}.` : i % 2 === 0 ? `I give up on ${i}.` : `I stop at ${i}.`,
        },
      ],
    }),
  ),
).flat();

const spec = `apiVersion: evotrainer/v1
kind: Diagnostic
name: gives-up
label:
  judge: { rubric: Does the policy give up?, sample: 32, seed: 1, contrast: true }
`;

/**
 * The way to measure a judge that docs/diagnostics.md describes, with a server in place of the model: alone it finds only what is said
 * in plain words, and beside the rollout that passed also what is hidden.
 */
describe("a judge that is asked alone and beside another rollout", function () {
  this.timeout(120_000);
  let cwd = "";
  let server: Server;
  let asked = 0;
  const before = process.env["EVOTRAINER_MODEL_URL"];
  beforeEach(async () => {
    cwd = mkdtempSync(join(tmpdir(), "evo-judge-"));
    asked = 0;
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (data: Buffer) => (text += data.toString()));
      request.on("end", () => {
        asked++;
        const prompt = Body.parse(JSON.parse(text))
          .messages.map(({ content }) => content)
          .join("\n");
        const [, own] = prompt.split("The trajectory that you judge");
        const label = own === undefined ? prompt.includes("I give up") : /I give up|I stop/.test(own);
        const content = JSON.stringify({ label, turns: [1], reason: "It ends there." });
        response.end(JSON.stringify({ choices: [{ message: { content } }] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    process.env["EVOTRAINER_MODEL_URL"] = `http://127.0.0.1:${port}/v1`;
    process.env["EVOTRAINER_MODEL"] = "scripted";
  });
  afterEach(async () => {
    delete process.env["EVOTRAINER_MODEL"];
    if (before === undefined) delete process.env["EVOTRAINER_MODEL_URL"];
    else process.env["EVOTRAINER_MODEL_URL"] = before;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(cwd, { recursive: true, force: true });
  });

  it("is measured both ways on one sample by the labels of people, and asks nothing twice", async () => {
    writeFileSync(join(cwd, "run.jsonl"), rollouts.map((r) => `${JSON.stringify(r)}\n`).join(""));
    writeFileSync(join(cwd, "gives-up.diagnostic.yaml"), spec);
    const brought = evotrainer(cwd, "import", "run.jsonl", "--version", "v0");
    assert.equal(brought.code, 0, brought.stderr);
    const [first, ...others] = rollouts.map(({ run, id, outcome }) => ({
      run,
      id,
      labelled: outcome === "fail",
    }));
    assert.ok(first !== undefined);
    const said = evotrainer(
      cwd,
      "label",
      "v0",
      `${first.run}/${first.id}`,
      "gives-up",
      first.labelled ? "yes" : "no",
    );
    assert.equal(said.code, 0, said.stderr);
    // As the command writes it: a process for each would take long.
    const lines = others.map((one) => ({
      ...one,
      label: "gives-up",
      by: "somebody",
      at: new Date().toISOString(),
    }));
    appendFileSync(
      join(cwd, ".evotrainer/human-labels.jsonl"),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    const diagnose = ["diagnose", "v0", "--with", "gives-up.diagnostic.yaml"];
    const { stdout, stderr } = await runEvotrainer(cwd, ...diagnose);
    assert.equal(stderr.includes("not asked"), false, stderr);
    const printed = stdout
      .slice(stdout.indexOf("Judged, from a sample"))
      .split("\n")
      .map((line) => line.trim());
    assert.deepEqual(
      printed.filter((line) => /^(gives-up: about|It agrees|Beside|Alone)/.test(line)),
      [
        "gives-up: about 25.0 % [13.3, 42.1]: 8 of 32 asked, of 32 rollouts; scripted, seed 1",
        "It agrees with people on 75.0 % of 32 rollouts: Cohen's kappa 0.5 [0.24, 0.76].",
        "Beside a rollout of the same item with the other outcome, it labels 16 of 32; alone, 8 of the same 32: 8 only beside, 0 only alone.",
        "Beside: It agrees with people on 100 % of 32 rollouts: Cohen's kappa 1 [1, 1].",
        "Alone, on the same rollouts: It agrees with people on 75.0 % of 32 rollouts: Cohen's kappa 0.5 [0.24, 0.76].",
      ],
    );
    assert.equal(asked, 64);
    await runEvotrainer(cwd, ...diagnose);
    assert.equal(asked, 64);
  });
});
