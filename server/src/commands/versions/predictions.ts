import { inLine } from "../../base/plainText.ts";
import { unmeasuredText } from "../../../../shared/words/foreseen.ts";
import { counted, percent, value as valueText } from "../../../../shared/words/numbers.ts";
import type { PredictionTally } from "../../changes/predictions.ts";
import { inspect } from "../terminal/inspect.ts";
import { paint, printResult, type Io } from "../terminal/io.ts";
import { table } from "../terminal/table.ts";

/** `evotrainer lineage --predictions`: what was foreseen of each version, what came of it, and each proposer's record. */
export async function predictions(io: Io, cwd: string): Promise<void> {
  await inspect(cwd, async ({ engine }) => {
    const result = await engine.request("lineage.predictions", {});
    printResult(io, result, (result) => {
      if (result.versions.length === 0) return "No version has been proposed with a prediction yet.";
      const heading = (text: string): string => paint(io, "bold", text);
      const named = (list: readonly { label: string; result: string }[]): string =>
        list.map((l) => `${l.label}: ${l.result.replaceAll("_", " ")}`).join(", ") || "–";
      return [
        heading("Predicted and found"),
        table(
          [
            ["version", "against", "fixes", "risks", "not predicted"],
            ...result.versions.map((v) => [
              v.version,
              v.measured ? v.parent : `${v.parent}; ${unmeasuredText(v)}`,
              named(v.fixes),
              named(v.risks),
              [...v.unforeseenFixes.map((l) => `−${l}`), ...v.unforeseenRisks.map((l) => `+${l}`)].join(
                ", ",
              ) || "–",
            ]),
          ],
          [],
          io,
        ),
        "",
        heading("Proposers"),
        table(
          [
            [
              "proposer",
              "",
              "hits",
              "within noise",
              "opposite",
              "not measured",
              "missed",
              "precision",
              "recall",
              "by chance",
            ],
            ...result.proposers.flatMap((p) => [
              [
                `${p.proposer} (${p.measured} of ${counted(p.versions, "version")} measured)`,
                "fixes",
                ...cells(p.fixes),
              ],
              ["", "risks", ...cells(p.risks)],
            ]),
          ],
          [],
          io,
        ),
      ].join("\n");
    });
    for (const p of result.problems) io.err(`Left out: ${inLine(p)}\n`);
  });
}

/** A share never stands without what it is a share of. */
function cells(t: PredictionTally): string[] {
  const share = (value: number | null, of: number): string =>
    value === null ? "–" : of < 10 ? `${t.hits} of ${of}` : `${percent(value)} of ${of}`;
  return [
    `${t.hits}`,
    `${t.withinNoise}`,
    `${t.opposite}`,
    `${t.notMeasured}`,
    `${t.unforeseen}`,
    share(t.precision, t.predicted),
    share(t.recall, t.hits + t.unforeseen),
    t.predicted === 0 ? "–" : `${valueText(t.byChance)} hits`,
  ];
}
