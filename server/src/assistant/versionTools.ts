import { z } from "zod";
import { haveScoresOnly } from "../engine/comparison/scoresOnly.ts";
import { common, defineTool, placeOf } from "./tool.ts";
import { measured, measuredOne } from "./rolloutTools.ts";

export const diagnoseTool = defineTool({
  name: "evotrainer_diagnose",
  title: "Diagnose a version",
  description:
    "Says what is wrong with a version, judged by its rollouts. Gives scores, signals (dead groups, reward spread …), behaviours, how many rollouts carry each failure label, what people's answers say about these labels (precision and recall, on held-out items and on tuning items), alerts, and the rules that follow. It does not run diagnostics that are programs or ask a model.",
  writes: false,
  quotes: true,
  input: z.object({ version: common.version, split: common.split }),
  async run(context, input) {
    const version = await measuredOne(context, input.version);
    const diagnosis = await context.ask("versions.diagnose", { ...input, version, trusted: false });
    return { facts: { ...diagnosis, ...(await context.ask("rollouts.people", {})) } };
  },
});

export const compareTool = defineTool({
  name: "evotrainer_compare",
  title: "Compare two versions",
  description:
    "Compares version b with version a, item by item on the selection split. Gives the difference with its 95 % interval, the verdict (improved, regressed, or inside the noise), how many items would be needed for a verdict, guardrails, the correction for picking the best of many, label shifts with what people's answers say about these labels, and the items whose passes changed.",
  writes: false,
  quotes: true,
  input: z.object({
    a: common.version.describe("The version to compare with, usually the parent."),
    b: common.version,
    metric: z.string().exactOptional().describe("The metric to compare; by default the project's."),
    cursor: common.cursor,
  }),
  async run(context, { metric, cursor, ...given }) {
    const [a = given.a, b = given.b] = await measured(context, [given.a, given.b]);
    if (haveScoresOnly(await context.ask("versions.list", {}), [a, b]))
      return { facts: await context.ask("versions.compareScores", { a, b }) };
    const asked = { a, b, ...(metric === undefined ? {} : { metric }) };
    const { flips, ...facts } = await context.ask("versions.compare", asked);
    const offset = placeOf(cursor);
    const rows = { items: flips.slice(offset), offset, more: false };
    if (offset > 0) return { facts: { a, b, flips: flips.length }, rows };
    const labels = await context.ask("versions.labels", { a, b });
    const seen = labels.shifts.filter((s) => s.kind !== "within_noise" || s.seen !== "neither");
    const unseen = labels.shifts.length - seen.length;
    const { people } = await context.ask("rollouts.people", { labels: seen.map(({ label }) => label) });
    return { facts: { ...facts, labels: seen, people, labelsOnNeither: unseen, notes: labels.notes }, rows };
  },
});
