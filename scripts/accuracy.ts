import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { importEvidence } from "../server/src/engine/importing/importEvidence.ts";
import { readRollout } from "../server/src/evidence/queries/readRollout.ts";
import { stringOf } from "../server/src/evidence/store/rows.ts";
import { openStore, type Store } from "../server/src/evidence/archive/store.ts";
import { shippedDiagnostics } from "../server/src/project/library.ts";
import type { Rollout } from "../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../shared/spec/diagnostic.ts";
import { alarmSets, saidOf, type Said } from "./accuracyAlarms.ts";
import { alarmTable, notShown } from "./accuracyAlarmTable.ts";
import { leadTable } from "./accuracyLeads.ts";
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
  curves: "metrics_verl_grpo",
} as const;

/** Imports a set into an archive of its own, and gives that to `use`. */
async function inArchiveOf<T>(set: string, use: (store: Store) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "evotrainer-accuracy-"));
  const store = await openStore({ path: join(folder, "archive.duckdb"), evidenceRoot: folder });
  try {
    await importEvidence(
      store,
      { paths: [join(fixtures, set)] },
      { diagnostics: [], domain: "imported", signal: new AbortController().signal },
    );
    return await use(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rollouts of a set, whole. */
const rolloutsOf = async (set: string): Promise<Rollout[]> =>
  inArchiveOf(set, async (store) => {
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
  });

/** What every diagnostic says of every version of every set that a person has read. */
async function saidOfAll(diagnostics: readonly DiagnosticSpec[]): Promise<Said[]> {
  const said: Said[] = [];
  for (const set of alarmSets)
    said.push(...(await inArchiveOf(set, async (store) => saidOf(store, set, diagnostics))));
  return said;
}

async function measure(diagnostics: readonly DiagnosticSpec[]): Promise<Table[]> {
  const inspected = async (set: string, domain: string): Promise<Inspected[]> =>
    inspectAll(await rolloutsOf(set), diagnostics, domain);
  const component = ({ rollout }: Inspected, name: string): number => rollout.components[name] ?? 0;
  const tinker = await inspected(sets.tinker, "coding");
  const whoAndWhen = await inspected(sets.whoAndWhen, "question-answering");
  const hacks = [
    "forced-exit",
    "special-casing",
    "fixed-cases",
    "hard-coded-answers",
    "edits-tests",
    "edits-grader",
  ];
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
  const missing = [...new Set([...Object.values(sets), ...alarmSets])].filter(
    (set) => !existsSync(join(fixtures, set)),
  );
  if (missing.length > 0) {
    process.stdout.write(
      `accuracy: skipped, the labelled files ${missing.join(", ")} are not here; set EVOTRAINER_FIXTURES.\n`,
    );
    return;
  }
  const diagnostics = shippedDiagnostics().map(({ spec }) => spec);
  const said = await saidOfAll(diagnostics);
  const leads = await inArchiveOf(sets.curves, async (store) => leadTable(store, diagnostics));
  const text = [alarmTable(said, diagnostics), leads, ...(await measure(diagnostics))]
    .map(({ title, note, rows }) => [`### ${title}`, note, rows.join("\n")].join("\n\n"))
    .join("\n\n");
  process.stdout.write(`${text}\n`);
  const unproven = notShown(said, diagnostics);
  if (unproven.length > 0) {
    process.stdout.write(
      `accuracy: not shown to be seldom false, so give it severity info: ${unproven.join(", ")}.\n`,
    );
    process.exitCode = 1;
  }
  if (!write) return;
  const old = await readFile(page, "utf8");
  const [open, close] = ["<!-- accuracy: written by npm run accuracy -- --write -->", "<!-- /accuracy -->"];
  const [start, end] = [old.indexOf(open), old.indexOf(close)];
  if (start === -1 || end < start) throw new Error("docs/diagnostics.md has lost the marks of its accuracy.");
  const fresh = `${old.slice(0, start)}${open}\n\n${text}\n\n${old.slice(end)}`;
  await writeFile(page, await formatted(page, fresh));
}

await main(process.argv.includes("--write"));
