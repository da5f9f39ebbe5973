import { counted, pointsWithin } from "../../../../shared/words/numbers.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { untrustedText } from "../../lineage/trust/untrustedVersions.ts";
import { chooseVersion, inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { positive } from "../terminal/options.ts";
import { table, wrap } from "../terminal/table.ts";
import type { AddVerb, Given } from "../terminal/verb.ts";

type CasesOptions = Given<{ limit: number }>;

export const addCases: AddVerb = (program, { io, cwd }) => {
  program
    .command("cases <version>")
    .description("list the decided versions most like a version, and how they ended")
    .option("--limit <n>", "how many cases", positive, 10)
    .action(async (version: string, o: CasesOptions) => cases(io(), cwd, version, o));
};

/** `evotrainer cases`: what similar changes of similar versions did. */
async function cases(io: Io, cwd: string, asked: string, { limit }: CasesOptions): Promise<void> {
  await inspect(cwd, async ({ engine, versions }) => {
    const version = chooseVersion(versions, asked).name;
    const found = await engine.request("versions.cases", { version, limit });
    const untrusted = untrustedText(
      versions.filter((one) => one.name !== version),
      "as cases",
    );
    printResult(io, found, (found) => render(io, found, untrusted));
  });
}

function render(
  io: Io,
  { version, asks, edits, total, cases }: ResultOf<"versions.cases">,
  untrusted: string | null,
): string {
  if (total === 0) return untrusted ?? "No other version is decided yet, so there are no cases.";
  const about =
    asks === "change"
      ? `Cases nearest to ${version} (${edits.join("; ")})`
      : `Cases of versions that failed at the same things as ${version}`;
  return [
    paint(io, "bold", about),
    table(
      [
        ["distance", "version", "change", "ended", "effect"],
        ...cases.map((one) => [
          one.distance.toFixed(2),
          `${one.version} on ${one.parent}`,
          one.edits.length === 0 ? (one.factor ?? "–") : one.edits.join("; "),
          one.ended === "noise" ? `${one.decision}, inside the noise` : `${one.decision}, ${one.ended}`,
          one.effect === null ? "–" : pointsWithin(one.effect.difference, one.effect.low, one.effect.high),
        ]),
      ],
      [0],
      io,
    ),
    ...(cases.length < total ? [`${counted(total - cases.length, "more case")}; --limit shows them.`] : []),
    ...(untrusted === null ? [] : [untrusted]),
    wrap(
      "distance: 0 means the same change to a version with the same failures, 1 means nothing in common.",
      io.columns,
    ),
  ].join("\n");
}
