import { HarnessError } from "../base/errors.ts";
import { compileCondition } from "../diagnosis/compileSql.ts";
import { ensureFeatures } from "../evidence/features.ts";
import { countRollouts, listRollouts } from "../evidence/query.ts";
import { readRollout } from "../evidence/readRollout.ts";
import { unsealAudit } from "../evidence/split.ts";
import { chooseVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { renderRollout } from "./renderRollout.ts";
import { printable, table } from "./table.ts";

export interface RolloutsOptions {
  readonly version?: string;
  readonly split: "train" | "selection";
  readonly label?: string;
  readonly where?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `evotrainer rollouts [version]`: one page of a filtered list. */
export async function rollouts(io: Io, cwd: string, options: RolloutsOptions): Promise<void> {
  await inspect(cwd, async ({ store, versions }) => {
    const version = chooseVersion(versions, options.version).name;
    const filter = {
      split: options.split,
      version,
      ...(options.label === undefined ? {} : { label: options.label }),
      ...(options.where === undefined
        ? {}
        : { where: { sql: `coalesce(${condition(options.where)}, FALSE)`, params: [] } }),
    };
    if (options.where !== undefined) await ensureFeatures(store);
    const counts = await countRollouts(store, filter);
    const page = await listRollouts(store, {
      ...filter,
      limit: options.limit,
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    });
    printResult(io, { version, split: options.split, ...counts, ...page }, () => {
      const head = `${version}, ${options.split} split: ${counts.total} rollouts, ${counts.pass} pass, ${counts.fail} fail, ${counts.unknown} unknown`;
      const rows = page.rollouts.map((r) => [
        `${r.run}/${r.id}`,
        printable(r.item),
        `${r.step}`,
        r.outcome,
        r.reward === null ? "–" : r.reward.toFixed(3),
        printable(r.stop_reason ?? "–"),
        r.labels.join(", "),
      ]);
      const more =
        page.next === undefined
          ? ""
          : `\n… ${counts.total - page.rollouts.length} more; the next page: --cursor '${page.next}'`;
      return `${head}\n${table([["rollout", "item", "step", "outcome", "reward", "stop reason", "labels"], ...rows], [2, 4])}${more}`;
    });
  });
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
      { version: found.version, source: found.source, labels: found.labels, rollout: found.rollout },
      () => renderRollout(io, found),
    );
  });
}
