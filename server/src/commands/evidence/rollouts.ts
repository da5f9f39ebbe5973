import { parseRolloutName } from "../../../../shared/model/rolloutName.ts";
import { inLine } from "../../base/plainText.ts";
import { peopleSaid } from "../../../../shared/words/people.ts";
import { count, counted, value } from "../../../../shared/words/numbers.ts";
import type { Outcome } from "../../../../shared/model/rollout.ts";
import { HarnessError } from "../../base/errors.ts";
import type { RolloutOrder } from "../../evidence/queries/rolloutOrder.ts";
import type { SearchHit } from "../../evidence/queries/search.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { givenFiles, sayLeftOut, withOption, type WithFiles } from "../terminal/given.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { notLabelled } from "./notLabelled.ts";
import { renderRollout } from "./renderRollout.ts";
import { table } from "../terminal/table.ts";
import { Option } from "commander";
import { positive, splitOption } from "../terminal/options.ts";
import { outcomeNames } from "../terminal/choices.ts";
import { rolloutOrders } from "../../../../shared/model/rolloutOrders.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addRollouts: AddVerb = (program, { io, cwd }) => {
  const list = program
    .command("rollouts")
    .description("list the rollouts of a version; `rollouts show <run>/<id>` prints one trajectory");
  list
    .command("list [version]", { isDefault: true })
    .description("list and page")
    .addOption(splitOption())
    .addOption(new Option("--outcome <outcome>", "only rollouts with this outcome").choices(outcomeNames))
    .option("--item <item>", "only rollouts of this item")
    .option("--group <group>", "only rollouts of this group")
    .option("--label <label>", "only rollouts with this label")
    .addOption(withOption())
    .option("--where <cel>", "only rollouts for which this CEL condition holds")
    .option("--search <text>", "only rollouts with this text, or /expression/, in a turn; the newest first")
    .option("-i, --ignore-case", "search without regard to case", false)
    .addOption(
      new Option("--sort <column>", "what to sort by; rollouts without a value come last").choices(
        rolloutOrders,
      ),
    )
    .option("--desc", "the largest first", false)
    .option("--limit <n>", "how many", positive, 20)
    .option("--cursor <cursor>", "the next page, from the cursor that the page before printed")
    .action(
      async (
        version: string | undefined,
        o: Given<{
          split?: "train" | "selection";
          limit: number;
          outcome?: Outcome;
          item?: string;
          group?: string;
          label?: string;
          search?: string;
          ignoreCase: boolean;
          sort?: RolloutOrder;
          desc: boolean;
          where?: string;
          cursor?: string;
          with: readonly string[];
        }>,
      ) => rollouts(io(), cwd, { ...(version === undefined ? {} : { version }), ...o }),
    );
  list
    .command("show <rollout>")
    .description("print one trajectory")
    .addOption(withOption())
    .action(async (rollout: string, o: WithFiles) => showRollout(io(), cwd, rollout, o.with));
};

export interface RolloutsOptions extends WithFiles {
  readonly version?: string;
  readonly split?: "train" | "selection";
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
  await inspect(cwd, async (inspection) => {
    const { engine, root } = inspection;
    const { sort, desc, with: paths, ...filter } = options;
    const files = await givenFiles(io, { cwd, root }, paths);
    await sayLeftOut(io, root, files);
    const version = await evidenceVersion(inspection, options.version);
    const page = await engine.request("rollouts.list", {
      ...filter,
      version,
      with: files,
      descending: desc,
      ...(sort === undefined ? {} : { orderBy: sort }),
    });
    // Of the labels that stand in the list, and of the one that it is filtered by.
    const labels = new Set(page.rollouts.flatMap((rollout) => rollout.labels));
    if (options.label !== undefined) labels.add(options.label);
    const { people } = await engine.request("rollouts.people", { labels: [...labels], with: files });
    printResult(io, { ...page, people }, (shown) => {
      const searched = options.search === undefined ? "" : " searched";
      const head = `${inLine(version)}, ${page.split} split: ${counted(page.total, "rollout")}${searched}, ${page.pass} pass, ${page.fail} fail, ${page.unknown} unknown${page.notValid > 0 ? `, ${page.notValid} not valid` : ""}`;
      const snippets = shown.rollouts.some((r) => r.snippet !== undefined);
      const names = ["rollout", "item", "step", "outcome", "reward", "stop reason", "labels"];
      const rows = shown.rollouts.map((r, i) => [
        `${r.run}/${r.id}`,
        r.item,
        r.step === null ? "" : `${r.step}`,
        r.outcome,
        r.reward === null ? "–" : value(r.reward),
        r.stop_reason ?? "–",
        r.labels.join(", "),
        ...(r.snippet === undefined
          ? []
          : [r.turn === undefined ? "" : `${r.turn + 1}`, snippetOf(page.rollouts[i]?.snippet ?? r.snippet)]),
      ]);
      const more =
        page.next === undefined
          ? ""
          : `\n… ${snippets ? "there may be" : count(page.total - page.rollouts.length)} more; the next page: --cursor '${page.next}'`;
      const said = peopleSaid(shown.people).map((line) => `\n${line}`);
      const others = labels.size === 0 ? "The labels" : "The labels of other diagnostics";
      if (page.unlabelled === true)
        said.push(`\n${others} are not set yet; ${notLabelled(version, page.split)}.`);
      // The head says 0; a table without rows would say nothing.
      if (rows.length === 0)
        return `${head}\n${options.search === undefined ? "No rollout matches." : "None of them has this text."}`;
      return `${head}\n${table([snippets ? [...names, "turn", "text"] : names, ...rows], [2, 4], io)}${more}${said.join("")}`;
    });
  });
}

/** A hit on one line; a line feed in it is as good as a space. */
function snippetOf({ before, hit, after }: SearchHit["snippet"]): string {
  const [left, middle, right] = [before, hit, after].map((text) => inLine(text.replaceAll(/\s+/g, " ")));
  return `${left ?? ""}»${middle ?? ""}«${right ?? ""}`;
}

/** `evotrainer rollouts show <run>/<id>`: one trajectory, with its labels and the turns that show them. */
export async function showRollout(
  io: Io,
  cwd: string,
  name: string,
  paths: readonly string[],
): Promise<void> {
  await inspect(cwd, async ({ engine, root }) => {
    const named = parseRolloutName(name);
    if (named === undefined)
      throw new HarnessError(
        "badInput",
        `"${name}" is not a rollout's name; write <run>/<id> as \`evotrainer rollouts\` prints it.`,
      );
    const { run: within, id } = named;
    const found = await engine.request("rollouts.show", {
      within,
      id,
      with: await givenFiles(io, { cwd, root }, paths),
    });
    printResult(
      io,
      {
        version: found.version,
        source: found.source,
        labels: found.labels,
        people: found.people,
        rollout: found.rollout,
        ...(found.trimmed === true ? { trimmed: true } : {}),
      },
      () => renderRollout(io, found),
      // Of a transcript every line stays as it is.
      { asItIs: true },
    );
  });
}
