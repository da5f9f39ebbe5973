import { decisionLooks } from "../../../../shared/words/decisions.ts";
import { counted, plural } from "../../../../shared/words/numbers.ts";
import { noArchive } from "../../../../shared/words/refusals.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { positive, splitOption } from "../terminal/options.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type ItemOptions = Given<{ split?: "train" | "selection"; limit: number }>;

export const addItems: AddVerb = (program, { io, cwd }) => {
  program
    .command("items [version...]")
    .description(
      "show how many rollouts of every item passed in each version; items that went back and forth come first",
    )
    .addOption(splitOption())
    .option("--limit <n>", "how many items", positive, 20)
    .action(async (versions: string[], o: ItemOptions) => items(io(), cwd, versions, o));
};

/** `evotrainer items`: the items of a split as rows, versions as columns. */
async function items(io: Io, cwd: string, asked: readonly string[], options: ItemOptions): Promise<void> {
  await inspect(cwd, async (inspection) => {
    const versions: string[] = [];
    for (const name of asked) versions.push(await evidenceVersion(inspection, name));
    const result = await inspection.engine.request("versions.items", {
      ...(versions.length === 0 ? {} : { versions }),
      ...options,
    });
    printResult(io, result, (result) => render(io, result, asked.length > 0));
  });
}

function render(
  io: Io,
  { versions, invalid, older, split, total, items: rows }: ResultOf<"versions.items">,
  isNamed: boolean,
): string {
  if (rows.length === 0 && isNamed)
    return `The archive has no rollouts of ${versions.join(" and ")} in the ${split} split.`;
  if (rows.length === 0) return `${noArchive.cause} ${noArchive.advice}`;
  const unknown = rows.some(({ cells }) => cells.some((cell) => cell !== null && cell.known < cell.rollouts));
  return [
    paint(io, "bold", `Rollouts that passed, of those whose outcome is known, ${split} split`),
    table(
      [
        [
          "item",
          ...versions.map((name) =>
            invalid.includes(name) ? `${decisionLooks.invalid.mark} ${name}` : name,
          ),
          "changes",
        ],
        ...rows.map(({ item, changes, cells }) => [
          item,
          ...cells.map((cell) =>
            cell === null ? "–" : `${cell.passes}/${cell.known}${cell.known < cell.rollouts ? "?" : ""}`,
          ),
          changes === 0 ? "·" : `${changes}`,
        ]),
      ],
      [...versions.keys(), versions.length].map((i) => i + 1),
      io,
    ),
    ...(rows.length === total
      ? []
      : [`${counted(total - rows.length, "more item")}; --limit ${total} shows all.`]),
    ...(older === 0
      ? []
      : [
          `${counted(older, "older version")} ${plural(older, "is", "are")} not shown; \`evotrainer items <version>…\` shows the versions that you name.`,
        ]),
    ...(invalid.length === 0
      ? []
      : [`${decisionLooks.invalid.mark} not valid: what it solved does not count.`]),
    wrap(
      `changes: how often most of an item's rollouts went from passed to failed or back, from version to version.${unknown ? " ?: some outcomes are unknown." : ""}`,
      io.columns,
    ),
  ].join("\n");
}
