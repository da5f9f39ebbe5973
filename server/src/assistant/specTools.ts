import { isPatch, isValueEdit, type Edit, type ValueEdit } from "../../../shared/spec/edit.ts";
import { readFile, realpath } from "node:fs/promises";
import { join, relative, resolve, isAbsolute } from "node:path";
import { z } from "zod";
import { ParamValues } from "../../../shared/spec/diagnostic.ts";
import { InterventionSpec } from "../../../shared/spec/intervention.ts";
import { codeOf, HarnessError } from "../base/errors.ts";
import { parseYaml } from "../base/yaml.ts";
import { applyEdit } from "../lineage/applyEdit.ts";
import { describeProblems, loadProjectSpec } from "../project/project.ts";
import { readSpec } from "../project/readSpec.ts";
import { withValues } from "../project/parameters.ts";
import { workTree } from "../project/source.ts";
import { measured, measuredOne } from "./rolloutTools.ts";
import { common, defineTool, type ToolContext, type ToolResult } from "./tool.ts";

const mostVersions = 20;

export const backtestTool = defineTool({
  name: "evotrainer_backtest",
  title: "Backtest a spec",
  description:
    "Tries a spec on the archive, before any training, and stores nothing. For a diagnostic it says what it would label in past versions, and whether it separates kept from rejected versions. For a reward it replays the shaped reward on archived groups (dead groups before and after, revived groups, order violations, no-op). For an intervention that edits the project's reward it replays the edited reward. Give the spec's YAML text, saved or not, or its path in the project.",
  writes: false,
  quotes: false,
  input: z.object({
    text: z.string().max(200_000).exactOptional().describe("The spec as YAML."),
    path: z
      .string()
      .max(1000)
      .exactOptional()
      .describe("Instead of text: a spec file, relative to the project."),
    versions: z
      .array(z.string())
      .min(1)
      .max(mostVersions)
      .exactOptional()
      .describe(
        "The versions to try it on. By default all for a diagnostic, and the newest one with evidence for a reward.",
      ),
    split: common.split,
  }),
  async run(context, { text: given, path, versions: asked, split }) {
    const text = given ?? (await projectFile(context.root, path));
    const name = path ?? "draft.yaml";
    const versions = asked === undefined ? undefined : await measured(context, asked);
    const kind: unknown = parseYaml(text).get("kind");
    const scope = split === undefined ? {} : { split };
    switch (kind) {
      case "Diagnostic":
        return backtestDiagnostic(context, { path: name, text, ...scope, ...(versions ? { versions } : {}) });
      case "Reward":
        return backtestReward(context, { path: name, text, versions, ...scope });
      case "Intervention":
        return backtestIntervention(context, { path: name, text, versions, ...scope });
      default:
        throw new HarnessError(
          "badInput",
          `${name} has ${typeof kind === "string" ? `the kind ${kind}` : "no kind"}; a Diagnostic, a Reward or an Intervention can be backtested.`,
        );
    }
  },
});

type Asked = {
  readonly path: string;
  readonly text: string;
  readonly versions: readonly string[] | undefined;
  readonly split?: "train" | "selection";
};

async function backtestDiagnostic(
  { ask }: ToolContext,
  params: { path: string; text: string; versions?: string[]; split?: "train" | "selection" },
): Promise<ToolResult> {
  return { facts: { kind: "Diagnostic", ...(await ask("backtest.diagnostic", params)) } };
}

async function backtestReward(context: ToolContext, { versions, ...asked }: Asked): Promise<ToolResult> {
  const over = versions ?? [await newestVersion(context)];
  const { spec, results } = await context.ask("backtest.reward", { ...asked, versions: [...over] });
  return { facts: { kind: "Reward", spec, results } };
}

/** The edits of the reward, with the values that a proposal would take, and how many others there are. */
async function rewardEdits(
  root: string,
  edit: readonly Edit[],
  reward: string | undefined,
): Promise<{ readonly edits: readonly ValueEdit[]; readonly unseen: number }> {
  const own = edit.filter((one) => !isPatch(one) && one.file === reward);
  const edits = (await withValues(own, workTree(root))).filter(isValueEdit);
  return { edits, unseen: edit.length - edits.length };
}

/** The reward of the work tree with the edits of the intervention, replayed. */
async function backtestIntervention(context: ToolContext, asked: Asked): Promise<ToolResult> {
  const read = readSpec(asked.path, asked.text, InterventionSpec);
  if (!read.ok) throw new HarnessError("specInvalid", describeProblems(read.problems));
  const { edit, name, hypothesis, factor } = read.value;
  const { reward } = await loadProjectSpec(workTree(context.root));
  const { edits: given, unseen } = await rewardEdits(context.root, edit, reward);
  if (reward === undefined || given.length === 0)
    throw new HarnessError(
      "badInput",
      `${name} does not edit the project's reward${reward === undefined ? ", because it has none" : ` ${reward}`}; only a change of the reward can be replayed on archived rollouts.`,
    );
  let text = await projectFile(context.root, reward);
  for (const { path, from, to } of given) text = applyEdit(text, path, from, to);
  const replayed = await backtestReward(context, { ...asked, path: reward, text });
  return {
    facts: {
      ...replayed.facts,
      kind: "Intervention",
      intervention: name,
      factor,
      hypothesis,
      ...(unseen > 0
        ? { notReplayed: `${unseen} edits of other files have no effect on archived rollouts` }
        : {}),
    },
  };
}

async function newestVersion({ ask }: ToolContext): Promise<string> {
  const newest = (await ask("versions.list", {})).at(-1);
  if (!newest) throw new HarnessError("notFound", "The archive has no rollouts yet.");
  return newest.version;
}

/** A file of the project; one that lies outside of it, also by a link, is none. @throws HarnessError badInput, notFound */
async function projectFile(root: string, path: string | undefined): Promise<string> {
  if (path === undefined) throw new HarnessError("badInput", "Give the text of a spec, or the path of one.");
  try {
    const real = await realpath(resolve(root, path));
    const inside = relative(await realpath(root), real);
    if (isAbsolute(inside) || inside.startsWith("..") || !/\.ya?ml$/.test(real))
      throw new HarnessError("badInput", `${path} is not a YAML file of the project.`);
    return await readFile(real, "utf8");
  } catch (e) {
    if (codeOf(e) !== "ENOENT" && codeOf(e) !== "EISDIR" && codeOf(e) !== "ENOTDIR") throw e;
    throw new HarnessError("notFound", `There is no file ${join(root, path)}.`, { cause: e });
  }
}

export const tryConditionTool = defineTool({
  name: "evotrainer_try_condition",
  title: "Try a condition",
  description:
    "Tries a CEL condition over rollouts, as you would write it in label.when of a diagnostic. Says for how many archived rollouts it holds, or what is wrong with it and where, and its result for the rollouts that you name. Stores nothing. Use it before you write a diagnostic.",
  writes: false,
  quotes: false,
  input: z.object({
    condition: z.string().min(1).max(10_000),
    params: ParamValues.default({}).describe("The thresholds that the condition reads as params.name."),
    version: common.version.exactOptional(),
    split: common.split,
    rollouts: z
      .array(z.string().max(1000))
      .max(100)
      .default([])
      .describe("Rollouts to try it on, as run/id."),
  }),
  async run(context, { condition, params, rollouts, version: asked, split }) {
    const version = asked === undefined ? undefined : await measuredOne(context, asked);
    const count = await context.ask("diagnostics.liveCount", {
      condition,
      params,
      ...(version === undefined ? {} : { version }),
      ...(split === undefined ? {} : { split }),
    });
    if (count.type === "problems") return { facts: { condition, problems: count.problems } };
    if (rollouts.length === 0) return { facts: { condition, ...count } };
    const { tried } = await context.ask("diagnostics.try", { tries: [{ condition, params, rollouts }] });
    const verdicts = tried[0]?.verdicts ?? [];
    return {
      facts: {
        condition,
        ...count,
        verdicts: Object.fromEntries(rollouts.map((name, i) => [name, verdicts[i] ?? "not_archived"])),
      },
    };
  },
});
