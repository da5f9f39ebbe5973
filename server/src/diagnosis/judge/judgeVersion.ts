import { join } from "node:path";
import type { Rollout } from "../../../../shared/model/rollout.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import type { JudgeSpec } from "../../../../shared/spec/labelSource.ts";
import { HarnessError } from "../../base/errors.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition, type EvidenceScope } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { hasText } from "../../evidence/labels/tried.ts";
import { wholeRollouts } from "../../evidence/queries/wholeRollouts.ts";
import { revisionOf } from "../label/compileLabel.ts";
import type { NotRun, LabelPrograms } from "../label/labelPrograms.ts";
import { agreementOf, type Agreement } from "./agreement.ts";
import { Answers } from "./answers.ts";
import { askBeside, partnersIn, partnersOf, type Contrast, type Contrasted } from "./contrast.ts";
import { estimate, type Estimate } from "./estimate.ts";
import { humanLabelsPath, readHumanLabels } from "./humanLabels.ts";
import { chooseSample, judgeRollouts, type Judge, type Judged } from "./judge.ts";
import { modelNamed, type ReadyModel } from "./model.ts";

/** What a judge says of a version: an estimate from a sample, never a label of its rollouts. */
export interface JudgedLabel extends Estimate {
  readonly name: string;
  readonly revision: string;
  readonly severity: DiagnosticSpec["label"]["severity"];
  readonly model: string;
  readonly seed: number;
  /** How many answers came from an earlier time. */
  readonly cached: number;
  /** Labelled rollouts of the sample, with the turns that show it and what the model said. */
  readonly shown: readonly {
    readonly rollout: string;
    readonly turns: readonly number[];
    readonly reason: string;
  }[];
  /** Null while no person labelled a rollout of the archive. */
  readonly agreement: Agreement | null;
  /** The same sample beside other rollouts of the same items; null where the judge does not ask for it. */
  readonly contrast: Contrast | null;
}

/** The most rollouts labelled by people that a judge is held against; the latest said count. */
const mostHuman = 500;
const mostShown = 5;

export interface Judgements {
  readonly judged: readonly JudgedLabel[];
  readonly notRun: readonly NotRun[];
}

/**
 * Asks the judges among the diagnostics about a sample of a scope, and about every rollout that people labelled. Answers are
 * kept, so that the same question is asked once. @throws HarnessError cancelled
 */
export async function askJudges(
  store: Store,
  diagnostics: readonly DiagnosticSpec[],
  {
    scope,
    parent,
    outside,
  }: {
    readonly scope: EvidenceScope;
    /** Where the version has a parent, the same of that one. */
    readonly parent?: EvidenceScope | undefined;
    readonly outside: LabelPrograms;
  },
): Promise<Judgements> {
  const judged: JudgedLabel[] = [];
  const notRun: NotRun[] = [];
  for (const spec of diagnostics) {
    const { name, label } = spec;
    if (label.judge === undefined) continue;
    const ready = outside.refused ?? modelNamed(label.judge.model, outside.models, outside.environment);
    if (typeof ready === "string") {
      notRun.push({ name, message: `${name} was not asked: ${ready}` });
      continue;
    }
    try {
      const found = await judgeVersion(store, { spec, judge: label.judge, ready, scope, parent, outside });
      if (found !== undefined) judged.push(found);
    } catch (e) {
      if (!HarnessError.is(e, "jobFailed")) throw e;
      notRun.push({ name, message: `${name} was not asked about all rollouts: ${e.message}` });
    }
  }
  return { judged, notRun };
}

interface Question {
  readonly spec: DiagnosticSpec;
  readonly judge: JudgeSpec;
  readonly ready: ReadyModel;
  readonly scope: EvidenceScope;
  readonly parent: EvidenceScope | undefined;
  readonly outside: LabelPrograms;
}

/** Undefined where there is no rollout to ask about. */
async function judgeVersion(store: Store, question: Question): Promise<JudgedLabel | undefined> {
  const { spec, judge, ready, scope, outside } = question;
  const all = await candidates(store, scope);
  if (all.length === 0) return undefined;
  const sample = chooseSample(all, judge.sample, judge.seed);
  const human = await humanCandidates(store, outside, spec.name);
  const inSample = new Set(sample.map(keyOf));
  const answers = await Answers.open(join(outside.engineFolder, "answers.jsonl"));
  const total = inSample.size + human.filter((h) => !inSample.has(keyOf(h))).length;
  let done = 0;
  const asker: Judge = {
    rubric: rubricOf(judge),
    model: ready.model,
    parallel: ready.parallel,
    answers,
    ask: {
      timeoutSeconds: ready.timeoutSeconds,
      ...(outside.signal === undefined ? {} : { signal: outside.signal }),
    },
  };
  const ask = (rollouts: AsyncIterable<Rollout>): ReturnType<typeof judgeRollouts> =>
    judgeRollouts(asker, rollouts);
  const told = async function* (
    within: EvidenceScope,
    chosen: readonly Candidate[],
  ): AsyncGenerator<Rollout> {
    for await (const { rollout } of wholeRollouts(store, { scope: within, rids: chosen.map((c) => c.rid) })) {
      outside.progress?.({ message: `${spec.name}: questions`, done: done++, total });
      yield rollout;
    }
  };
  const { judged, unanswered } = await ask(told(scope, sample));
  const others: Judged[] = [];
  for (const split of openSplits) {
    const chosen = human.filter((h) => h.split === split && !inSample.has(keyOf(h)));
    others.push(...(await ask(told({ split }, chosen))).judged);
  }
  const verdicts = new Map([...judged, ...others].map((j) => [keyOf(j), j.answer.label]));
  const labelled = judged.filter((j) => j.answer.label === true);
  const pairs = human.map((h) => ({ judge: verdicts.get(keyOf(h)) ?? null, human: h.labelled }));
  const counts = {
    of: all.length,
    asked: sample.length,
    labelled: labelled.length,
    clear: judged.filter((j) => j.answer.label === false).length,
    unanswered: unanswered.length,
  };
  return {
    name: spec.name,
    revision: revisionOf(["judge", rubricOf(judge), ready.model.name, judge.sample, judge.seed]),
    severity: spec.label.severity,
    model: ready.model.name,
    seed: judge.seed,
    ...estimate(counts, spec.alert),
    cached: judged.filter((j) => j.cached).length,
    shown: labelled
      .map((j) => ({ rollout: `${j.run}/${j.id}`, turns: j.answer.turns, reason: j.answer.reason }))
      .sort((a, b) => (a.rollout < b.rollout ? -1 : 1))
      .slice(0, mostShown),
    agreement: pairs.length === 0 ? null : agreementOf(pairs),
    contrast:
      judge.contrast === undefined || judge.contrast === false
        ? null
        : await askBeside(asker, {
            sample,
            ...(await partnersFor(store, question, { sample, all })),
            alone: judged,
            human: new Map(human.map((h) => [keyOf(h), h.labelled])),
            read: (rid) => oneRollout(store, scope, rid),
          }),
  };
}

/** What stands beside the rollouts of the sample, by what the judge asks for. */
async function partnersFor(
  store: Store,
  { judge, scope, parent }: Question,
  { sample, all }: { readonly sample: readonly Contrasted[]; readonly all: readonly Contrasted[] },
): Promise<Pick<Parameters<typeof askBeside>[1], "what" | "partners" | "readOther">> {
  if (judge.contrast !== "parent")
    return {
      what: "outcome",
      partners: partnersOf(sample, all, judge.seed),
      readOther: (rid) => oneRollout(store, scope, rid),
    };
  const others = parent === undefined ? [] : await candidates(store, parent);
  return {
    what: "parent",
    partners: partnersIn(sample, others, judge.seed),
    readOther: async (rid) => (parent === undefined ? undefined : oneRollout(store, parent, rid)),
  };
}

async function oneRollout(store: Store, scope: EvidenceScope, rid: number): Promise<Rollout | undefined> {
  for await (const { rollout } of wholeRollouts(store, { scope, rids: [rid] })) return rollout;
  return undefined;
}

/** What the model is told to look for. */
function rubricOf({ rubric, answers = {} }: JudgeSpec): string {
  const words = [
    ["true", answers.yes],
    ["false", answers.no],
    ["null", answers.unsure],
  ] as const;
  return [
    rubric.trim(),
    ...words.flatMap(([label, meaning]) =>
      meaning === undefined ? [] : [`"label": ${label} means: ${meaning.trim()}`],
    ),
  ].join("\n");
}

const openSplits = ["selection", "train"] as const;

interface Candidate {
  readonly rid: number;
  readonly run: string;
  readonly id: string;
}

const keyOf = ({ run, id }: { readonly run: string; readonly id: string }): string =>
  JSON.stringify([run, id]);

/** The rollouts of a scope whose text is there. */
async function candidates(store: Store, of: EvidenceScope): Promise<Contrasted[]> {
  const scope = scopeCondition(of);
  const rows = await store.query({
    sql: `SELECT r.rid, r.run, r.id, r.item, r.outcome FROM rollouts r
          WHERE ${scope.sql} AND ${hasText} ORDER BY r.rid`,
    params: scope.params,
  });
  return rows.map((row) => ({
    rid: numberOf(row, "rid"),
    run: stringOf(row, "run"),
    id: stringOf(row, "id"),
    item: stringOf(row, "item"),
    outcome: stringOf(row, "outcome"),
  }));
}

/** The archived rollouts of the open splits that people labelled, and what they said. */
async function humanCandidates(
  store: Store,
  { engineFolder }: LabelPrograms,
  label: string,
): Promise<(Candidate & { readonly split: "selection" | "train"; readonly labelled: boolean })[]> {
  const human = (await readHumanLabels(humanLabelsPath(engineFolder), label)).slice(0, mostHuman);
  if (human.length === 0) return [];
  const said = new Map(human.map((h) => [keyOf(h), h.labelled]));
  const found: (Candidate & { split: "selection" | "train"; labelled: boolean })[] = [];
  for (const split of openSplits) {
    const scope = scopeCondition({ split });
    const rows = await store.query({
      sql: `SELECT r.rid, r.run, r.id FROM rollouts r
            JOIN (SELECT unnest(?) AS run, unnest(?) AS id) h ON h.run = r.run AND h.id = r.id
            WHERE ${scope.sql} AND ${hasText} ORDER BY r.rid`,
      params: [human.map((h) => h.run), human.map((h) => h.id), ...scope.params],
    });
    for (const row of rows) {
      const of = { rid: numberOf(row, "rid"), run: stringOf(row, "run"), id: stringOf(row, "id") };
      const labelled = said.get(keyOf(of));
      if (labelled !== undefined) found.push({ ...of, split, labelled });
    }
  }
  return found;
}
