import type { Outcome } from "../../../shared/model/rollout.ts";
import { HarnessError } from "../base/errors.ts";
import { compileCondition } from "../diagnosis/compileSql.ts";
import { countRollouts, listRollouts, type ListOptions, type RolloutSummary } from "../evidence/query.ts";
import { readRollout } from "../evidence/readRollout.ts";
import type { RolloutOrder } from "../evidence/rolloutOrder.ts";
import { searchRollouts, type SearchHit } from "../evidence/search.ts";
import { unsealAudit } from "../evidence/split.ts";
import type { Store } from "../evidence/store.ts";
import { parseTextQuery } from "../evidence/textQuery.ts";
import { chooseVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { renderRollout } from "./renderRollout.ts";
import { printable, table } from "./table.ts";

export interface RolloutsOptions {
  readonly version?: string;
  readonly split: "train" | "selection";
  readonly outcome?: Outcome;
  readonly item?: string;
  readonly group?: string;
  readonly label?: string;
  readonly where?: string;
  /** A text that a turn holds, or an expression as /…/. */
  readonly search?: string;
  readonly ignoreCase: boolean;
  readonly sort?: RolloutOrder;
  readonly desc: boolean;
  readonly limit: number;
  readonly cursor?: string;
}

/** `evotrainer rollouts [version]`: one page of a filtered and sorted list; with `--search`, where the text stands. */
export async function rollouts(io: Io, cwd: string, options: RolloutsOptions): Promise<void> {
  await inspect(cwd, async ({ store, versions }) => {
    const version = chooseVersion(versions, options.version).name;
    const { split, outcome, item, group, label, sort, cursor, limit } = options;
    const filter = {
      split,
      version,
      ...(outcome === undefined ? {} : { outcome }),
      ...(item === undefined ? {} : { item }),
      ...(group === undefined ? {} : { group }),
      ...(label === undefined ? {} : { label }),
      ...(options.where === undefined
        ? {}
        : { where: { sql: `coalesce(${condition(options.where)}, FALSE)`, params: [] } }),
    };
    const list = {
      ...filter,
      limit,
      descending: options.desc,
      ...(sort === undefined ? {} : { orderBy: sort }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const page = await pageOf(store, list, options);
    // With a search: of what is searched, because counting the hits would read every text.
    const counts = await countRollouts(store, filter);
    printResult(io, { version, split, ...counts, ...page }, () => {
      const searched = options.search === undefined ? "" : " searched";
      const head = `${version}, ${split} split: ${counts.total} rollouts${searched}, ${counts.pass} pass, ${counts.fail} fail, ${counts.unknown} unknown`;
      const snippets = page.rollouts.some((r) => "snippet" in r);
      const names = ["rollout", "item", "step", "outcome", "reward", "stop reason", "labels"];
      const rows = page.rollouts.map((r) => [
        `${r.run}/${r.id}`,
        printable(r.item),
        `${r.step}`,
        r.outcome,
        r.reward === null ? "–" : r.reward.toFixed(3),
        printable(r.stop_reason),
        r.labels.join(", "),
        ...("snippet" in r ? [`${r.turn}`, snippetOf(r)] : []),
      ]);
      const more =
        page.next === undefined
          ? ""
          : `\n… ${snippets ? "there may be" : counts.total - page.rollouts.length} more; the next page: --cursor '${page.next}'`;
      return `${head}\n${table([snippets ? [...names, "turn", "text"] : names, ...rows], [2, 4])}${more}`;
    });
  });
}

async function pageOf(
  store: Store,
  list: ListOptions,
  { search, ignoreCase }: RolloutsOptions,
): Promise<{ readonly rollouts: readonly (RolloutSummary | SearchHit)[]; readonly next?: string }> {
  if (search === undefined) return listRollouts(store, list);
  const { hits, ...rest } = await searchRollouts(store, {
    ...list,
    text: parseTextQuery(search, { ignoreCase }),
  });
  return { rollouts: hits, ...rest };
}

/** A hit on one line. */
function snippetOf({ snippet: { before, hit, after } }: SearchHit): string {
  const [left, middle, right] = [before, hit, after].map((text) => printable(text).replaceAll(/\s+/g, " "));
  return `${left ?? ""}»${middle ?? ""}«${right ?? ""}`;
}

/** @throws HarnessError badInput with the place of the error */
function condition(text: string): string {
  const compiled = compileCondition(text);
  if (compiled.ok) return compiled.condition.sql;
  const { start, end, message } = compiled.problem;
  throw new HarnessError(
    "badInput",
    `--where: ${message}\n  ${text}\n  ${" ".repeat(start)}${"^".repeat(Math.max(1, end - start))}`,
  );
}

/** `evotrainer rollouts show <run>/<id>`: one trajectory, with its labels and the turns that show them. */
export async function showRollout(io: Io, cwd: string, name: string): Promise<void> {
  await inspect(cwd, async ({ store, versions }) => {
    const slash = name.indexOf("/");
    if (slash <= 0)
      throw new HarnessError(
        "badInput",
        `"${name}" is not a rollout's name; write <run>/<id> as \`evotrainer rollouts\` prints it.`,
      );
    const within = name.slice(0, slash);
    // A promoted version's audit is public: it has been reported.
    const open = versions.some((v) => within.startsWith(`${v.name}.audit`) && v.evidence.audit !== undefined);
    const found = await readRollout(store, {
      within,
      id: name.slice(slash + 1),
      ...(open ? { unsealed: unsealAudit("reported with a promotion") } : {}),
    });
    printResult(
      io,
      {
        version: found.version,
        source: found.source,
        labels: found.labels,
        rollout: found.rollout,
        ...(found.trimmed === true ? { trimmed: true } : {}),
      },
      () => renderRollout(io, found),
    );
  });
}
