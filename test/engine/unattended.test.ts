import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { openLedger } from "../../server/src/lineage/ledger.ts";
import { openRepository } from "../../server/src/lineage/repository.ts";
import { calls, handsOver, startModelServer } from "../support/proposers/modelServer.ts";
import { evotrainer, lineageOf, runEvotrainer } from "./cli.ts";
import { makeToyProject, testedOnce, toyFiles } from "./toyProject.ts";

const interventions = ["linear-shape", "bonus", "visible-history", "faster"];

/** What the scripted proposers try, one after the other. */
const tries = [
  { name: "run-tests", factor: "reward", path: "bonus", from: 0, to: 1 },
  { name: "more-tests", factor: "reward", path: "bonus", from: 0, to: 5 },
  { name: "see-history", factor: "environment", path: "history", from: "hidden", to: "visible" },
  { name: "hurry", factor: "optimisation", path: "speed", from: "slow", to: "fast" },
  { name: "linear", factor: "reward", path: "shape", from: "flat", to: "linear" },
  { name: "amble", factor: "optimisation", path: "speed", from: "slow", to: "medium" },
] as const;

describe("an evolution of six generations that nobody watches", function () {
  this.timeout(600_000);
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  /** The toy project, in which nothing is proposed but what the proposers think of and the search moves by itself. */
  const project = (proposers: string, more: Readonly<Record<string, string>> = {}): string => {
    const root = makeToyProject({
      ...more,
      ...Object.fromEntries(
        interventions.map((name) => [`harness/interventions/${name}.intervention.yaml`, null]),
      ),
      "evotrainer.yaml": `${testedOnce(toyFiles["evotrainer.yaml"] ?? "")
        .replace("generations: 2, variantsPerGeneration: 3", "generations: 6, variantsPerGeneration: 2")
        .replace(
          "escalateAfterFailures: 99",
          "escalateAfterFailures: 99, questionAfterFailures: 2",
        )}${proposers}`,
    });
    roots.push(root);
    return root;
  };

  /** What has to be in the record of such an evolution, and that another clone reads it the same. */
  async function assertWhole(root: string, proposer: string): Promise<void> {
    const { versions } = lineageOf(root);
    const trained = versions.filter(({ name }) => !["v0", "v1"].includes(name));
    assert.equal(Math.max(...versions.map(({ generation }) => generation)), 6);
    assert.ok(
      trained.some(({ decision }) => decision === "invalid"),
      "a quarantine",
    );
    assert.ok(
      trained.some(({ factor, decision }) => factor === "diagnostics" && decision === "keep"),
      "a revision of the harness",
    );
    const { entries } = await openLedger(await openRepository(root)).read();
    assert.ok([...entries.ofType("procedure")].length > 0, "the procedure was questioned");
    const own = [...entries.ofType("hypothesis")].filter((h) => h.proposer === proposer);
    assert.ok(own.length >= 4, `${proposer} made ${own.length} of ${trained.length} proposals`);
    for (const one of own)
      assert.ok(versions.find(({ name }) => name === one.version)?.decision !== "pending", one.version);
    const clone = `${root}-clone`;
    roots.push(clone);
    execFileSync("git", ["clone", "--quiet", root, clone]);
    execFileSync("git", ["branch", "evotrainer/ledger", "origin/evotrainer/ledger"], { cwd: clone });
    assert.deepEqual(lineageOf(clone), lineageOf(root));
    const told = evotrainer(clone, "lineage");
    assert.doesNotMatch(told.stderr, /Notice|claim/);
  }

  it("has a language model propose: its leak is quarantined, its diagnostic admitted, its failures questioned", async () => {
    const later = {
      ...{
        name: "later-echo",
        because: "It alerts too early.",
        factor: "diagnostics",
        targets: ["low-score"],
      },
      edit: [
        { file: "harness/diagnostics/echo-trap.diagnostic.yaml", path: "alert.above", from: 0.1, to: 0.2 },
      ],
    };
    let next = 0;
    const server = await startModelServer(({ messages }) => {
      // It looks at the lineage first, and then hands over what is next.
      if (!messages.some(({ role }) => role === "tool"))
        return calls({ name: "evotrainer_lineage", args: {} });
      const one = tries[next++ - 1];
      if (one === undefined) return handsOver(later);
      const { name, factor, ...edit } = one;
      return handsOver({
        ...{ name, factor, because: "It may help.", targets: ["low-score"], atLeast: 0.02 },
        edit: [{ file: "harness/toy.yaml", ...edit }],
      });
    });
    try {
      const root = project(
        `models:\n  small: { url: "${server.url}", model: scripted }\nproposers:\n  - { name: clever, kind: model, model: small }\n`,
      );
      const ran = await runEvotrainer(root, "evolve");
      assert.equal(ran.code, 0, ran.stderr);
      await assertWhole(root, "clever");
      assert.ok(server.asked.length >= 8);
    } finally {
      await server.close();
    }
  });

  it("has a coding agent propose, while the search revises a diagnostic", async () => {
    // It reads in the lineage what it tried, and edits what comes next.
    const script = [
      `try() { grep -q "$1" evotrainer-question/lineage.txt && return; printf '{"name":"%s","because":"It may help."}' "$1" > evotrainer-question/answer.json; sed -i "s/^$2: .*/$2: $3/" harness/toy.yaml; exit 0; }`,
      ...tries.map(({ name, path, to }) => `try ${name} ${path} ${to}`),
    ].join("\n");
    const root = project(
      `proposers:\n  - { name: coder, kind: agent, command: [sh, -c, ${JSON.stringify(script)}] }\n`,
      {
        "harness/interventions/later-echo.intervention.yaml": `apiVersion: evotrainer/v1
kind: Intervention
name: later-echo
hypothesis: { change: alert.above, metric: solve_rate, direction: increase, because: it alerts too early }
targets: [low-score]
factor: diagnostics
edit: [{ file: harness/diagnostics/echo-trap.diagnostic.yaml, path: alert.above, from: 0.1, to: 0.2 }]
success: { atLeast: 0.5 }
`,
      },
    );
    const ran = await runEvotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    await assertWhole(root, "coder");
  });
});
