import type { EvidenceVersion } from "../../../shared/protocol/views/evidence.ts";
import { comparedLook } from "../../../shared/words/comparedText.ts";
import { decisionLook, type Look } from "../../../shared/words/decisions.ts";
import { shortName } from "../../../shared/words/shortName.ts";
import { decisionText } from "../../../shared/words/stages.ts";
import { struckScore } from "../shared/distrusted.ts";
import { element } from "../shared/dom.ts";
import { countedText, percentText } from "../shared/numbers.ts";
import { signElement } from "../shared/outcomes.ts";
import { visibleLine } from "../shared/visibleText.ts";

type Said = Pick<Look, "mark" | "colour" | "word">;
type Stand = NonNullable<EvidenceVersion["standing"]>;

/** What was decided, and how the version compares; this only where its numbers are to be trusted. */
export function verdictsOf({ distrust, compared, ...decided }: Stand): Said[] {
  const decision = distrust === undefined ? decided.decision : "invalid";
  const { mark, colour } = decisionLook(decision, compared?.verdict);
  return [
    { mark, colour, word: decisionText({ ...decided, decision }, "became") },
    ...(compared === undefined || distrust !== undefined ? [] : [comparedLook(compared)]),
  ];
}

/** `31.5 % passed, v1 31.1 %`; "" where nothing was measured. */
export function shareText({ score, beside }: Pick<Stand, "score" | "beside">): string {
  if (score === null) return "";
  const other = beside?.score ?? null;
  return `${percentText(score)} passed${beside === undefined || other === null ? "" : `, ${shortName(beside.version)} ${percentText(other)}`}`;
}

/** Of which version the rollouts are, what became of it, and how many pass beside those of what it was compared with. */
export function standingParts(version: EvidenceVersion | undefined): Node[] {
  if (version === undefined) return [];
  const name = element("strong", "", visibleLine(shortName(version.version)));
  name.title = visibleLine(version.version);
  const { standing } = version;
  if (standing === undefined) return [name];
  const verdicts = verdictsOf(standing).map(({ mark, colour, word }) => {
    const made = element("span", "standing-verdict");
    made.append(signElement(mark, `sign colour-${colour}`), ` ${visibleLine(word)}`);
    return made;
  });
  const share = element("span", "quiet");
  const { score, distrust, compared } = standing;
  if (distrust !== undefined && score !== null) share.append(struckScore(score, distrust.counts));
  else share.append(shareText(standing));
  share.title = `On the selection split${compared?.seeds === undefined ? "" : `; compared over ${countedText(compared.seeds, "seed")} of ${visibleLine(version.version)}`}`;
  return [name, ...verdicts, ...(share.hasChildNodes() ? [share] : [])];
}
