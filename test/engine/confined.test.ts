import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import type { VersionReport } from "../../shared/ledger/lineage.ts";
import { LocalExecutor } from "../../server/src/runner/local.ts";
import { keeperPath } from "../support/runner/jobs.ts";
import { needsConfinement } from "../support/runner/confined.ts";
import { evotrainerAlone as evotrainer, lineageOf } from "./cli.ts";
import { makeToyProject, toyFiles } from "./toyProject.ts";

const project = toyFiles["evotrainer.yaml"] ?? "";

/** An evolution of one change; `trainer` and `evaluation` are more of these parts of evotrainer.yaml. */
const settings = (trainer: string, evaluation: string): string =>
  project
    .replace("budgetSeconds: 60", `budgetSeconds: 60, ${trainer}`)
    .replace("  files: [trainer.mjs]", `  files: [trainer.mjs]\n${evaluation}`)
    .replace("paths: [speed]", "paths: [speed, fault]")
    .replace("generations: 2", "generations: 1")
    .replace("variantsPerGeneration: 3", "variantsPerGeneration: 1");

const only = (name: string, change: string): Record<string, string | null> => ({
  ...Object.fromEntries(
    Object.keys(toyFiles)
      .filter((f) => f.endsWith(".intervention.yaml"))
      .map((f) => [f, null]),
  ),
  [`harness/interventions/${name}.intervention.yaml`]: (
    toyFiles["harness/interventions/faster.intervention.yaml"] ?? ""
  )
    .replace("name: faster", `name: ${name}`)
    .replace("path: speed, from: slow, to: fast", change),
});

describe("an evolution with confined jobs", function () {
  this.timeout(300_000);
  const roots: string[] = [];
  before(async function () {
    const executor = new LocalExecutor({ runsDirectory: "/tmp/evo-none", keeper: keeperPath });
    await needsConfinement(this, executor);
  });
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  });
  const evolve = (
    changes: Record<string, string | null>,
  ): { root: string; versions: readonly VersionReport[] } => {
    const root = makeToyProject(changes);
    roots.push(root);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    return { root, versions: lineageOf(root).versions };
  };
  const honest = { ...only("linear", "path: shape, from: flat, to: linear") };
  const linear = Object.fromEntries(
    Object.entries(honest).map(([path, text]) => [
      path,
      text?.replace("factor: optimisation", "factor: reward") ?? null,
    ]),
  );
  const numbers = (versions: readonly VersionReport[]) =>
    versions.map(({ name, decision, score, low, high, audit, labels, comparison }) => ({
      ...{ name, decision, score, low, high, audit, labels, comparison },
    }));

  it("finds the same to the digit as without it, even when a fresh job measures what is kept", () => {
    const confined = evolve({ ...linear, "evotrainer.yaml": settings("confine: require", "  rerun: kept") });
    const free = evolve({ ...linear, "evotrainer.yaml": settings("confine: off", "  rerun: never") });
    assert.deepEqual(numbers(confined.versions), numbers(free.versions));
    assert.ok(confined.versions.some((v) => v.decision === "keep" && v.parent !== null && v.audit !== null));
    for (const { unconfined } of confined.versions) assert.equal(unconfined, undefined);
    for (const { unconfined, reason } of free.versions) {
      assert.match(unconfined ?? "", /trainer\.confine in evotrainer\.yaml is off/);
      assert.match(reason, /Unconfined: /);
    }
    assert.match(evotrainer(confined.root, "jobs").stdout, /v1\.selection\.s1/);
    assert.match(
      evotrainer(confined.root, "jobs", "--quarantine").stdout.replaceAll(/\s+/g, " "),
      /measured again by the job v1\.selection\.s1/,
    );
  });

  it("keeps no version whose training job reported successes that its policy does not have", () => {
    const boast = only("boast", "path: fault, from: none, to: boast");
    const believed = evolve({ ...boast, "evotrainer.yaml": settings("seeds: [1]", "  rerun: never") });
    assert.equal(believed.versions.at(-1)?.decision, "keep");
    for (const rerun of ["kept", "always"]) {
      const { versions } = evolve({
        ...boast,
        "evotrainer.yaml": settings("seeds: [1]", `  rerun: ${rerun}`),
      });
      const last = versions.at(-1);
      assert.equal(last?.decision, "reject", last?.reason);
      assert.ok((last.score ?? 1) < 0.5, String(last.score));
    }
  });
});
