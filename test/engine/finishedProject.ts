import assert from "node:assert/strict";
import { cpSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { madeOnce } from "../support/base/madeOnce.ts";
import { comparable, evotrainer, lineageOf } from "./cli.ts";
import { firstProposal, makeReviewProject } from "./reviewProject.ts";
import { makeToyProject, oneChangeFiles, testedOnce } from "./toyProject.ts";

function copy(from: string, to: string): void {
  // An engine's socket cannot be copied, and no process listens on it.
  const filter = (path: string): boolean => !lstatSync(path).isSocket();
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter });
}

/** A copy, in a new temporary folder, of a project that is made once. */
function copyOf(name: string, make: () => string): string {
  const finished = madeOnce(name, (folder) => {
    const made = make();
    copy(made, folder);
    rmSync(made, { recursive: true, force: true });
  });
  const root = mkdtempSync(join(tmpdir(), "evo-toy-"));
  copy(finished, root);
  return root;
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

/** The project with it after the first of its two generations. */
export const makeProjectAfterOne = (): string =>
  copyOf("afterOne", () => {
    const root = makeToyProject({ "evotrainer.yaml": oneByOne });
    const ran = evotrainer(root, "evolve", "--generations", "1");
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
