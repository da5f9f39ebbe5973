import type { LabelByPeople } from "../../../../shared/protocol/results/people.ts";
import type { PeoplePart } from "../../../../shared/words/people.ts";
import type { DiagnosticSpec } from "../../../../shared/spec/diagnostic.ts";
import { numberOf, stringOf } from "../../evidence/store/rows.ts";
import { openSplits } from "../../evidence/store/split.ts";
import type { Store } from "../../evidence/archive/store.ts";
import type { HumanLabel } from "../judge/humanLabels.ts";
import { measuredByPeople, nobodyAsked, partOf, type Answered, type Sizes } from "./measuredByPeople.ts";

/** What people answered about a label, by part of the items, and how many rollouts their answers stand for. */
export interface PeopleTally {
  readonly parts: Readonly<Record<PeoplePart, Answered>>;
  readonly sizes: Sizes;
}

/** The same as precision and recall. */
export const labelByPeople = (label: string, { parts, sizes }: PeopleTally): LabelByPeople => ({
  label,
  heldOut: measuredByPeople(parts.heldOut, sizes),
  tuning: measuredByPeople(parts.tuning, sizes),
});

/**
 * Holds the labels in the archive against what people said, by label. Labels count as the archive has them, because lists show
 * those too. A rollout of a version that was never labelled is passed over, and so are sealed ones.
 */
export async function peopleTallies(
  store: Store,
  said: readonly HumanLabel[],
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "examples">[],
): Promise<ReadonlyMap<string, PeopleTally>> {
  if (said.length === 0) return new Map();
  const answers = await store.query({
    sql: `SELECT h.label, h.yes, r.item, l.rid IS NOT NULL AS carried
          FROM (SELECT unnest(?) AS run, unnest(?) AS id, unnest(?) AS label, unnest(?) AS yes) h
          JOIN rollouts r ON r.run = h.run AND r.id = h.id
          SEMI JOIN (${labelledPlaces}) p ON p.version = r.version AND p.split = r.split
          LEFT JOIN (SELECT DISTINCT rid, label FROM labels) l ON l.rid = r.rid AND l.label = h.label
          WHERE ${openSplits}`,
    params: saidColumns(said),
  });
  const sizes = await sizesOf(store, said);
  const examples = await exampleItems(store, diagnostics);
  const found = new Map<string, { parts: Record<PeoplePart, Answered>; sizes: Sizes }>();
  for (const row of answers) {
    const label = stringOf(row, "label");
    const tally = found.get(label) ?? {
      parts: { heldOut: nobodyAsked, tuning: nobodyAsked },
      sizes: sizes.get(label) ?? { labelled: 0, clear: 0 },
    };
    found.set(label, tally);
    const part = partOf(stringOf(row, "item"), examples.get(label) ?? new Set());
    tally.parts[part] = withAnswer(tally.parts[part], {
      carried: row["carried"] === true,
      yes: stringOf(row, "yes") === "yes",
    });
  }
  return found;
}

const saidColumns = (said: readonly HumanLabel[]): string[][] => [
  said.map(({ run }) => run),
  said.map(({ id }) => id),
  said.map(({ label }) => label),
  said.map(({ labelled }) => (labelled ? "yes" : "no")),
];

/** Versions of which a rollout has any label: there, a rollout without a label was looked at. */
const labelledPlaces = `SELECT DISTINCT r.version, r.split FROM labelled JOIN rollouts r USING (rid)`;

function withAnswer(
  { labelled, clear }: Answered,
  { carried, yes }: { readonly carried: boolean; readonly yes: boolean },
): Answered {
  const one = Number(yes);
  return carried
    ? { labelled: { asked: labelled.asked + 1, right: labelled.right + one }, clear }
    : { labelled, clear: { asked: clear.asked + 1, missed: clear.missed + one } };
}

/** How many rollouts have each label and how many do not, in the versions that people answered about. */
async function sizesOf(store: Store, said: readonly HumanLabel[]): Promise<ReadonlyMap<string, Sizes>> {
  const rows = await store.query({
    sql: `WITH asked AS (
            SELECT DISTINCT h.label, r.version, r.split
            FROM (SELECT unnest(?) AS run, unnest(?) AS id, unnest(?) AS label) h
            JOIN rollouts r ON r.run = h.run AND r.id = h.id
            SEMI JOIN (${labelledPlaces}) p ON p.version = r.version AND p.split = r.split
            WHERE ${openSplits}
          )
          SELECT a.label, count(*) AS rollouts, count(l.rid) AS labelled
          FROM asked a JOIN rollouts r ON r.version = a.version AND r.split = a.split
          LEFT JOIN (SELECT DISTINCT rid, label FROM labels) l ON l.rid = r.rid AND l.label = a.label
          GROUP BY a.label`,
    params: saidColumns(said).slice(0, 3),
  });
  return new Map(
    rows.map((row) => {
      const labelled = numberOf(row, "labelled");
      return [stringOf(row, "label"), { labelled, clear: numberOf(row, "rollouts") - labelled }];
    }),
  );
}

/** The items of the archived rollouts that are examples of a diagnostic, by its name. */
export async function exampleItems(
  store: Store,
  diagnostics: readonly Pick<DiagnosticSpec, "name" | "examples">[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const named = diagnostics.flatMap(({ name, examples }) =>
    examples.flatMap(({ rollout }) => (typeof rollout === "string" ? [{ name, rollout }] : [])),
  );
  const found = new Map<string, Set<string>>();
  if (named.length === 0) return found;
  const rows = await store.query({
    sql: `SELECT e.name, r.item FROM (SELECT unnest(?) AS name, unnest(?) AS rollout) e
          JOIN rollouts r ON r.run || '/' || r.id = e.rollout WHERE ${openSplits}`,
    params: [named.map(({ name }) => name), named.map(({ rollout }) => rollout)],
  });
  for (const row of rows) {
    const name = stringOf(row, "name");
    found.set(name, (found.get(name) ?? new Set()).add(stringOf(row, "item")));
  }
  return found;
}
