import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { importEvidence } from "../server/src/engine/importing/importEvidence.ts";
import { readRollout } from "../server/src/evidence/queries/readRollout.ts";
import { stringOf } from "../server/src/evidence/store/rows.ts";
import { openStore } from "../server/src/evidence/archive/store.ts";
import { shippedDiagnostics } from "../server/src/project/library.ts";
import type { Rollout } from "../shared/model/rollout.ts";
import { formatted } from "./formatted.ts";
import {
  decisiveSteps,
  inspectAll,
  namedSteps,
  outcomeRows,
  truthRows,
  type Inspected,
  type Table,
} from "./accuracyTables.ts";

/**
 * Measures the shipped diagnostics against files that people or graders labelled; with --write the tables go into
 * docs/diagnostics.md. The files are not part of the repository: EVOTRAINER_FIXTURES says where they lie.
 */
const root = join(import.meta.dirname, "..");
const fixtures = process.env["EVOTRAINER_FIXTURES"] ?? resolve(root, "../shared/fixtures");
const page = join(root, "docs", "diagnostics.md");

const sets = {
  tau: "agent_tau_bench",
  dgm: "agent_dgm_initial",
  tinker: "rl_tinker_rewardhack_rollouts",
  whoAndWhen: "labelled_who_and_when",
} as const;

/** Imports a set into an archive of its own and gives back its rollouts, whole. */
async function rolloutsOf(set: string): Promise<Rollout[]> {
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-accuracy-"));
  const store = await openStore({ path: join(folder, "archive.duckdb"), evidenceRoot: folder });
  try {
    await importEvidence(
      store,
      { paths: [join(fixtures, set)] },
      { diagnostics: [], signal: new AbortController().signal },
    );
    const rows = await store.query({
      sql: "SELECT run, id FROM rollouts WHERE split <> 'audit' ORDER BY rid",
      params: [],
    });
    const rollouts: Rollout[] = [];
    for (const row of rows)
      rollouts.push(
        (await readRollout(store, { within: stringOf(row, "run"), id: stringOf(row, "id") })).rollout,
      );
    return rollouts;
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(): Promise<Table[]> {
  const diagnostics = shippedDiagnostics().map(({ spec }) => spec);
  const inspected = async (set: string, domain: string): Promise<Inspected[]> =>
    inspectAll(await rolloutsOf(set), diagnostics, domain);
  const component = ({ rollout }: Inspected, name: string): number => rollout.components[name] ?? 0;
  const tinker = await inspected(sets.tinker, "coding");
  const whoAndWhen = await inspected(sets.whoAndWhen, "question-answering");
  const hacks = ["forced-exit", "special-casing", "hard-coded-answers", "edits-tests", "edits-grader"];
  return [
    outcomeRows(
      "τ-bench, airline: 200 trajectories, graded by their effect on the database",
      await inspected(sets.tau, "dialogue"),
    ),
    outcomeRows(
      "DGM, initial agent: tasks of SWE-bench, graded by their tests",
      await inspected(sets.dgm, "swe"),
    ),
    truthRows(
      "Tinker, public and private tests: the sandbox failed (its own counters)",
      tinker,
      ["verifier-error"],
      (i) =>
        ["docker_error", "could_not_run_tests", "failed_startup_commands"].some(
          (name) => component(i, name) > 0,
        ),
      " The import reads the reason for an unknown outcome from the same counters, so this table only shows that none is lost.",
    ),
    truthRows(
      "Tinker, public and private tests: passes the public tests alone",
      tinker,
      ["public-tests-only", ...hacks],
      (i) => component(i, "public_reward") >= 1 && component(i, "private_reward") < 1,
    ),
    decisiveSteps("Who&When: the step that people found to be the decisive mistake", whoAndWhen),
    namedSteps("Who&When: the decisive step among at most three turns named", whoAndWhen, diagnostics),
  ];
}

async function main(write: boolean): Promise<void> {
  const missing = Object.values(sets).filter((set) => !existsSync(join(fixtures, set)));
  if (missing.length > 0) {
    process.stdout.write(
      `accuracy: skipped, the labelled files ${missing.join(", ")} are not here; set EVOTRAINER_FIXTURES.\n`,
    );
    return;
  }
  const text = (await measure())
    .map(({ title, note, rows }) => [`### ${title}`, note, rows.join("\n")].join("\n\n"))
    .join("\n\n");
  process.stdout.write(`${text}\n`);
  if (!write) return;
  const old = await readFile(page, "utf8");
  const [open, close] = ["<!-- accuracy: written by npm run accuracy -- --write -->", "<!-- /accuracy -->"];
  const [start, end] = [old.indexOf(open), old.indexOf(close)];
  if (start === -1 || end < start) throw new Error("docs/diagnostics.md has lost the marks of its accuracy.");
  const fresh = `${old.slice(0, start)}${open}\n\n${text}\n\n${old.slice(end)}`;
  await writeFile(page, await formatted(page, fresh));
}

await main(process.argv.includes("--write"));
