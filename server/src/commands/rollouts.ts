import { HarnessError } from "../base/errors.ts";
import { evidenceVersion, inspect } from "./inspect.ts";
import { printResult, type Io } from "./io.ts";
import { renderRollout } from "./renderRollout.ts";
import { printable, table } from "./table.ts";

export interface RolloutsOptions {
  readonly version?: string;
  readonly split?: "train" | "selection";
  readonly label?: string;
  readonly where?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `evotrainer rollouts [version]`: one page of a filtered list. */
export async function rollouts(io: Io, cwd: string, options: RolloutsOptions): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const { engine } = inspection;
    const version = await evidenceVersion(inspection, options.version);
    const page = await engine.request("rollouts.list", { ...options, version });
    printResult(io, page, () => {
      const head = `${version}, ${page.split} split: ${page.total} rollouts, ${page.pass} pass, ${page.fail} fail, ${page.unknown} unknown`;
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
          : `\n… ${page.total - page.rollouts.length} more; the next page: --cursor '${page.next}'`;
      return `${head}\n${table([["rollout", "item", "step", "outcome", "reward", "stop reason", "labels"], ...rows], [2, 4])}${more}`;
    });
  });
}

/** `evotrainer rollouts show <run>/<id>`: one trajectory, with its labels and the turns that show them. */
export async function showRollout(io: Io, cwd: string, name: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const slash = name.indexOf("/");
    if (slash <= 0)
      throw new HarnessError(
        "badInput",
        `"${name}" is not a rollout's name; write <run>/<id> as \`evotrainer rollouts\` prints it.`,
      );
    const within = name.slice(0, slash);
    const found = await engine.request("rollouts.show", { within, id: name.slice(slash + 1) });
    printResult(
      io,
      { version: found.version, source: found.source, labels: found.labels, rollout: found.rollout },
      () => renderRollout(io, found),
    );
  });
}
