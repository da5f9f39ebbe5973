import { counted } from "../../../shared/words/numbers.ts";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rollout } from "../../../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../../../shared/spec/diagnostic.ts";
import { analyzerBatch, type AnalyzerSpec } from "../../../shared/spec/labelSource.ts";
import { HarnessError, messageOf } from "../base/errors.ts";
import type { EvidenceScope } from "../evidence/store/split.ts";
import type { Store } from "../evidence/archive/store.ts";
import { untriedRollouts, writeTried, type TriedBy, type TriedRollout } from "../evidence/labels/tried.ts";
import { wholeRollouts } from "../evidence/queries/wholeRollouts.ts";
import { runAnalyzer } from "./analyzer.ts";
import { analyzerRevision } from "./label/compileLabel.ts";
import type { NotRun, LabelPrograms } from "./label/labelPrograms.ts";

/**
 * Runs the programs among the diagnostics over the rollouts of a scope that they were not tried on yet, and keeps what they
 * say, batch by batch. What could not be run is returned with the reason: the rest of a diagnosis does not depend on it.
 * @throws HarnessError cancelled
 */
export async function runAnalyzers(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  { scope, outside }: { readonly scope: EvidenceScope; readonly outside: LabelPrograms },
): Promise<NotRun[]> {
  const notRun: NotRun[] = [];
  for (const { name, label } of diagnostics) {
    const { analyzer } = label;
    if (analyzer === undefined) continue;
    // Two diagnoses at once would run it twice over the same rollouts.
    const message = await store.exclusive(`analyzer ${name}`, () =>
      runOne(store, { name, analyzer, scope, outside }),
    );
    if (message !== null) notRun.push({ name, message });
  }
  return notRun;
}

interface Work {
  readonly name: string;
  readonly analyzer: AnalyzerSpec;
  readonly scope: EvidenceScope;
  readonly outside: LabelPrograms;
}

/** Null when it was tried on all rollouts, otherwise why not. */
async function runOne(store: Store, work: Work): Promise<string | null> {
  const { name, analyzer, scope, outside } = work;
  try {
    const program = await programHash(outside.root, name, analyzer.files);
    const by: TriedBy = { label: name, revision: analyzerRevision(analyzer), program };
    const untried = await untriedRollouts(store, by, {
      scope,
      needsText: analyzer.reads?.includes("turns") ?? true,
    });
    if (untried.length === 0) return null;
    if (outside.refused !== null)
      return `${name} was not run over ${counted(untried.length, "rollout")}: ${outside.refused}`;
    for (let from = 0; from < untried.length; from += analyzerBatch) {
      outside.progress?.({ message: `${name}: rollouts`, done: from, total: untried.length });
      const batch = untried.slice(from, from + analyzerBatch);
      await writeTried(store, by, await tryBatch(store, work, batch));
    }
    return null;
  } catch (e) {
    if (HarnessError.is(e, "jobFailed") || HarnessError.is(e, "notFound")) return e.message;
    throw e;
  }
}

async function tryBatch(
  store: Store,
  { name, analyzer, scope, outside }: Work,
  rids: readonly number[],
): Promise<TriedRollout[]> {
  const given = new Map<string, number>();
  const turnsOf = new Map<number, number>();
  const rollouts = async function* (): AsyncGenerator<Partial<Rollout>> {
    for await (const { rid, rollout } of wholeRollouts(store, { scope, rids })) {
      given.set(keyOf(rollout), rid);
      turnsOf.set(rid, rollout.turns.length);
      yield partOf(rollout, analyzer.reads);
    }
  };
  const [program, ...args] = analyzer.command;
  if (program === undefined) return [];
  const verdicts = await runAnalyzer(
    {
      command: [program, ...args],
      cwd: outside.root,
      timeoutSeconds: analyzer.timeoutSeconds,
      maxOutputBytes: analyzer.maxOutputMb * 2 ** 20,
      ...(outside.signal === undefined ? {} : { signal: outside.signal }),
    },
    rollouts(),
  );
  const found = new Map<number, TriedRollout>();
  for (const verdict of verdicts) {
    const rid = given.get(keyOf(verdict));
    if (rid === undefined)
      throw new HarnessError(
        "jobFailed",
        `The analyzer ${name} answers for ${verdict.run}/${verdict.id}, which it was not given; it must repeat the run and id that it read.`,
      );
    const turns = verdict.turns.filter((turn) => turn < (turnsOf.get(rid) ?? 0));
    found.set(rid, { rid, verdict: verdict.label, turns });
  }
  // One that it does not answer for was tried all the same, and has no value.
  return rids.map((rid) => found.get(rid) ?? { rid, verdict: null, turns: [] });
}

const keyOf = ({ run, id }: { readonly run: string; readonly id: string }): string =>
  JSON.stringify([run, id]);

function partOf(rollout: Rollout, reads: AnalyzerSpec["reads"]): Partial<Rollout> {
  if (reads === undefined) return rollout;
  const wanted = new Set<string>(["run", "id", ...reads]);
  return Object.fromEntries(Object.entries(rollout).filter(([key]) => wanted.has(key)));
}

async function programHash(root: string, name: string, files: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files.toSorted())
    try {
      hash.update(`${file}\0`).update(await readFile(join(root, file)));
    } catch (e) {
      throw new HarnessError(
        "notFound",
        `The analyzer ${name} lists ${file} under files, but EvoTrainer cannot read it: ${messageOf(e)}`,
        { cause: e },
      );
    }
  return hash.digest("hex").slice(0, 16);
}
