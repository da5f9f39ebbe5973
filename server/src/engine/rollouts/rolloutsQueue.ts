import { createHash } from "node:crypto";
import type { OpenSplit } from "../../../../shared/protocol/results/openSplit.ts";
import { peopleParts, type PeoplePart } from "../../../../shared/words/people.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { HarnessError } from "../../base/errors.ts";
import { didYouMean } from "../../base/similar.ts";
import { allHumanLabels, humanLabelsPath } from "../../diagnosis/judge/humanLabels.ts";
import { chooseQuestions, type Pool } from "../../diagnosis/people/chooseQuestions.ts";
import { nobodyAsked, partOf } from "../../diagnosis/people/measuredByPeople.ts";
import { exampleItems, peopleTallies } from "../../diagnosis/people/peopleTallies.ts";
import { severityOrder } from "../../diagnosis/rules.ts";
import type { Store } from "../../evidence/archive/store.ts";
import { labelledIn } from "../../evidence/queries/labelledIn.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { scopeCondition } from "../../evidence/store/split.ts";
import { usableDiagnostics } from "../project/usableDiagnostics.ts";
import { splitOrDefault } from "../workspace/openSplit.ts";
import { defineService } from "../workspace/service.ts";
import { engineFolderOf } from "../workspace/workspace.ts";

/**
 * The rollouts and labels of a version that people are asked about first, because their answers tell most. The same archive,
 * answers and seed give the same questions.
 */
export const rolloutsQueue = defineService("rollouts.queue", {
  repeatable: true,
  async run({ store, root }, { version, split: asked, label, part, seed, limit }) {
    const split = await splitOrDefault(store, version, asked);
    const usable = (await usableDiagnostics(root)).diagnostics;
    const specs = label === undefined ? usable : usable.filter(({ name }) => name === label);
    if (specs.length === 0 && label !== undefined)
      throw new HarnessError(
        "notFound",
        `There is no label ${label}: no diagnostic over rollouts that can be used here has this name.${didYouMean(
          label,
          usable.map(({ name }) => name),
        )}`,
      );
    const said = await allHumanLabels(humanLabelsPath(engineFolderOf(root)));
    const isSaid = new Set(said.map((one) => keyOf(one.label, one)));
    const tallies = await peopleTallies(store, said, specs);
    const examples = await exampleItems(store, specs);
    const rollouts = shuffled(await rolloutsOf(store, { version, split }), seed);
    const carriers = await labelledIn(
      store,
      { version, split },
      specs.map(({ name }) => name),
    );
    if (carriers.size === 0 && rollouts.length > 0 && label === undefined)
      throw new HarnessError(
        "notFound",
        `No rollout of ${version} has a label in the ${split} split; run \`evotrainer diagnose ${version}\`, or name a label with --label.`,
      );
    const pools = specs.flatMap((spec): Pool<Row>[] => {
      const { name } = spec;
      const labelled = new Set(carriers.get(name));
      // Of a label that nothing carries, answers only say something to somebody who asks for it.
      if (label === undefined && labelled.size === 0) return [];
      const sizes = { labelled: labelled.size, clear: rollouts.length - labelled.size };
      return (part === undefined ? peopleParts : [part]).flatMap((part) =>
        (["labelled", "clear"] as const).map((side) => ({
          ...{ label: name, part, side, sizes, weight: weightOf(spec) },
          answered: tallies.get(name)?.parts[part] ?? nobodyAsked,
          rollouts: firstOf(
            rollouts,
            limit,
            (row) =>
              labelled.has(row.rid) === (side === "labelled") &&
              !isSaid.has(keyOf(name, row)) &&
              partOf(row.item, examples.get(name) ?? new Set()) === part,
          ),
        })),
      );
    });
    const questions = chooseQuestions(pools, limit);
    return { version, split, seed, questions: questions.map(shownQuestion) };
  },
});

interface Row {
  readonly rid: number;
  readonly run: string;
  readonly id: string;
  readonly item: string;
}

const keyOf = (label: string, { run, id }: { readonly run: string; readonly id: string }): string =>
  JSON.stringify([label, run, id]);

function shownQuestion({
  label,
  part,
  side,
  rollout: { run, id, item },
}: ReturnType<typeof chooseQuestions<Row>>[number]): {
  label: string;
  run: string;
  id: string;
  item: string;
  part: PeoplePart;
  labelled: boolean;
} {
  return { label, run, id, item, part, labelled: side === "labelled" };
}

/** What makes a version invalid goes first, then what is severe. */
const weightOf = ({ label: { invalidates, severity } }: DiagnosticSpec): number =>
  invalidates ? severityOrder.length : severityOrder.length - 1 - severityOrder.indexOf(severity);

/** At most so many of those that are meant, in their order. */
function firstOf(rows: readonly Row[], limit: number, isMeant: (row: Row) => boolean): Row[] {
  const found: Row[] = [];
  for (const row of rows) {
    if (found.length >= limit) break;
    if (isMeant(row)) found.push(row);
  }
  return found;
}

/** In an order that is as good as drawn, and the same for the same seed. */
function shuffled(rows: readonly Row[], seed: number): Row[] {
  const order = ({ run, id }: Row): string =>
    createHash("sha256")
      .update(JSON.stringify(["queue", seed, run, id]))
      .digest("hex");
  return rows
    .map((row) => ({ row, at: order(row) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ row }) => row);
}

async function rolloutsOf(
  store: Store,
  { version, split }: { readonly version: string; readonly split: OpenSplit },
): Promise<Row[]> {
  const where = scopeCondition({ version, split });
  const rows = await store.query({
    sql: `SELECT r.rid, r.run, r.id, r.item FROM rollouts r WHERE ${where.sql}`,
    params: where.params,
  });
  return rows.map((row) => ({
    ...{ rid: numberOf(row, "rid"), run: stringOf(row, "run"), id: stringOf(row, "id") },
    item: stringOf(row, "item"),
  }));
}
