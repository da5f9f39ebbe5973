import type { ArchiveFacts } from "../../../../shared/protocol/views/archiveFacts.ts";
import type { Store } from "../store/database.ts";
import type { Row } from "../store/sql.ts";
import { integersOf, numberOf, numberOrNull, stringOf } from "../store/rows.ts";
import { openSplits } from "../store/split.ts";

/** The audit split is sealed: nothing that is told here has seen it. */
const open = openSplits;

const numbers = {
  rollouts: ["step", "sample", "reward", "tokens", "logprob_mean", "seed", "duration_ms"],
  features: ["n_turns", "n_messages", "n_tool_calls", "n_tool_errors", "n_tools", "longest_tool_streak"],
} as const;
/** Texts of which there are few: their values are worth offering. */
const texts = {
  rollouts: ["outcome", "split", "unknown_reason", "stop_reason", "policy"],
  features: ["streak_tool"],
} as const;
/** How many of the newest rollouts are looked at for what fields hold; everything that decides is counted over all. */
const newest = 100_000;

type Known = { readonly commits: number; readonly facts: ArchiveFacts };
const known = new WeakMap<Store, Known>();

/** What the archive holds of train and selection, read anew only after something was committed. */
export async function archiveFacts(store: Store): Promise<ArchiveFacts> {
  const commits = store.commits();
  const before = known.get(store);
  if (before?.commits === commits) return before.facts;
  const [counts = {}] = await rowsOf(
    store,
    `SELECT count(*) AS n, coalesce(max(r.rid), 0)::BIGINT AS last FROM rollouts r WHERE ${open}`,
  );
  const recent = `${open} AND r.rid > ${numberOf(counts, "last") - newest}`;
  const facts: ArchiveFacts = {
    at: Date.now(),
    rollouts: numberOf(counts, "n"),
    versions: await versions(store),
    fields: { ...(await fields(store, "rollouts", recent)), ...(await fields(store, "features", recent)) },
    metrics: await metrics(store),
    components: await components(store, recent),
    labels: await labels(store),
    tried: await triedLabels(store),
    sharedItems: await sharedItems(store),
  };
  known.set(store, { commits, facts });
  return facts;
}

const rowsOf = (store: Store, sql: string): Promise<Row[]> => store.query({ sql, params: [] });

async function versions(store: Store): Promise<ArchiveFacts["versions"]> {
  const rows = await rowsOf(
    store,
    `WITH items AS (SELECT version, count(*) AS items FROM
                      (SELECT DISTINCT r.version, r.item FROM rollouts r WHERE r.split = 'selection')
                    GROUP BY version)
     SELECT r.version, count(*) AS rollouts, coalesce(any_value(items), 0) AS items,
            count(*) FILTER (r.split = 'selection' AND r.outcome = 'pass')
              / nullif(count(*) FILTER (r.split = 'selection' AND r.outcome <> 'unknown'), 0) AS pass_rate
     FROM rollouts r LEFT JOIN items USING (version) WHERE ${open} GROUP BY r.version ORDER BY min(r.rid)`,
  );
  return rows.map((row) => ({
    name: stringOf(row, "version"),
    rollouts: numberOf(row, "rollouts"),
    items: numberOf(row, "items"),
    passRate: numberOrNull(row, "pass_rate"),
  }));
}

/** Variables of one table. What is derived from turns is told of the rollouts for which that was done. */
async function fields(
  store: Store,
  table: "rollouts" | "features",
  recent: string,
): Promise<ArchiveFacts["fields"]> {
  const alias = table === "rollouts" ? "r" : "f";
  const from =
    table === "rollouts"
      ? `rollouts r WHERE ${recent}`
      : `features f JOIN rollouts r ON r.rid = f.rid WHERE ${recent}`;
  const columns = [
    ...[...numbers[table], ...texts[table]].map((name) => `count(${alias}."${name}") AS "${name}#n"`),
    ...numbers[table].flatMap((name) => [
      `min(${alias}."${name}")::DOUBLE AS "${name}#min"`,
      `max(${alias}."${name}")::DOUBLE AS "${name}#max"`,
      `approx_quantile(${alias}."${name}", 0.5)::DOUBLE AS "${name}#median"`,
    ]),
  ];
  const [row = {}] = await rowsOf(store, `SELECT count(*) AS n, ${columns.join(", ")} FROM ${from}`);
  const total = numberOf(row, "n");
  const found: ArchiveFacts["fields"] = {};
  if (total === 0) return found;
  for (const name of numbers[table]) {
    const count = numberOf(row, `${name}#n`);
    found[name] = { present: count / total, ...(count > 0 && { spread: spreadOf(row, `${name}#`, count) }) };
  }
  for (const name of texts[table]) {
    const count = numberOf(row, `${name}#n`);
    const values = await rowsOf(
      store,
      `SELECT ${alias}."${name}" AS value, count(*) AS n FROM ${from} AND ${alias}."${name}" IS NOT NULL
       GROUP BY value ORDER BY n DESC, value LIMIT 10`,
    );
    found[name] = {
      present: count / total,
      values: values.map((v) => ({ value: stringOf(v, "value"), share: numberOf(v, "n") / total })),
    };
  }
  return found;
}

function spreadOf(row: Row, prefix: string, count: number) {
  return {
    count,
    min: numberOf(row, `${prefix}min`),
    median: numberOf(row, `${prefix}median`),
    max: numberOf(row, `${prefix}max`),
  };
}

async function metrics(store: Store): Promise<ArchiveFacts["metrics"]> {
  const rows = await rowsOf(
    store,
    `SELECT name, count(*) AS n, min(value) AS min, max(value) AS max, approx_quantile(value, 0.5) AS median
     FROM metrics WHERE value IS NOT NULL AND isfinite(value) GROUP BY name ORDER BY name`,
  );
  return Object.fromEntries(
    rows.map((row) => [stringOf(row, "name"), spreadOf(row, "", numberOf(row, "n"))]),
  );
}

async function components(store: Store, recent: string): Promise<ArchiveFacts["components"]> {
  const rows = await rowsOf(
    store,
    `WITH given AS (
       SELECT * FROM (SELECT unnest(map_keys(r.components)) AS name, unnest(map_values(r.components)) AS value
                      FROM rollouts r WHERE ${recent})
       WHERE value IS NOT NULL AND isfinite(value)),
     most AS (SELECT name, max(value) AS most FROM given GROUP BY name)
     SELECT name, count(*) AS n, count(*) FILTER (value > 0) AS awarded, count(*) FILTER (value = most) AS in_full,
            min(value) AS min, max(value) AS max, approx_quantile(value, 0.5) AS median,
            (SELECT count(*) FROM rollouts r WHERE ${recent}) AS rollouts
     FROM given JOIN most USING (name) GROUP BY name ORDER BY n DESC, name LIMIT 500`,
  );
  return Object.fromEntries(
    rows.map((row) => {
      const [count, of] = [numberOf(row, "n"), numberOf(row, "rollouts")];
      const share = (key: string): number => numberOf(row, key) / of;
      const fact = { of, present: count / of, awarded: share("awarded"), inFull: share("in_full") };
      return [stringOf(row, "name"), { ...fact, spread: spreadOf(row, "", count) }];
    }),
  );
}

/** Labels are told of the versions and splits in which any label is set: the others were not looked at. */
async function labels(store: Store): Promise<ArchiveFacts["labels"]> {
  const rows = await rowsOf(
    store,
    `WITH set_in AS (
       SELECT l.label, r.version, r.split, count(*) AS n, max(r.rid, 3) AS last
       FROM labels l JOIN rollouts r USING (rid) WHERE ${open} GROUP BY ALL),
     tried AS (SELECT DISTINCT version, split FROM set_in),
     total AS (SELECT count(*) AS n FROM rollouts r SEMI JOIN tried USING (version, split)),
     of_label AS (
       SELECT label, sum(n)::BIGINT AS n, arg_max(version, last[1]) AS version, arg_max(last, last[1]) AS last
       FROM set_in GROUP BY label)
     SELECT label, n, version, last, (SELECT n FROM total) AS tried FROM of_label ORDER BY label`,
  );
  const names = await rolloutNames(
    store,
    rows.flatMap((row) => integersOf(row, "last")),
  );
  return Object.fromEntries(
    rows.map((row) => {
      const rollouts = integersOf(row, "last").map((rid) => names.get(rid) ?? "");
      const last = { version: stringOf(row, "version"), rollouts };
      return [stringOf(row, "label"), { rollouts: numberOf(row, "n"), of: numberOf(row, "tried"), last }];
    }),
  );
}

/** A label has a number as soon as rollouts are looked through for it. */
async function triedLabels(store: Store): Promise<string[]> {
  const rows = await rowsOf(store, "SELECT DISTINCT label FROM label_keys ORDER BY label");
  return rows.map((row) => stringOf(row, "label"));
}

/** Rollouts as run/id, by their number. */
async function rolloutNames(store: Store, rids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (rids.length === 0) return new Map();
  const rows = await rowsOf(
    store,
    `SELECT r.rid, r.run || '/' || r.id AS name FROM rollouts r WHERE ${open} AND r.rid IN (${rids.join(", ")})`,
  );
  return new Map(rows.map((row) => [numberOf(row, "rid"), stringOf(row, "name")]));
}

async function sharedItems(store: Store): Promise<string[]> {
  const rows = await rowsOf(
    store,
    `SELECT item FROM (SELECT DISTINCT r.item FROM rollouts r WHERE r.split = 'selection')
     SEMI JOIN (SELECT DISTINCT r.item FROM rollouts r WHERE r.split = 'train') USING (item)
     ORDER BY item LIMIT 100`,
  );
  return rows.map((row) => stringOf(row, "item"));
}
