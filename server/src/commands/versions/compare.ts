import { turnNumbers } from "../../../../shared/words/turnNumbers.ts";
import { HarnessError } from "../../base/errors.ts";
import { inLine } from "../../base/plainText.ts";
import { flipWord } from "../../../../shared/words/flipText.ts";
import { counted, pValue } from "../../../../shared/words/numbers.ts";
import type { FlipDivergence } from "../../engine/comparison/flipDivergence.ts";
import type { Flip, Flips } from "../../statistics/comparison/flips.ts";
import type { OutcomeCounts } from "../../statistics/scores/outcomes.ts";
import { haveScoresOnly } from "../../engine/comparison/scoresOnly.ts";
import { parseGuardrail, type CompareFlags } from "./compareFlags.ts";
import { evidenceVersion, inspect } from "../terminal/inspect.ts";
import { givenFiles, withOption, type WithFiles } from "../terminal/given.ts";
import { printResult, type Io } from "../terminal/io.ts";
import { candidateTable, profileTable } from "./renderComparison.ts";
import { table } from "../terminal/table.ts";
import { Option } from "commander";
import { collect, positive, stepChoice } from "../terminal/options.ts";
import { flowChoices } from "../terminal/choices.ts";
import type { FlowBy } from "../../changes/failureClass.ts";
import { metricNames } from "../../statistics/scores/metric.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

export const addCompare: AddVerb = (program, { io, cwd }) => {
  program
    .command("compare <a> <b>")
    .description("compare two versions item by item: interval, verdict, and how many items you would need")
    .option("--metric <metric>", `what is compared: ${metricNames}`)
    .option(
      "--step <step>",
      "which evaluations: all, the last, the best of each version, or a step",
      stepChoice,
    )
    .option(
      "--picked-from <m>",
      "b is the best of m versions; by default as many as the lineage has",
      positive,
    )
    .option(
      "--guardrail <metric tolerance>",
      "what may get worse, and by how much, such as 'tokens_mean 50'",
      collect,
      [],
    )
    .option("--candidates", "list the versions that b was picked from", false)
    .option(
      "--profile",
      "print, for several shares, how many items each version solves more often than that",
      false,
    )
    .option("--flips", "list the items whose passes changed", false)
    .addOption(
      new Option("--flow [by]", "show instead where items and rollouts went, with failures split by this")
        .choices(flowChoices)
        .preset("outcome"),
    )
    .option("--labels", "show instead how often each label holds before and after", false)
    .addOption(withOption())
    .action(
      async (
        a: string,
        b: string,
        o: Given<CompareFlags & WithFiles> & { flow?: FlowBy; labels: boolean },
      ) => {
        const { flow, labels, ...rest } = o;
        if (flow !== undefined)
          await (await import("./flow.ts")).flow(io(), cwd, { a, b, by: flow, with: o.with });
        else if (labels) await (await import("./flow.ts")).labels(io(), cwd, { a, b, with: o.with });
        else await compare(io(), cwd, { a, b, ...rest });
      },
    );
};

/** Flips whose rollouts are read to find where they part: each is two rollouts with all their text. */
const divergencesShown = 20;

/** `evotrainer compare <a> <b>`: paired comparison of b with a on the selection split, verdict first. */
export async function compare(
  io: Io,
  cwd: string,
  options: { readonly a: string; readonly b: string } & CompareFlags & WithFiles,
): Promise<void> {
  const guardrails = options.guardrail.map(parseGuardrail);
  const { metric, step, pickedFrom } = options;
  await inspect(cwd, async (inspection) => {
    const { engine, root } = inspection;
    const files = await givenFiles(io, { cwd, root }, options.with);
    const a = await evidenceVersion(inspection, options.a);
    const b = await evidenceVersion(inspection, options.b);
    if (a === b) throw new HarnessError("badInput", `${a} would be compared with itself; name two versions.`);
    if (haveScoresOnly(await engine.request("versions.list", {}), [a, b])) {
      refuseWithoutRollouts(options);
      printResult(io, await engine.request("versions.compareScores", { a, b }), ({ sentences }) =>
        sentences.join("\n"),
      );
      return;
    }
    const result = await engine.request("versions.compare", {
      a,
      b,
      divergences: options.flips ? divergencesShown : 0,
      guardrails,
      with: files,
      profile: options.profile || io.json,
      ...(metric === undefined ? {} : { metric }),
      ...(step === undefined ? {} : { step }),
      ...(pickedFrom === undefined ? {} : { pickedFrom }),
    });
    printResult(io, result, (result) => {
      const { flips, flipped, pick, profile } = result;
      const parts = [
        ...result.sentences,
        `${flipText(flipped)}${options.flips ? `\n${flipTable(io, flips)}` : "; --flips lists them."}`,
        ...(options.candidates ? ["", candidateTable(io, pick)] : []),
        ...(options.profile && profile !== null
          ? ["", profileTable(io, { a: inLine(a), b: inLine(b) }, profile)]
          : []),
      ];
      return parts.join("\n");
    });
  });
}

/** @throws HarnessError badInput */
function refuseWithoutRollouts(options: CompareFlags): void {
  const { metric, step, pickedFrom, guardrail, flips, profile, candidates } = options;
  const asked = {
    "--metric": metric !== undefined,
    "--step": step !== undefined,
    "--picked-from": pickedFrom !== undefined,
    "--guardrail": guardrail.length > 0,
    "--flips": flips,
    "--profile": profile,
    "--candidates": candidates,
  };
  const names = Object.entries(asked).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (names.length > 0)
    throw new HarnessError(
      "badInput",
      `${names.join(" and ")} cannot be answered from a score without rollouts; leave ${names.length === 1 ? "it" : "them"} out.`,
    );
}

function flipText({ fixed, broken, same, p }: Omit<Flips, "flips">): string {
  return `${counted(fixed, "item passes", "items pass")} more often, ${broken} less often, ${same} the same (exact test: p = ${pValue(p)})`;
}

function flipTable(
  io: Io,
  flips: readonly (Flip & { readonly divergence: FlipDivergence | null })[],
): string {
  const rows = flips.map((f) => [
    f.item,
    countText(f.before),
    countText(f.after),
    flipWord(f),
    whereText(f.divergence),
  ]);
  return table([["item", "passes before", "after", "", "first different action"], ...rows], [1, 2], io);
}

function countText({ pass, fail, unknown }: OutcomeCounts): string {
  return `${pass}/${pass + fail}${unknown === 0 ? "" : ` +${unknown}?`}`;
}

function whereText(divergence: FlipDivergence | null): string {
  if (divergence === null) return "";
  const { before, after, first } = divergence;
  const at = ({ run, id }: { run: string; id: string }, turn: number | null | undefined): string =>
    `${run}/${id}${turn === null || turn === undefined ? "" : ` ${turnNumbers([turn])}`}`;
  return `${at(before, first?.a)} | ${at(after, first?.b)}${first === null ? " (none found)" : ` (${first.reason})`}`;
}
