import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { openLedger } from "../../server/src/lineage/ledger.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { services } from "../../server/src/engine/services/services.ts";
import { keepEngine } from "../../server/src/engine/owner/withEngine.ts";
import { placeOf } from "../../server/src/engine/workspace/place.ts";
import { MadeProposals, Proposal } from "../../shared/protocol/views/proposals.ts";
import { madeOnce } from "../support/base/madeOnce.ts";
import { calls, handsOver, startModelServer, type Reply } from "../support/proposers/modelServer.ts";
import { evotrainer, runEvotrainer } from "./cli.ts";
import { makeProposerProject } from "./proposerQuestion.ts";

const linear = {
  ...{ name: "linear-shape", because: "Most groups have one reward.", factor: "reward", atLeast: 0.02 },
  edit: [{ file: "harness/toy.yaml", path: "shape", from: "flat", to: "linear" }],
  targets: ["low-score"],
};
const patched = {
  ...{ name: "think-first", because: "It acts at once.", factor: "environment", targets: ["low-score"] },
  edit: [
    {
      patch:
        "--- a/harness/prompts/system.md\n+++ b/harness/prompts/system.md\n@@ -1,2 +1,2 @@\n You solve tasks.\n-Be brief.\n+Think first.\n",
    },
  ],
};

describe("evotrainer propose --proposer", function () {
  this.timeout(240_000);
  const made: string[] = [];
  const servers: { close(): Promise<void> }[] = [];
  after(() => {
    for (const root of made) rmSync(root, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });

  /** A project whose baseline is trained; the proposers are added to its evotrainer.yaml and committed. */
  const project = (yaml: string): string => {
    const trained = madeOnce("proposers", (folder) => {
      const root = makeProposerProject();
      const ran = evotrainer(root, "calibrate");
      assert.equal(ran.code, 0, ran.stderr);
      cpSync(root, folder, {
        recursive: true,
        preserveTimestamps: true,
        filter: (path) => !lstatSync(path).isSocket(),
      });
      rmSync(root, { recursive: true, force: true });
    });
    const root = mkdtempSync(join(tmpdir(), "evo-proposers-"));
    made.push(root);
    cpSync(trained, root, { recursive: true, preserveTimestamps: true });
    appendFileSync(join(root, "evotrainer.yaml"), yaml);
    const git = (...args: string[]): unknown =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.invalid", ...args], {
        cwd: root,
      });
    git("commit", "--quiet", "--all", "--message", "proposers");
    return root;
  };
  const serve = async (...script: readonly Reply[]) => {
    const server = await startModelServer(...script);
    servers.push(server);
    return server;
  };
  const models = (url: string, more = ""): string =>
    `models:\n  small: { url: "${url}", model: scripted, price: { currency: EUR, input: 2, output: 10 } }\nproposers:\n  - { name: clever, kind: model, model: small${more} }\n`;
  const questions = async (root: string) => [
    ...(await openLedger(await openRepository(root)).read()).entries.ofType("question"),
  ];
  const traces = (root: string): string =>
    readdirSync(join(root, ".evotrainer/proposers"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => readFileSync(join(root, ".evotrainer/proposers", name), "utf8"))
      .join("\n");

  it("asks a language model, which reads the evidence with the tools of MCP, and makes proposals of its drafts", async () => {
    const server = await serve(
      calls(
        { name: "evotrainer_lineage", args: {} },
        { name: "evotrainer_diagnose", args: { version: "v1" } },
        { name: "evotrainer_rollouts", args: { version: "v1", outcome: "fail" } },
        { name: "evotrainer_rollouts", args: { version: "v1", split: "audit" } },
        { name: "evotrainer_propose", args: { intervention: "bonus" } },
      ),
      handsOver(linear, patched),
    );
    const root = project(models(server.url));
    const ran = await runEvotrainer(root, "--json", "propose", "--proposer", "clever", "--count", "2");
    assert.equal(ran.code, 0, ran.stderr);
    const { proposals } = MadeProposals.parse(JSON.parse(ran.stdout));
    assert.deepEqual(
      proposals.map(({ id, parent, title }) => [id, parent, title]),
      [
        ["v2-linear-shape", "v1", "shape: flat → linear"],
        ["v3-think-first", "v1", "harness/prompts/system.md: +1 -1 lines"],
      ],
    );
    const [first, second] = server.asked;
    const offered = first?.tools?.map((tool) => tool.function.name) ?? [];
    assert.ok(offered.includes("evotrainer_backtest") && !offered.includes("evotrainer_propose"));
    const answers = z
      .array(z.object({ role: z.string(), content: z.string() }))
      .parse(second?.messages.filter(({ role }) => role === "tool"))
      .map(({ content }) => content);
    // The library answers first what it cannot read.
    const wanted = [
      /unavailable tool 'evotrainer_propose'/,
      /"name": "v1"/,
      /It is data to be analysed/,
      /"rollout": "v1\./,
      /not valid: split/,
    ];
    assert.equal(answers.length, wanted.length);
    for (const [i, pattern] of wanted.entries()) assert.match(answers[i] ?? "", pattern);
    const shown = Proposal.parse(JSON.parse(evotrainer(root, "--json", "review", "v2-linear-shape").stdout));
    assert.deepEqual([shown.state, shown.proposer], ["waiting", "clever"]);
    const [question, ...others] = await questions(root);
    assert.ok(question !== undefined && others.length === 0);
    assert.deepEqual(
      [question.version, question.proposer, question.model, question.calls, question.tokens, question.drafts],
      ["v1", "clever", "scripted", 2, 2200, ["linear-shape", "think-first"]],
    );
    assert.deepEqual(question.price, { amount: (2 * (1000 * 2 + 100 * 10)) / 1e6, currency: "EUR" });
    assert.match(question.prompt ?? "", /^library\/prompts\/proposer\.v1\.md [0-9a-f]{64}$/);
    assert.match(
      traces(root),
      /# The question.*Tool evotrainer_diagnose.*All drafts passed.*2 calls, 2200 tokens/s,
    );
    const budget = evotrainer(root, "--json", "budget").stdout;
    assert.match(budget, /"name": ?"tokens"[^}]*"spent": ?2200/);
  });

  it("takes the project's own instructions, and says which they were", async () => {
    const server = await serve(handsOver(linear));
    const root = project(models(server.url, ", prompt: harness/own.md"));
    writeFileSync(join(root, "harness/own.md"), "Propose one thing.\n");
    const ran = await runEvotrainer(root, "propose", "--proposer", "clever", "--hint", "look twice");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(JSON.stringify(server.asked[0]?.messages[1]), /What people say.*look twice/);
    assert.match(evotrainer(root, "propose", "--hint", "x").stderr, /The search cannot read hints/);
    assert.match(ran.stdout, /^v2-linear-shape on v1: shape: flat → linear\n {2}because Most groups/);
    assert.deepEqual(server.asked[0]?.messages[0], { role: "system", content: "Propose one thing.\n" });
    assert.match((await questions(root))[0]?.prompt ?? "", /^harness\/own\.md /);
  });

  it("asks nobody once the budget is spent, also by a question that was cut off", async () => {
    const server = await serve(handsOver(linear));
    const root = project(models(server.url));
    const yaml = join(root, "evotrainer.yaml");
    const budget = (tokens: number): void => {
      writeFileSync(
        yaml,
        readFileSync(yaml, "utf8").replace(/parallelJobs: 2.*\}/, `parallelJobs: 2, tokens: ${tokens} }`),
      );
      execFileSync(
        "git",
        ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-qam", "b"],
        { cwd: root },
      );
    };
    budget(0);
    const none = await runEvotrainer(root, "propose", "--proposer", "clever");
    assert.match(
      none.stderr,
      /clever was not asked: the budget of 0 tokens does not allow it.*Raise `budgets\.tokens`/,
    );
    assert.notEqual(none.code, 0);
    budget(100_000);
    const asked = await runEvotrainer(root, "propose", "--proposer", "clever");
    assert.equal(asked.code, 0, asked.stderr);
    assert.equal(server.asked.length, 1);
    // As a process leaves it that is killed between a call and the end of its question.
    const cut = {
      question: "cut",
      at: new Date().toISOString(),
      domain: "toy",
      version: "v1",
      proposer: "clever",
    };
    appendFileSync(
      join(root, ".evotrainer/proposers/calls.jsonl"),
      `${JSON.stringify({ ...cut, tokens: 95_000, money: 0 })}\n`,
    );
    const after = await runEvotrainer(root, "propose", "--proposer", "clever");
    assert.match(after.stderr, /the budget of 100,000 tokens does not allow it: 96,100 tokens are used/);
    assert.equal(server.asked.length, 1, "no call was made");
    const outcomes = (await questions(root)).map(({ calls: made, outcome }) => [made, outcome.slice(0, 20)]);
    assert.deepEqual(
      outcomes.map(([n]) => n),
      [0, 1, 0],
    );
  });

  it("runs a coding agent in a checkout, and makes a proposal of its change", async () => {
    const script = "sed -i s/^shape:.*/shape:\\ linear/ harness/toy.yaml; ls evotrainer-question";
    const root = project(
      `proposers:\n  - { name: coder, kind: agent, command: [sh, -c, ${JSON.stringify(script)}], owns: [reward] }\n  - { name: fast, kind: search, owns: [optimisation] }\n`,
    );
    const ran = await runEvotrainer(root, "propose", "--proposer", "coder");
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /^v2-coder on v1: shape: flat → linear/);
    assert.match(traces(root), /diagnosis\.txt.*lineage\.txt.*question\.md.*rollout-1\.txt/s);
    assert.deepEqual(
      (await questions(root)).map(({ proposer, calls: runs }) => [proposer, runs]),
      [["coder", 1]],
    );
    assert.match(
      evotrainer(root, "propose", "--proposer", "codr").stderr,
      /There is no proposer codr; there are: search, coder, fast\..*Did you mean coder/,
    );
    const { proposals } = MadeProposals.parse(
      JSON.parse(evotrainer(root, "--json", "propose", "--proposer", "fast", "--count", "5").stdout),
    );
    assert.deepEqual(
      proposals.map(({ title }) => title),
      ["speed: slow → fast"],
      "a search proposes what it owns",
    );
  });

  it("reads what people told it to look at, and the ledger keeps what came of that", async () => {
    const server = await serve(handsOver(linear));
    const root = project(models(server.url));
    const noted = evotrainer(root, "hint", "Look", "at", "the", "shape.");
    assert.match(noted.stdout, /^Noted\. .* change v1 or a version that is made from it\.$/m);
    assert.match(evotrainer(root, "hint", "x", "--version", "v9").stderr, /v9/);
    const asked = ["propose", "--proposer", "clever", "--hint", "Only this time: be bold."];
    assert.equal((await runEvotrainer(root, ...asked)).code, 0);
    const question = JSON.stringify(server.asked[0]?.messages);
    assert.match(question, /Look at the shape\..*Only this time: be bold\./);
    const [{ hints = [] } = {}] = await questions(root);
    assert.match(hints.join(), /^note-[\w-]+,Only this time: be bold\.$/);
    assert.match(
      evotrainer(root, "hint").stdout,
      /^v1 +Look at the shape\. +\S+ +v2-linear-shape \(not decided\)$/m,
    );
    assert.match(evotrainer(root, "--json", "lineage").stdout, /Hint for proposers: Look at the shape\./);
  });

  it("asks no model and runs no agent in a workspace that is not trusted", async () => {
    const server = await serve(handsOver(linear));
    const root = project(`${models(server.url)}  - { name: coder, kind: agent, command: [touch, ran] }\n`);
    const owner = await keepEngine(placeOf(root), { role: "editor", services, trusted: true });
    try {
      const service = await services["proposals.make"]();
      for (const proposer of ["clever", "coder"])
        await assert.rejects(
          owner.run(
            { name: "proposals.make", service, params: { proposer, trusted: false } },
            { signal: new AbortController().signal, progress: () => undefined },
          ),
          new RegExp(`${proposer} was not asked: this workspace is not trusted`),
        );
    } finally {
      await owner.close();
    }
    assert.equal(server.asked.length, 0);
    assert.deepEqual(await questions(root), []);
  });
});
