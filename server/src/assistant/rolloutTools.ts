import { readFirst } from "../../../shared/model/namedTurns.ts";
import { parseRolloutName } from "../../../shared/model/rolloutName.ts";
import { counted } from "../../../shared/words/numbers.ts";
import { z } from "zod";
import { evidenceOrders } from "../../../shared/protocol/views/evidence.ts";
import { HarnessError } from "../base/errors.ts";
import { fittingVersions, meantVersion } from "../base/meantVersion.ts";
import { didYouMean } from "../base/similar.ts";
import { common, defineTool, placeOf, type ToolContext } from "./tool.ts";

const pageRows = 50;
const turnsAtOnce = 60;
/** Characters of a turn that are shown when a whole trajectory is. */
const turnCharacters = 1200;
const longestPart = 16_000;

/**
 * The versions that are meant, by their names or by the start of them, among those that have evidence.
 * @throws HarnessError notFound for a version without rollouts, badInput where the start of a name fits several
 */
export async function measured({ ask }: ToolContext, versions: readonly string[]): Promise<string[]> {
  const known = (await ask("versions.list", {})).map(({ version }) => version);
  return versions.map((asked) => {
    if (fittingVersions(asked, known).length > 0) return meantVersion(asked, known);
    throw new HarnessError(
      "notFound",
      `The archive has no evidence for ${asked}; it has evidence for ${known.slice(-30).join(", ") || "none"}.${didYouMean(asked, known)}`,
    );
  });
}

/** The one version that is meant. @throws those of `measured` */
export async function measuredOne(context: ToolContext, asked: string): Promise<string> {
  const [version = asked] = await measured(context, [asked]);
  return version;
}

export const rolloutsTool = defineTool({
  name: "evotrainer_rollouts",
  title: "List rollouts",
  description:
    'Lists rollouts (sampled trajectories) of a version with outcome, reward, stop reason and failure labels, gives the precision and recall of these labels from the answers of people, and counts all rollouts that pass the filter. Filters: outcome, label, item, step, a CEL condition (e.g. n_turns > 20 && outcome == "fail"), or a text in any turn; the answer then says where the text occurs. Read one with evotrainer_rollout.',
  writes: false,
  quotes: true,
  input: z.object({
    version: common.version,
    split: common.split,
    outcome: z.enum(["pass", "fail", "unknown"]).exactOptional(),
    label: z.string().exactOptional().describe("Only rollouts with this label."),
    item: z.string().exactOptional().describe("Only rollouts of this task instance."),
    step: z.int().exactOptional().describe("Only rollouts of this training step."),
    where: z.string().max(2000).exactOptional().describe("A CEL condition over a rollout."),
    search: z
      .string()
      .max(500)
      .exactOptional()
      .describe("A text in any turn, or an RE2 expression written as /…/."),
    orderBy: z.enum(evidenceOrders).default("arrival"),
    descending: z.boolean().default(false),
    cursor: common.cursor,
  }),
  async run(context, { cursor, ...given }) {
    const query = { ...given, version: await measuredOne(context, given.version) };
    const offset = placeOf(cursor);
    const page = await context.ask("rollouts.window", {
      ...query,
      offset,
      limit: pageRows + 1,
      counts: true,
    });
    const items = page.rollouts.slice(0, pageRows).map(rowOf);
    const { version, split, counts } = page;
    const labels = [...new Set(items.flatMap((row) => row.labels))];
    const unlabelled =
      labels.length === 0 &&
      (await context.ask("rollouts.list", { version, split, limit: 1 })).unlabelled === true;
    return {
      facts: {
        version,
        split,
        ...(unlabelled ? { labels: notSet } : {}),
        ...(await context.ask("rollouts.people", { labels })),
        ...(query.search === undefined ? { counts } : { searched: counts, found: page.rows }),
      },
      rows: { items, offset, more: page.rollouts.length > pageRows },
    };
  },
});

const notSet = "The labels of this version are not set yet; evotrainer_diagnose sets them.";

function rowOf(row: {
  readonly run: string;
  readonly id: string;
  readonly labels: readonly string[];
}): Record<string, unknown> & { readonly labels: readonly string[] } {
  const told = ["rid", "version", "split", "run", "id"];
  return {
    rollout: `${row.run}/${row.id}`,
    labels: row.labels,
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !told.includes(name))),
  };
}

export const rolloutTool = defineTool({
  name: "evotrainer_rollout",
  title: "Show a rollout",
  description:
    "Shows one rollout. Gives its outcome, its reward with components, its failure labels with the turns that show them and the diagnostics that set them, which turns to read first and why, people's notes, and its turns from cursor on; long turns are cut. With turn: only that turn, from character on.",
  writes: false,
  quotes: true,
  input: z.object({
    rollout: z.string().describe("The rollout as run/id, as evotrainer_rollouts lists it."),
    turn: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe("Only this turn, counted from 0; a long one is cut."),
    character: z.int().nonnegative().default(0).describe("With turn: the character of its text to begin at."),
    cursor: common.cursor,
  }),
  async run({ ask }, { rollout: name, turn: asked, character, cursor }) {
    const named = parseRolloutName(name);
    if (named === undefined)
      throw new HarnessError("badInput", `"${name}" is not a rollout's name; write run/id.`);
    const found = await ask("rollouts.show", { within: named.run, id: named.id });
    const { rollout, labels, diagnostics, said, people, notes, version } = found;
    if (rollout.split === "audit")
      throw new HarnessError("badInput", `${name} is in the audit split, which is sealed for assistants.`);
    const { turns, ...facts } = rollout;
    const first = readFirst(found);
    if (asked !== undefined) {
      const turn = turns[asked];
      if (!turn)
        throw new HarnessError("notFound", `${name} has ${counted(turns.length, "turn")}, counted from 0.`);
      const { text, ...rest } = turn;
      const part = text.slice(character, character + longestPart);
      const left = text.length - character - part.length;
      // In pieces, because a text as long as this would be cut.
      const pieces = part.match(/[^]{1,4000}/g) ?? [];
      return {
        facts: {
          rollout: name,
          turn: asked,
          ...rest,
          text: pieces,
          ...(left > 0 ? { nextCharacter: character + part.length } : {}),
        },
      };
    }
    const offset = placeOf(cursor);
    const shown = turns.slice(offset, offset + turnsAtOnce);
    return {
      facts:
        offset > 0
          ? { rollout: name, turns: turns.length }
          : {
              version,
              ...facts,
              ...(found.stepless === true ? { step: null } : {}),
              turns: turns.length,
              labels: found.unlabelled === true && labels.length === 0 ? notSet : labels,
              ...(first === undefined ? {} : { readFirst: first }),
              diagnostics,
              said,
              people,
              notes,
              ...(found.trimmed ? { trimmed: true } : {}),
            },
      rows: {
        items: shown.map(({ text, args, ...turn }, i) => ({
          turn: offset + i,
          ...turn,
          ...(args === undefined ? {} : { args: cut(JSON.stringify(args)) }),
          text: cut(text),
        })),
        offset,
        more: offset + shown.length < turns.length,
      },
    };
  },
});

const cut = (text: string): string =>
  text.length <= turnCharacters
    ? text
    : `${text.slice(0, turnCharacters)}… (${text.length - turnCharacters} more characters)`;
