import type { ArchiveFacts } from "../../../shared/protocol/archiveFacts.ts";
import type { Row, Store } from "./database.ts";
import { numberOf, numberOrNull, stringOf, stringsOf } from "./rows.ts";

/** The audit split is sealed: nothing that is told here has seen it. */
const open = `r.split IN ('train', 'selection')`;

const numbers = {
  rollouts: ["step", "sample", "reward", "tokens", "logprob_mean", "seed", "duration_ms"],
  features: ["n_turns", "n_messages", "n_tool_calls", "n_tool_errors", "n_tools", "longest_tool_streak"],
} as const;
/** Texts of which there are few: their values are worth offering. */
const texts = {
  rollouts: ["outcome", "split", "unknown_reason", "stop_reason", "policy"],
  features: ["streak_tool"],
} as const;
/** Texts of which nearly every rollout has its own. */
const names = ["id", "run", "item", "group", "harness"] as const;

type Known = { readonly commits: number; readonly facts: ArchiveFacts };
const known = new WeakMap<Store, Known>();

/** What the archive holds of train and selection, read anew only after something was committed. */
export async function archiveFacts(store: Store): Promise<ArchiveFacts> {
  const commits = store.commits();
  const before = known.get(store);
  if (before?.commits === commits) return before.facts;
  const [counts = {}] = await rowsOf(store, `SELECT count(*) AS n FROM rollouts r WHERE ${open}`);
  const facts: ArchiveFacts = {
    at: Date.now(),
    rollouts: numberOf(counts, "n"),
    versions: await versions(store),
    fields: { ...(await fields(store, "rollouts")), ...(await fields(store, "features")) },
    metrics: await metrics(store),
    components: await components(store, numberOf(counts, "n")),
    labels: await labels(store),
    sharedItems: await sharedItems(store),
  };
  known.set(store, { commits, facts });
  return facts;
}

const rowsOf = (store: Store, sql: string): Promise<Row[]> => store.query({ sql, params: [] });

async function versions(store: Store): Promise<ArchiveFacts["versions"]> {
  const rows = await rowsOf(
    store,
    `SELECT r.version, count(*) AS rollouts,
            count(DISTINCT r.item) FILTER (r.split = 'selection') AS items,
            count(*) FILTER (r.split = 'selection' AND r.outcome = 'pass')
              / nullif(count(*) FILTER (r.split = 'selection' AND r.outcome <> 'unknown'), 0) AS pass_rate
     FROM rollouts r WHERE ${open} GROUP BY r.version ORDER BY min(r.rid)`,
  );
  return rows.map((row) => ({
    name: stringOf(row, "version"),
    rollouts: numberOf(row, "rollouts"),
    items: numberOf(row, "items"),
    passRate: numberOrNull(row, "pass_rate"),
  }));
}

/** Variables of one table. What is derived from turns is told of the rollouts for which that was done. */
async function fields(store: Store, table: "rollouts" | "features"): Promise<ArchiveFacts["fields"]> {
  const alias = table === "rollouts" ? "r" : "f";
  const from =
    table === "rollouts"
      ? `rollouts r WHERE ${open}`
      : `features f JOIN rollouts r ON r.rid = f.rid WHERE ${open}`;
  const bare = table === "rollouts" ? names : [];
  const columns = [
    ...[...numbers[table], ...texts[table], ...bare].map(
      (name) => `count(${alias}."${name}") AS "${name}#n"`,
    ),
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
  for (const name of bare) found[name] = { present: numberOf(row, `${name}#n`) / total };
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

async function components(store: Store, rollouts: number): Promise<ArchiveFacts["components"]> {
  const rows = await rowsOf(
    store,
    `SELECT name, count(*) AS n, count(*) FILTER (value > 0) AS awarded, min(value) AS min, max(value) AS max,
            approx_quantile(value, 0.5) AS median
     FROM (SELECT unnest(map_keys(r.components)) AS name, unnest(map_values(r.components)) AS value
           FROM rollouts r WHERE ${open})
     WHERE value IS NOT NULL AND isfinite(value) GROUP BY name ORDER BY n DESC, name LIMIT 500`,
  );
  return Object.fromEntries(
    rows.map((row) => {
      const count = numberOf(row, "n");
      return [
        stringOf(row, "name"),
        {
          present: count / rollouts,
          awarded: numberOf(row, "awarded") / rollouts,
          spread: spreadOf(row, "", count),
        },
      ];
    }),
  );
}

/** Labels are told of the versions and splits in which any label is set: the others were not looked at. */
async function labels(store: Store): Promise<ArchiveFacts["labels"]> {
  const rows = await rowsOf(
    store,
    `WITH set_in AS (
       SELECT l.label, r.version, count(*) AS n, max(r.rid) AS newest,
              (arg_max(r.run || '/' || r.id, r.rid, 3)) AS rollouts
       FROM labels l JOIN rollouts r USING (rid) WHERE ${open} GROUP BY l.label, r.version),
     tried AS (SELECT DISTINCT r.version, r.split FROM labels l JOIN rollouts r USING (rid) WHERE ${open})
     SELECT label, sum(n)::BIGINT AS n, arg_max(version, newest) AS version, arg_max(rollouts, newest) AS rollouts,
            (SELECT count(*) FROM rollouts r SEMI JOIN tried t ON t.version = r.version AND t.split = r.split) AS tried
     FROM set_in GROUP BY label ORDER BY label`,
  );
  return Object.fromEntries(
    rows.map((row) => [
      stringOf(row, "label"),
      {
        rollouts: numberOf(row, "n"),
        of: numberOf(row, "tried"),
        last: { version: stringOf(row, "version"), rollouts: stringsOf(row, "rollouts") },
      },
    ]),
  );
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
