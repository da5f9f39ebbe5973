import type { Rollout, Turn } from "../../../../shared/model/rollout.ts";
import { Outcome, Split } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
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
  if (found === undefined)
    throw new HarnessError(
      "notFound",
      `There is no rollout ${name} in the archive; \`evotrainer rollouts\` lists those that there are.`,
    );
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
