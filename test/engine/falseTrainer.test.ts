import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { z } from "zod";
import { evotrainer, lineageOf, type Ran } from "./cli.ts";
import { copyProject } from "./finishedProject.ts";
import { commitChanges, makeToyProject, toyFiles } from "./toyProject.ts";

const play = "harness/interventions/a-play.intervention.yaml";
/** An intervention that only tells the trainer how to play. */
const playing = (how: string): string =>
  (toyFiles["harness/interventions/faster.intervention.yaml"] ?? "")
    .replace("name: faster", "name: a-play")
    .replace("change: speed", "change: fault")
    .replace("path: speed, from: slow, to: fast", `path: fault, from: none, to: ${how}`)
    .replace("atLeast: 0.02", "atLeast: 0.05");

/** The project that tries it first and an honest one after it. No job is confined, so that the trainer can do it. */
const files: Readonly<Record<string, string | null>> = {
  "evotrainer.yaml": (toyFiles["evotrainer.yaml"] ?? "")
    .replace("budgetSeconds: 60", "budgetSeconds: 60, confine: off")
    .replace("paths: [speed]", "paths: [speed, fault]")
    .replace("variantsPerGeneration: 3", "variantsPerGeneration: 1")
    .replace("  files: [trainer.mjs]", "  rerun: never\n  samples: 4\n  files: [trainer.mjs]"),
  "harness/interventions/linear-shape.intervention.yaml": null,
  "harness/interventions/bonus.intervention.yaml": null,
  "harness/interventions/visible-history.intervention.yaml": null,
};

interface Played {
  readonly root: string;
  readonly evolved: Ran;
  readonly numbers: unknown;
  readonly names: readonly string[];
}

describe("a trainer that plays false", function () {
  this.timeout(240_000);
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });
  /** The project whose baseline is trained, and in which nobody has played yet. */
  let calibrated = "";
  const played = (how: string): Played => {
    const root = copyProject(calibrated);
    roots.push(root);
    commitChanges(root, { [play]: playing(how) });
    const evolved = evotrainer(root, "evolve");
    assert.equal(evolved.code, 0, evolved.stderr);
    const { versions } = lineageOf(root);
    const numbers = versions.map(({ decision, score, low, high, audit, labels, comparison }) => {
      const { against, difference, low: from, high: to } = comparison ?? {};
      return { decision, score, low, high, audit, labels, against, difference, from, to };
    });
    return { root, evolved, numbers, names: versions.map(({ name }) => name) };
  };
  let honest: Played;
  before(() => {
    calibrated = makeToyProject(files);
    roots.push(calibrated);
    const ran = evotrainer(calibrated, "calibrate");
    assert.equal(ran.code, 0, ran.stderr);
    honest = played("idle");
    assert.deepEqual(honest.names, ["v0", "v1", "v2-a-play", "v3-faster"]);
    assert.deepEqual(lineageOf(honest.root).changedEvidence, undefined);
    assert.equal(evotrainer(honest.root, "doctor").code, 0);
    assert.match(evotrainer(honest.root, "jobs", "--quarantine").stdout, /No lines are in quarantine/);
  });

  for (const [how, what] of [
    [
      "append",
      /omething added [\d,]+ bytes to rollouts\.jsonl of the run v1\.train\.s1 after its job had ended\. They count nowhere/,
    ],
    [
      "rewrite",
      /omething changed rollouts\.jsonl of the run v1\.train\.s1 after its job had ended\. The archive keeps what it had read before/,
    ],
  ] as const)
    it(`changes no number when it does "${how}" to its parent's evidence, and everybody is told`, async () => {
      const { root, evolved, numbers } = played(how);
      assert.deepEqual(numbers, honest.numbers);
      assert.match(evolved.stderr, what);
      const { changedEvidence = [] } = lineageOf(root);
      assert.equal(changedEvidence.length, 1);
      assert.match(changedEvidence[0] ?? "", what);
      const inOneLine = (text: string): string => text.replace(/\s+/g, " ");
      assert.match(inOneLine(evotrainer(root, "lineage").stdout), what);
      assert.match(evotrainer(root, "jobs").stdout, what);
      const doctor = evotrainer(root, "doctor");
      assert.match(inOneLine(doctor.stdout), what);
      assert.equal(doctor.code, 1);
      assert.match(await fromMcp(root), what);
    });

  it("scores what was asked of it and nothing else; the rest is set aside with its reason", () => {
    const { root, numbers } = played("false-rows");
    assert.deepEqual(numbers, honest.numbers);
    const lines = z
      .array(z.looseObject({ path: z.string(), reason: z.string() }))
      .parse(JSON.parse(evotrainer(root, "--json", "jobs", "--quarantine").stdout));
    assert.ok(lines.length > 0 && lines.every(({ path }) => path.startsWith("v2-a-play.train.s1/")));
    const archive = z
      .looseObject({ versions: z.array(z.looseObject({ version: z.string(), quarantined: z.number() })) })
      .parse(JSON.parse(evotrainer(root, "--json", "archive", "status").stdout));
    const expected = 60 + 200 + 4 * 60 + 60 + 60;
    assert.deepEqual(
      archive.versions.map(({ version, quarantined }) => [version, quarantined]),
      [
        ["v0", 0],
        ["v1", 0],
        ["v2-a-play", expected],
        ["v3-faster", 0],
      ],
    );
  });
});

/** What an assistant is told of the lineage. */
async function fromMcp(root: string): Promise<string> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [resolve(import.meta.dirname, "../../dist/cli.cjs"), "mcp", "--project", root],
    }),
  );
  try {
    return JSON.stringify(await client.callTool({ name: "evotrainer_lineage", arguments: {} }));
  } finally {
    await client.close();
  }
}
