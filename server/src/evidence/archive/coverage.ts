import { HarnessError } from "../../base/errors.ts";
import { mappedAdapter } from "../mapping/mapped.ts";
import { adapterNamed, isFormat } from "../adapters/registry.ts";
import type { Store } from "../store/database.ts";
import { readRegistrations } from "../store/registrations.ts";
import { numberOf, stringOf } from "../store/rows.ts";

/** A field of the contract, and in how many of the rollouts it has a value. */
export interface FieldCoverage {
  readonly field: string;
  readonly rollouts: number;
}

/** What one format provided of the contract over the rollouts of some runs. */
export interface FormatCoverage {
  readonly format: string;
  readonly title: string;
  readonly files: number;
  readonly runs: number;
  readonly rollouts: number;
  /** Every field in the order of the contract, `turns.…` for those of its turns. */
  readonly fields: readonly FieldCoverage[];
  /**
   * Fields that no rollout has: why the format cannot provide them, or null when it could have. A step that the format
   * does not know is among them, although every rollout then bears 0.
   */
  readonly missing: readonly { readonly field: string; readonly reason: string | null }[];
  /** Fields that some rollouts lack. */
  readonly partial: readonly { readonly field: string; readonly rollouts: number }[];
  /** Fields that were derived, with how. */
  readonly inferred: readonly { readonly field: string; readonly how: string }[];
  /** Unknown outcomes by reason, most frequent first, at most 20. The audit split is sealed: its reasons are not told. */
  readonly unknown: readonly { readonly reason: string; readonly rollouts: number }[];
}

const rolloutFields: Readonly<Record<string, string>> = {
  outcome: "count(*) FILTER (r.outcome <> 'unknown')",
  reward: "count(r.reward)",
  components: "count(*) FILTER (cardinality(r.components) > 0)",
  stop_reason: "count(r.stop_reason)",
  tokens: "count(r.tokens)",
  logprob_mean: "count(r.logprob_mean)",
  policy: "count(r.policy)",
  harness: "count(r.harness)",
  seed: "count(r.seed)",
  started_at: "count(r.started_at)",
  duration_ms: "count(r.duration_ms)",
};

const turnFields = ["tool", "args", "ok", "tokens", "ms"] as const;

/** What the named runs have of the contract, one entry per format; `evotrainer` stands for the contract itself. */
export async function coverageOf(store: Store, runs: readonly string[]): Promise<FormatCoverage[]> {
  const scope = "r.run IN (SELECT unnest(from_json(?, '[\"VARCHAR\"]')))";
  const params = [JSON.stringify(runs)];
  const heads = await store.query({
    sql: `SELECT coalesce(s.format, 'evotrainer') AS format, count(*) AS rollouts, count(DISTINCT r.run) AS runs,
                 count(DISTINCT r.source) AS files,
                 ${Object.entries(rolloutFields)
                   .map(([field, sql]) => `${sql} AS ${field}`)
                   .join(", ")}
          FROM rollouts r JOIN sources s USING (source) WHERE ${scope} GROUP BY ALL ORDER BY format`,
    params,
  });
  const turns = await store.query({
    sql: `SELECT format, count(*) AS turns, ${turnFields.map((field) => `count(*) FILTER (has_${field}) AS ${field}`).join(", ")}
          FROM (SELECT coalesce(any_value(s.format), 'evotrainer') AS format,
                       ${turnFields.map((field) => `bool_or(t.${field} IS NOT NULL) AS has_${field}`).join(", ")}
                FROM turns t JOIN rollouts r USING (rid) JOIN sources s USING (source) WHERE ${scope} GROUP BY t.rid)
          GROUP BY ALL`,
    params,
  });
  const reasons = await store.query({
    sql: `SELECT coalesce(s.format, 'evotrainer') AS format, r.unknown_reason AS reason, count(*) AS rollouts
          FROM rollouts r JOIN sources s USING (source) WHERE ${scope} AND r.outcome = 'unknown' AND r.split <> 'audit'
          GROUP BY coalesce(s.format, 'evotrainer'), r.unknown_reason QUALIFY row_number() OVER (PARTITION BY coalesce(s.format, 'evotrainer') ORDER BY count(*) DESC, r.unknown_reason) <= 20
          ORDER BY format, rollouts DESC, reason`,
    params,
  });
  const mappings = await mappingsOf(store);
  const described = new Map<string, Described>();
  for (const head of heads) {
    const format = stringOf(head, "format");
    described.set(format, await describe(format, mappings.get(format)));
  }
  return heads.map((row): FormatCoverage => {
    const format = stringOf(row, "format");
    const rollouts = numberOf(row, "rollouts");
    const turn = turns.find((t) => stringOf(t, "format") === format);
    const fields: FieldCoverage[] = [
      ...Object.keys(rolloutFields).map((field) => ({ field, rollouts: numberOf(row, field) })),
      { field: "turns", rollouts: turn === undefined ? 0 : numberOf(turn, "turns") },
      ...turnFields.map((field) => ({
        field: `turns.${field}`,
        rollouts: turn === undefined ? 0 : numberOf(turn, field),
      })),
    ];
    const known = described.get(format) ?? nothingKnown(format);
    const counted = new Set(fields.map(({ field }) => field));
    const empty = new Set(fields.flatMap(({ field, rollouts: having }) => (having === 0 ? [field] : [])));
    return {
      format,
      title: known.title,
      files: numberOf(row, "files"),
      runs: numberOf(row, "runs"),
      rollouts,
      fields,
      missing: [
        ...fields
          .filter(({ field }) => empty.has(field))
          .map(({ field }) => ({ field, reason: known.absent[field] ?? null })),
        ...Object.entries(known.absent)
          .filter(([field]) => !counted.has(field))
          .map(([field, reason]) => ({ field, reason })),
      ],
      // A trajectory may well make no call: only the fields that every rollout could have are told as missing in some.
      partial: fields
        .filter((f) => f.rollouts > 0 && f.rollouts < rollouts && !f.field.startsWith("turns."))
        .map((f) => ({ field: f.field, rollouts: rollouts - f.rollouts })),
      // How a field is derived says nothing where no rollout has it.
      inferred: Object.entries(known.inferred).flatMap(([field, how]) =>
        empty.has(field) ? [] : [{ field, how }],
      ),
      unknown: reasons
        .filter((r) => stringOf(r, "format") === format)
        .map((r) => ({ reason: stringOf(r, "reason"), rollouts: numberOf(r, "rollouts") })),
    };
  });
}

/**
 * SQL over `rollouts r` that holds of those whose format knows no step, although they bear 0; undefined where the archive has
 * none of such a format.
 */
export async function steplessCondition(store: Store): Promise<string | undefined> {
  const rows = await store.query({
    sql: "SELECT DISTINCT format FROM sources WHERE kind = 'rollouts' AND format IS NOT NULL",
    params: [],
  });
  if (rows.length === 0) return undefined;
  const mappings = await mappingsOf(store);
  const names: string[] = [];
  for (const row of rows) {
    const format = stringOf(row, "format");
    const { absent } = await describe(format, mappings.get(format));
    if (absent["step"] !== undefined) names.push(`'${format.replaceAll("'", "''")}'`);
  }
  return names.length === 0
    ? undefined
    : `(r.step = 0 AND r.source IN (SELECT source FROM sources WHERE format IN (${names.join(", ")})))`;
}

interface Described {
  readonly title: string;
  readonly absent: Readonly<Record<string, string>>;
  readonly inferred: Readonly<Record<string, string>>;
}

const nothingKnown = (format: string): Described => ({ title: format, absent: {}, inferred: {} });

async function describe(format: string, mapping: string | undefined): Promise<Described> {
  if (format === "evotrainer") return { title: "evidence contract", absent: {}, inferred: {} };
  if (mapping === undefined) return isFormat(format) ? adapterNamed(format) : nothingKnown(format);
  try {
    return mappedAdapter(mapping, format);
  } catch (e) {
    // The text was kept by another release, for which it was right.
    if (HarnessError.is(e, "specInvalid")) return nothingKnown(format);
    throw e;
  }
}

/** The mapping files that evidence was read by, by the name of the format: their text is kept with what they read. */
async function mappingsOf(store: Store): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { imported } of await readRegistrations(store.path))
    if (imported?.mapping !== undefined) found.set(imported.format, imported.mapping);
  return found;
}
