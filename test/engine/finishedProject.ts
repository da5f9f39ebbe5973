import assert from "node:assert/strict";
import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { madeOnce } from "../support/base/madeOnce.ts";
import { comparable, evotrainer, lineageOf, type Ran } from "./cli.ts";
import { firstProposal, makeReviewProject } from "./reviewProject.ts";
import { makeToyProject, oneChangeFiles, testedOnce, toyFiles } from "./toyProject.ts";

function copy(from: string, to: string): void {
  // An engine's socket cannot be copied, and no process listens on it.
  const filter = (path: string): boolean => !lstatSync(path).isSocket();
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter });
}

/** A copy, in a new temporary folder, of a project that no engine has open. */
export function copyProject(from: string): string {
  const root = mkdtempSync(join(tmpdir(), "evo-toy-"));
  copy(from, root);
  return root;
}

/** A copy, in a new temporary folder, of a project that is made once. */
function copyOf(name: string, make: () => string): string {
  return copyProject(
    madeOnce(name, (folder) => {
      const made = make();
      copy(made, folder);
      rmSync(made, { recursive: true, force: true });
    }),
  );
}

/** The toy project after its two generations. */
export const makeEvolvedProject = (): string =>
  copyOf("evolved", () => {
    const root = makeToyProject();
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 0, ran.stderr);
    return root;
  });

/** evotrainer.yaml of a project that tries one change per generation, and trains and measures each version once. */
export const oneByOne = testedOnce(oneChangeFiles["evotrainer.yaml"] ?? "");

/** What the evolution of that project said; no test reads it in the project. */
const said = ".evotrainer/said.json";

/** The project with it after the first of its two generations, with what the evolution printed. */
export function projectAfterOne(): { readonly root: string; readonly ran: Ran } {
  const root = copyOf("afterOne", () => {
    const made = makeToyProject({ "evotrainer.yaml": oneByOne });
    const ran = evotrainer(made, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    writeFileSync(join(made, said), JSON.stringify(ran));
    return made;
  });
  const ran = JSON.parse(readFileSync(join(root, said), "utf8")) as Ran;
  rmSync(join(root, said));
  return { root, ran };
}

export const makeProjectAfterOne = (): string => projectAfterOne().root;

/** evotrainer.yaml of `makeCalibratedProject`. */
export const calibratedSpec = testedOnce(toyFiles["evotrainer.yaml"] ?? "");

/** The project with it before its first generation: the base policy and the baseline are trained and measured. */
export const makeCalibratedProject = (): string =>
  copyOf("calibrated", () => {
    const root = makeToyProject({ "evotrainer.yaml": calibratedSpec });
    const ran = evotrainer(root, "calibrate");
    assert.equal(ran.code, 0, ran.stderr);
    return root;
  });

/** What must come of one generation of the toy project that tries one change, wherever and however often it is begun. */
export const oneChangeLineage = (): unknown => {
  const root = copyOf("oneChange", () => {
    const made = makeToyProject(oneChangeFiles);
    const ran = evotrainer(made, "evolve", "--generations", "1");
    assert.equal(ran.code, 0, ran.stderr);
    return made;
  });
  try {
    return comparable(lineageOf(root));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

/** The project of the review tests, whose evolution waits for an answer. */
export const makeWaitingProject = (): string =>
  copyOf("waiting", () => {
    const root = makeReviewProject();
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(ran.stderr, new RegExp(`Waiting for approval of ${firstProposal}`));
    return root;
  });

/** The same project after its gate was answered: its champion waits to be promoted. */
export const makeProjectAtPromotion = (): string =>
  copyOf("promotion", () => {
    const root = makeWaitingProject();
    assert.equal(evotrainer(root, "review", firstProposal, "approve").code, 0);
    const ran = evotrainer(root, "evolve");
    assert.equal(ran.code, 3, ran.stderr);
    assert.match(ran.stderr, new RegExp(`promote ${firstProposal} --approve`));
    return root;
  });
