import { answeredWords } from "../../../../shared/words/decisions.ts";
import { duration } from "../../../../shared/words/numbers.ts";
import { inHangingBlock, inLine, withPlainTexts } from "../../base/plainText.ts";
import type { ResultOf } from "../../engine/services/services.ts";
import { paint, type Io } from "../terminal/io.ts";
import { fittedText } from "../terminal/table.ts";

/** A proposal for review. What is said of it fits the terminal; the lines of its diff stay as they are. */
export function proposalText(io: Io, proposal: ResultOf<"proposals.show">): string {
  const p = withPlainTexts(proposal);
  const cost =
    p.cost === null ? "not known until a version has been trained" : `about ${duration(p.cost.median)}`;
  const fixes = p.record?.fixes;
  const said = [
    `${paint(io, "bold", p.id)} on ${p.parent}: ${p.title} (${p.state}${p.reason === null ? "" : `: ${p.reason}`})`,
    `Hypothesis: ${p.hypothesis}`,
    ...(p.fixes.length === 0 ? [] : [`Should fix: ${p.fixes.join(", ")}`]),
    ...(p.risks.length === 0 ? [] : [`Risks: ${p.risks.join(", ")}`]),
    ...(p.backtest === null ? [] : [`Backtest: ${p.backtest.summary}`]),
    ...(p.trial == null ? [] : [`Trial: ${p.trial}`]),
    `Training: ${cost}`,
    ...(fixes === undefined || fixes.predicted === 0
      ? []
      : [`${p.proposer} has predicted ${fixes.hits} of ${fixes.predicted} fixes correctly so far.`]),
    ...p.answers.map(
      (a) => `${answeredWords[a.answer]} by ${a.by}${a.comment === null ? "" : `: ${a.comment}`}`,
    ),
    ...(p.claims ?? []),
  ];
  return [
    fittedText(said.join("\n"), io),
    ...proposal.files.flatMap((file) => [
      "",
      inLine(file.path),
      ...file.hunks.flatMap((hunk) => [
        `hunk ${inLine(hunk.id)}, line ${hunk.baseStart + 1}`,
        ...hunk.removed.map((line) => paint(io, "red", `-${inHangingBlock(line)}`)),
        ...hunk.added.map((line) => paint(io, "green", `+${inHangingBlock(line)}`)),
      ]),
    ]),
  ].join("\n");
}
