import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseYaml } from "../../base/yaml.ts";
import { codeOf, HarnessError } from "../../base/errors.ts";
import { interventionRefused, type BacktestOptions, type SpecFile } from "./backtestOptions.ts";
import type { Io } from "../terminal/io.ts";
import { Option } from "commander";
import { numbers } from "../terminal/options.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addBacktest: AddVerb = (program, { io, cwd, exitWith }) => {
  program
    .command("backtest <spec>")
    .description(
      "try a spec on the archive: a diagnostic on past versions, a reward and its filter on archived rollouts",
    )
    .option("--against <versions>", "versions separated by commas, or all")
    .addOption(new Option("--split <split>", "which rollouts").choices(["train", "selection"]))
    .option("--turn-limits <n>", "reward: how many successes turn limits such as 15,20 would cut", numbers)
    .option("--token-limits <n>", "reward: the same for generated tokens", numbers)
    .option(
      "--approve <why>",
      "diagnostic: accept that a quarantined version is let through, and record the reason",
    )
    .action(async (spec: string, o: Given<Omit<BacktestOptions, "spec">>) =>
      exitWith(await backtest(io(), cwd, { spec, ...o })),
    );
};

/** `evotrainer backtest <spec>`: runs a spec over what is archived, by its kind. Answers with the exit code. */
export async function backtest(io: Io, cwd: string, options: BacktestOptions): Promise<number> {
  const file = await specFile(cwd, options.spec);
  const kind = file === undefined ? "Diagnostic" : kindOf(file.text);
  if (kind === "Diagnostic")
    return (await import("./diagnosticBacktest.ts")).backtestDiagnostic(io, cwd, { ...options, file });
  if (kind === "Reward" && file !== undefined)
    return (await import("./rewardBacktest.ts")).backtestReward(io, cwd, { ...options, file });
  if (kind === "Intervention") throw interventionRefused(options.spec);
  throw new HarnessError(
    "badInput",
    `${options.spec} ${kind === undefined ? "has no kind" : `has the kind ${kind}`}; a diagnostic or a reward can be backtested.`,
  );
}

/** The file, or undefined where the text can only be a name. @throws HarnessError notFound */
async function specFile(cwd: string, spec: string): Promise<SpecFile | undefined> {
  try {
    return { path: spec, text: await readFile(resolve(cwd, spec), "utf8") };
  } catch (e) {
    if (codeOf(e) !== "ENOENT" && codeOf(e) !== "EISDIR") throw e;
    if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(spec)) return undefined;
    throw new HarnessError("notFound", `There is no file ${spec}.`, { cause: e });
  }
}

function kindOf(text: string): string | undefined {
  const kind: unknown = parseYaml(text).get("kind");
  return typeof kind === "string" ? kind : undefined;
}
