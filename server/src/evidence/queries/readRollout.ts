import type { Rollout, Turn } from "../../../../shared/model/rollout.ts";
import { Outcome, Split } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import { listed } from "../../base/similar.ts";
import type { Store } from "../store/database.ts";
import type { Row } from "../store/sql.ts";
import {
  bigintOf,
  booleanOrNull,
  integersOf,
  numberOf,
  numberOrNull,
  numbersOf,
  objectOf,
  stringOf,
  stringOrNull,
} from "../store/rows.ts";
import { assertOpen, type Unsealed } from "../store/split.ts";

export interface FullRollout {
  readonly rid: number;
  readonly version: string;
  /** Where it stands in the evidence: file (relative to the evidence folder) and line. */
  readonly source: { readonly path: string; readonly line: number };
  readonly rollout: Rollout;
  /** There when the text of its turns was dropped from the archive: they are empty here. */
  readonly trimmed?: true;
  readonly labels: readonly {
    readonly label: string;
    readonly revision: string;
    readonly turns: readonly number[];
  }[];
}

/**
 * One rollout with its turns and labels. `within` is its run or its version; a version that has the id in several runs
 * needs the run.
 * @throws HarnessError notFound, badInput (ambiguous, or of the sealed audit split)
 */
export async function readRollout(
  store: Store,
  key: { readonly within: string; readonly id: string; readonly unsealed?: Unsealed },
): Promise<FullRollout> {
  const name = `${key.within}/${key.id}`;
  const rows = await store.query({
    sql: `SELECT r.rid, r.run, r.split FROM rollouts r
          WHERE (r.run = ? OR r.version = ?) AND r.id = ? ORDER BY r.run = ? DESC, r.rid LIMIT 2`,
    params: [key.within, key.within, key.id, key.within],
  });
  const [found, other] = rows;
  if (found === undefined) return readRollout(store, { ...key, ...(await meantRollout(store, key)) });
  if (other !== undefined && found["run"] !== key.within)
    throw new HarnessError(
      "badInput",
      `${name} is in several runs, e.g. ${stringOf(found, "run")} and ${stringOf(other, "run")}; name the run instead of the version.`,
    );
  const { unsealed } = key;
  assertOpen({ split: Split.parse(found["split"]), ...(unsealed === undefined ? {} : { unsealed }) });
  const rid = bigintOf(found, "rid");
  // By rid as a constant: rows lie in its order, so that the bounds of the row groups leave one to read.
  const [[row = {}], unordered, labels] = await Promise.all([
    store.query({
      sql: `SELECT r.* EXCLUDE (components, extra), to_json(r.components)::VARCHAR AS components,
                   r.extra::VARCHAR AS extra, s.path
            FROM rollouts r JOIN sources s USING (source) WHERE r.rid = ${rid}`,
      params: [],
    }),
    store.query({
      sql: `SELECT idx, role, text, tool, args::VARCHAR AS args, ok, tokens, ms FROM turns WHERE rid = ${rid}`,
      params: [],
    }),
    store.query({
      sql: `SELECT label, revision, turns FROM labels WHERE rid = ${rid} ORDER BY label`,
      params: [],
    }),
  ]);
  // Sorted here, because the engine would copy every text to do it.
  const turns = unordered.toSorted((a, b) => numberOf(a, "idx") - numberOf(b, "idx"));
  return {
    rid: Number(rid),
    version: stringOf(row, "version"),
    source: { path: stringOf(row, "path"), line: numberOf(row, "line") },
    rollout: rolloutOf(row, turns.map(turnOf)),
    ...(turns.some((turn) => turn["text"] === null) ? { trimmed: true } : {}),
    labels: labels.map((l) => ({
      label: stringOf(l, "label"),
      revision: stringOf(l, "revision"),
      turns: integersOf(l, "turns"),
    })),
  };
}

/**
 * The rollout of an open split whose run or version, and whose id, begin as was written.
 * @throws HarnessError notFound, badInput where several begin so
 */
async function meantRollout(
  store: Store,
  { within, id }: { readonly within: string; readonly id: string },
): Promise<{ within: string; id: string }> {
  const found = await store.query({
    sql: `SELECT DISTINCT run, id FROM rollouts
          WHERE (starts_with(run, ?) OR starts_with(version, ?)) AND starts_with(id, ?) AND split <> 'audit'
          ORDER BY run, id LIMIT 4`,
    params: [within, within, id],
  });
  const names = found.map((row) => `${stringOf(row, "run")}/${stringOf(row, "id")}`);
  const [only] = found;
  if (only === undefined || id === "")
    throw new HarnessError(
      "notFound",
      `There is no rollout ${within}/${id} in the archive; \`evotrainer rollouts\` lists those that there are.`,
    );
  if (names.length > 1)
    throw new HarnessError(
      "badInput",
      `${within}/${id} fits several rollouts, such as ${listed(names.slice(0, 3), "and")}; write more of the name.`,
    );
  return { within: stringOf(only, "run"), id: stringOf(only, "id") };
}

export function rolloutOf(row: Row, turns: Turn[]): Rollout {
  const reason = stringOrNull(row, "unknown_reason");
  const logprob = numberOrNull(row, "logprob_mean");
  return {
    id: stringOf(row, "id"),
    run: stringOf(row, "run"),
    split: Split.parse(row["split"]),
    step: numberOf(row, "step"),
    item: stringOf(row, "item"),
    group: stringOf(row, "group"),
    sample: numberOf(row, "sample"),
    outcome: Outcome.parse(row["outcome"]),
    ...(reason === null ? {} : { unknown_reason: reason }),
    reward: numberOrNull(row, "reward"),
    components: numbersOf(row, "components"),
    stop_reason: stringOrNull(row, "stop_reason"),
    turns,
    tokens: numberOrNull(row, "tokens"),
    ...(logprob === null ? {} : { logprob_mean: logprob }),
    policy: stringOrNull(row, "policy"),
    harness: stringOrNull(row, "harness"),
    seed: numberOrNull(row, "seed"),
    started_at: stringOrNull(row, "started_at"),
    duration_ms: numberOrNull(row, "duration_ms"),
    extra: objectOf(row, "extra"),
  };
}

export function turnOf(row: Row): Turn {
  const [tool, ok] = [stringOrNull(row, "tool"), booleanOrNull(row, "ok")];
  const [tokens, ms] = [numberOrNull(row, "tokens"), numberOrNull(row, "ms")];
  return {
    role: stringOf(row, "role"),
    text: stringOrNull(row, "text") ?? "",
    ...(tool === null ? {} : { tool }),
    ...(row["args"] === null ? {} : { args: objectOf(row, "args") }),
    ...(ok === null ? {} : { ok }),
    ...(tokens === null ? {} : { tokens }),
    ...(ms === null ? {} : { ms }),
  };
}
