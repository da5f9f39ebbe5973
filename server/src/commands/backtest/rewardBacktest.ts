import { relative, resolve } from "node:path";
import { percent } from "../../../../shared/words/numbers.ts";
import { HarnessError } from "../../base/errors.ts";
import type { RewardBacktest } from "../../engine/backtest/rewardBacktest.ts";
import type { BacktestOptions, SpecFile } from "./backtestOptions.ts";
import { evidenceVersion, inspect, type Inspection } from "../terminal/inspect.ts";
import { exitCodes, paint, printResult, type Io } from "../terminal/io.ts";
import { table, wrap } from "../terminal/table.ts";

type Options = BacktestOptions & { readonly file: SpecFile };

/** A reward and its filter replayed on archived rollouts. Answers with the exit code. */
export async function backtestReward(io: Io, cwd: string, options: Options): Promise<number> {
  const file = resolve(cwd, options.file.path);
  const { text } = options.file;
  return inspect(cwd, async (inspection) => {
    const { split, turnLimits, tokenLimits } = options;
    const report = await inspection.engine.request("backtest.reward", {
      path: relative(inspection.root, file),
      text,
      versions: await versionsOf(inspection, options.against),
      ...(split === undefined ? {} : { split }),
      ...(turnLimits === undefined ? {} : { turnLimits: [...turnLimits] }),
      ...(tokenLimits === undefined ? {} : { tokenLimits: [...tokenLimits] }),
    });
    printResult(io, report, (report) => renderAll(io, report.results));
    return report.results.some((r) => r.concern) ? exitCodes.finding : exitCodes.success;
  });
}

async function versionsOf(inspection: Inspection, against: string | undefined): Promise<string[]> {
  if (against === undefined) return [await evidenceVersion(inspection, undefined)];
  if (against === "all") {
    const versions = await inspection.engine.request("versions.list", {});
    if (versions.length === 0)
      throw new HarnessError(
        "notFound",
        "There is no evidence yet; run `evotrainer evolve`, or `evotrainer import <path>`.",
      );
    return versions.filter((v) => v.train + v.selection > 0).map((v) => v.version);
  }
  const names: string[] = [];
  for (const name of against.split(",")) names.push(await evidenceVersion(inspection, name.trim()));
  return [...new Set(names)];
}

/** Beyond so many versions a line for each says more than the sentences about each. */
const spelledOut = 3;

function renderAll(io: Io, results: readonly RewardBacktest[]): string {
  if (results.length <= spelledOut) return results.map((r) => render(io, r)).join("\n\n");
  const share = (count: number, of: number): string => (of === 0 ? "–" : percent(count / of));
  const rows = results.map(({ version, split, reward: { groups, dead, violations, noOp }, filter }) => [
    version,
    split,
    `${groups}`,
    share(dead.before, groups),
    share(dead.after, groups),
    `${dead.revived}`,
    `${violations.before.rollouts}`,
    `${violations.after.rollouts}`,
    filter.after.keepRatio === null ? "–" : percent(filter.after.keepRatio),
    groups === 0 ? "nothing to replay" : noOp === true ? "no-op" : "",
  ]);
  const head = ["version", "split", "groups", "dead", "then", "revived", "violations", "then", "kept", ""];
  return `${table([head, ...rows], [2, 3, 4, 5, 6, 7, 8], io)}\n\nName up to ${spelledOut} versions with --against to see why.`;
}

function render(io: Io, { version, split, base, summary }: RewardBacktest): string {
  const from =
    base.type === "spec"
      ? `its own reward, ${base.file} at ${base.commit.slice(0, 8)}`
      : `the recorded reward, because ${base.because}`;
  return [
    paint(io, "bold", `${version}, ${split} split, against ${from}`),
    ...summary.map((sentence) => bullet(sentence, Math.min(io.columns, 110))),
  ].join("\n");
}

const bullet = (text: string, columns: number): string => wrap(`- ${text}`, columns, "  ");
